/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figures.h - what benchmarks share: clocks, the median, and dice that always fall alike */
#ifndef TESTS_BENCH_FIGURES_H
#define TESTS_BENCH_FIGURES_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static inline double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* This process's, in user and kernel code. */
static inline double cpu_seconds(void)
{
	return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static inline double wall_seconds(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

static inline int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts @runs. */
static inline double median(double *runs, size_t nr)
{
	qsort(runs, nr, sizeof(*runs), compare_doubles);
	return runs[nr / 2];
}

static inline uint64_t random_u64(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

#endif

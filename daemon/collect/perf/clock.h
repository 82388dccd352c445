/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - the clock that our events stamp their records with */
#ifndef DAEMON_COLLECT_PERF_CLOCK_H
#define DAEMON_COLLECT_PERF_CLOCK_H

#include <stdint.h>
#include <time.h>

#define PERF_CLOCK	CLOCK_MONOTONIC
#define NS_PER_SECOND	UINT64_C(1000000000)
#define NS_PER_MS	UINT64_C(1000000)

static inline uint64_t perf_now(void)
{
	struct timespec t;

	clock_gettime(PERF_CLOCK, &t);
	return (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
}

#endif

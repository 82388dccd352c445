// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sampler_slowdown.c - how much longer the same work takes while it is sampled
 *
 *	sampler_slowdown RATE FILE
 *
 *		sampler_target_RATEhz	more CPU time of the thread that works and is sampled
 *		sampler_wall_RATEhz	more time as it passes: only where nothing else runs
 *		sampler_beside_RATEhz	CPU time of other threads, of the time that passes
 *
 * By turns the work is left alone, sampled by libsampler RATE times in a second of its CPU time,
 * and sampled by gperftools' libprofiler, if that was loaded as well (LD_PRELOAD, and RATE in
 * CPUPROFILE_FREQUENCY). Both write a CPU profile to FILE, when nobody looks at the clocks. What a
 * turn took more than the plain one before it is its slowdown; medians of ROUNDS.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "libsampler/oprofsampler.h"
#include "tests/bench/figures.h"

#define ROUNDS	31
#define DEPTH	20
#define TURNS	40000000u	/* a tenth of a second or so */
#define FIRST	(TURNS / 2)	/* before: what a profiler does once is not looked at */

static volatile uint64_t result;

__attribute__((noinline)) static uint64_t dig(unsigned int depth, unsigned int turns)
{
	uint64_t x = depth;

	if (depth) {
		x += dig(depth - 1, turns);
		__asm__ volatile("" ::: "memory");
		return x;
	}
	for (unsigned int i = 0; i < turns; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

enum { THREAD, PROCESS, WALL, NR_TIMES };

static void work(double took[NR_TIMES])
{
	static const clockid_t clocks[] = {
		CLOCK_THREAD_CPUTIME_ID, CLOCK_PROCESS_CPUTIME_ID, CLOCK_MONOTONIC,
	};

	result = dig(DEPTH, FIRST);
	for (int i = 0; i < NR_TIMES; i++)
		took[i] = -seconds_of(clocks[i]);
	result = dig(DEPTH, TURNS);
	for (int i = 0; i < NR_TIMES; i++)
		took[i] += seconds_of(clocks[i]);
}

/* --- sampled --- */

static const char *file;
static uint64_t interval_ns;

static int work_sampled(double took[NR_TIMES])
{
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_builder builder;
	struct sampler_thread self;
	struct sampler_profiler *p;
	int err = sampler_thread_self(&self);

	params.interval_ns = interval_ns;
	params.samples = 0;
	params.clock = SAMPLER_CPU;
	if (!err)
		err = sampler_file_builder(SAMPLER_CPUPROFILE, file, &builder, NULL);
	if (!err)
		err = sampler_create(&self, &params, &builder, &p);
	if (err)
		return err;
	err = sampler_start(p);
	if (!err)
		work(took);
	sampler_destroy(p);
	return err;
}

static int (*rival_start)(const char *path);	/* 0: it failed */
static void (*rival_stop)(void);

static int work_with_rival(double took[NR_TIMES])
{
	if (!rival_start(file))
		return -1;
	work(took);
	rival_stop();
	return 0;
}

/* --- compared --- */

enum { TARGET, PASSED, BESIDE, NR_FIGURES };
static const struct {
	const char *name, *unit;
} figures[] = {
	{ "target", "percent_more" }, { "wall", "percent_more" }, { "beside", "percent_of_a_core" },
};

struct slowdown {
	double percent[NR_FIGURES][ROUNDS];
};

static void compare(struct slowdown *s, int round, const double took[NR_TIMES],
		    const double plain[NR_TIMES])
{
	s->percent[TARGET][round] = (took[THREAD] / plain[THREAD] - 1) * 100;
	s->percent[PASSED][round] = (took[WALL] / plain[WALL] - 1) * 100;
	s->percent[BESIDE][round] = (took[PROCESS] - took[THREAD]) / took[WALL] * 100;
}

static int measure(struct slowdown *ours, struct slowdown *rivals)
{
	double plain[NR_TIMES], took[NR_TIMES];

	for (int round = 0; round < ROUNDS; round++) {
		work(plain);
		if (work_sampled(took))
			return -1;
		compare(ours, round, took, plain);
		if (!rival_start)
			continue;
		work(plain);
		if (work_with_rival(took))
			return -1;
		compare(rivals, round, took, plain);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct slowdown ours, rivals;
	int rate = argc == 3 ? atoi(argv[1]) : 0;

	if (rate < 1 || rate > 10000) {
		fprintf(stderr, "usage: sampler_slowdown RATE FILE\n");
		return 1;
	}
	file = argv[2];
	interval_ns = 1000000000ull / (uint64_t)rate;
	rival_start = (int (*)(const char *))dlsym(RTLD_DEFAULT, "ProfilerStart");
	rival_stop = (void (*)(void))dlsym(RTLD_DEFAULT, "ProfilerStop");
	if (measure(&ours, &rivals)) {
		fprintf(stderr, "sampler_slowdown: a profiler did not start\n");
		return 1;
	}
	for (int i = 0; i < NR_FIGURES; i++) {
		printf("bench sampler_%s_%dhz %.2f %s", figures[i].name, rate,
		       median(ours.percent[i], ROUNDS), figures[i].unit);
		if (rival_start)
			printf(" rival libprofiler %.2f", median(rivals.percent[i], ROUNDS));
		printf("\n");
	}
	return 0;
}

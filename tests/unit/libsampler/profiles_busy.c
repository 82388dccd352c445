// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profiles_busy.c - whole profiles of real threads while threads, children and profilers start and
 * end
 */
#include <poll.h>
#include "tests/unit/asan_fork.h"
#include "tests/unit/libsampler/seen.h"

static void *short_life(void *depth)
{
	if (depth)
		poll(NULL, 0, 1);
	return depth;
}

/* Threads begin and end while they are listed, copied and unwound. */
TEST(all_of_64_threads_that_start_and_end)
{
	struct seen seen = { 0 };
	struct sampler_profiler *p = start(NULL, &seen, 0);

	for (int round = 0; round < 10 || seen.samples < 100; round++) {
		pthread_t threads[64];

		for (uintptr_t i = 0; i < 64; i++)
			pthread_create(&threads[i], NULL, short_life, (void *)(i % 2));
		for (int i = 0; i < 64; i++)
			pthread_join(threads[i], NULL);
	}
	sampler_stop(p);
	finish(p, &seen);
	CHECK(!seen.status[SAMPLER_GONE] && !seen.status[SAMPLER_FAILED], "%d %d",
	      seen.status[SAMPLER_GONE], seen.status[SAMPLER_FAILED]);
}

/* On a busy machine the thread may not answer in time, and a sample is not whole. */
static int profile_in_child(void)
{
	int failures = tap_failures;
	struct sampler_thread self;
	struct seen seen = { 0 };
	struct sampler_profiler *p;

	sampler_thread_self(&self);
	p = start(&self, &seen, 0);
	while (seen.status[SAMPLER_WHOLE] < 3)
		usleep(1000);
	sampler_stop(p);
	finish(p, &seen);
	fflush(stdout);
	return tap_failures > failures;
}

TEST(fork_under_sampling)
{
	struct sampler_profiler *p;
	struct seen seen = { 0 };
	pthread_t thread;

	if (ASAN_LOCKS_CHILDREN)
		SKIP("this AddressSanitizer leaves its allocator locked in children");
	thread = begin(run_outer);
	p = start(NULL, &seen, 0);
	fflush(stdout);
	for (int i = 0; i < 10 || seen.samples < 100; i++) {
		int status = 0;
		pid_t pid = fork();

		if (!pid) {
			alarm(TEST_SECONDS / 2);
			sampler_destroy(p);
			_exit(i < 10 ? profile_in_child() : 0);
		}
		waitpid(pid, &status, 0);
		CHECK(!status, "child %d: %#x", i, (unsigned int)status);
	}
	sampler_stop(p);
	finish(p, &seen);
	end(thread);
}

/* Profiles that begin, end and are destroyed while others run. */
TEST(profilers_that_start_and_end)
{
	pthread_t thread = begin(run_outer);
	struct seen all = { 0 };
	struct sampler_profiler *p = start(NULL, &all, 0);

	for (int i = 0; i < 50; i++) {
		struct seen seen = { 0 };
		struct sampler_profiler *q = start(&target, &seen, 1000000);

		if (i % 2)
			while (seen.samples < 2)
				usleep(100);
		sampler_stop(q);
		finish(q, &seen);
	}
	sampler_stop(p);
	finish(p, &all);
	end(thread);
}

/* The tables of the files that stacks lead to are there once, for all profilers. */
#define NR_PROFILERS	1000
#define MIB_MOST	30

static struct seen thousand[NR_PROFILERS];

static long resident_mib(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long pages = 0;

	CHECK(f && fscanf(f, "%*d %ld", &pages) == 1, "statm");
	if (f)
		fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) >> 10) >> 10;
}

TEST(memory_of_a_thousand_profilers)
{
	static struct sampler_profiler *profilers[NR_PROFILERS];
	pthread_t thread;
	long before, after;

#ifdef __SANITIZE_ADDRESS__
	SKIP("AddressSanitizer adds to the memory in use");
#endif
	thread = begin(run_outer);
	before = resident_mib();
	for (int i = 0; i < NR_PROFILERS; i++)
		profilers[i] = start_at(&target, &thousand[i], 0, 1000 * MS);
	for (int i = 0; i < NR_PROFILERS; i++)
		while (!thousand[i].status[SAMPLER_WHOLE])
			usleep(1000);
	after = resident_mib();
	CHECK(after - before <= MIB_MOST, "%ld MiB", after - before);
	for (int i = 0; i < NR_PROFILERS; i++)
		sampler_stop(profilers[i]);
	for (int i = 0; i < NR_PROFILERS; i++)
		finish(profilers[i], &thousand[i]);
	end(thread);
}

TEST_MAIN()

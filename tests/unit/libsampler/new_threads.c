// SPDX-License-Identifier: GPL-2.0-or-later
/* new_threads.c - CPU time before the first listing, as of a forked child [SM-13] */
#include "tests/tap.h"
#include "tests/unit/libsampler/parked.h"
#include "tests/unit/tmpdir.h"

#define BEFORE	(35 * MS)		/* used by the time of the first listing */

static uint64_t used(pid_t tid)
{
	(void)tid;
	return BEFORE + clock_now();
}

/* Samples and missed ones of 100 ms of one thread, or of all threads, which are one. */
static uint64_t taken_and_missed(bool has_all_threads, unsigned int flags)
{
	struct sampler_thread self = thread_self();
	struct sampler_params params = SAMPLER_PARAMS;
	struct record *r = record_new();
	struct sampler_builder builder = record_builder(r);
	struct sampler_profiler *p = NULL;

	fakes_begin();
	fake_cpu_time = used;
	params.interval_ns = 10 * MS;
	params.samples = 0;
	params.clock = SAMPLER_CPU;
	params.flags = flags;
	CHECK(!sampler_create(has_all_threads ? NULL : &self, &params, &builder, &p), "create");
	sampler_start(p);
	clock_run_to(100 * MS);
	sampler_destroy(p);
	check_sums(r, "all");
	return r->nr + r->summary.missed;
}

TEST(earlier_time_does_not_count)
{
	uint64_t nr = taken_and_missed(false, 0);

	CHECK(nr == 10, "%llu of one", (unsigned long long)nr);
}

TEST(earlier_time_of_new_threads_counts)
{
	uint64_t nr = taken_and_missed(false, SAMPLER_NEW_THREADS);

	CHECK(nr == 13, "%llu of one", (unsigned long long)nr);
}

TEST(all_threads_earlier_time_does_not_count)
{
	uint64_t nr = taken_and_missed(true, 0);

	CHECK(nr == 10, "%llu", (unsigned long long)nr);
}

/* 13.5 intervals, the first of which begins at a random time */
TEST(all_threads_earlier_time_of_new_threads_counts)
{
	uint64_t nr = taken_and_missed(true, SAMPLER_NEW_THREADS);

	CHECK(nr == 13 || nr == 14, "%llu", (unsigned long long)nr);
}

/* Threads that begin before the first listing are new, if the first one was alone at the start. */
TEST(all_threads_since_the_start)
{
	struct sampler_params params = SAMPLER_PARAMS;
	struct record *r = record_new();
	struct sampler_builder builder = record_builder(r);
	struct sampler_profiler *p = NULL;
	struct parked thread;
	size_t of_first = 0;

	fakes_begin();
	fake_cpu_time = used;
	params.initial_delay_ns = 9 * MS;
	params.interval_ns = 10 * MS;
	params.samples = 0;
	params.clock = SAMPLER_CPU;
	CHECK(!sampler_create(NULL, &params, &builder, &p), "create");
	sampler_start(p);
	parked_begin(&thread);
	clock_run_to(100 * MS);
	sampler_destroy(p);
	check_sums(r, "all");
	for (size_t i = 0; i < r->nr; i++)
		of_first += r->samples[i].tid == gettid();
	CHECK(of_first == 10 || of_first == 9, "%zu of 10 of the first one", of_first);
	CHECK(r->nr - of_first + r->summary.missed >= 13, "%zu and %llu missed", r->nr,
	      (unsigned long long)r->summary.missed);
	parked_end(&thread);
}

/* --- as many samples as are due, although signals are late --- */

#define TICK	(6 * MS)
#define WORK	(255 * MS)		/* 25.5 intervals */
#define RUNS	200

static uint64_t run_start;

/* So that an answer is taken soon after it. */
static uint64_t used_of_quarter(pid_t tid)
{
	(void)tid;
	return (clock_now() - run_start) / 4;
}

static size_t samples_of_work(void)
{
	struct sampler_params params = SAMPLER_PARAMS;
	struct record *r = record_new();
	struct sampler_builder builder = record_builder(r);
	struct sampler_profiler *p = NULL;
	size_t nr;

	params.interval_ns = 10 * MS;
	params.samples = 0;
	params.clock = SAMPLER_CPU;
	params.flags = SAMPLER_NEW_THREADS;
	CHECK(!sampler_create(NULL, &params, &builder, &p), "create");
	run_start = clock_now();
	fake_first_tick_ns = test_random() % TICK;
	sampler_start(p);
	clock_run_to(run_start + 4 * WORK);
	sampler_destroy(p);
	nr = r->weight;
	free(r);
	return nr;
}

/*
 * Those that are due in the last tick are never signaled: 0.3 of a profile, if its signals were not
 * ahead. The deviation of the mean is 0.03.
 */
TEST(signals_are_ahead_by_their_mean_delay)
{
	double mean = 0;

	if (threads_now() > 1)
		SKIP("a sanitizer has a thread of its own");
	fakes_begin();
	fake_tick_ns = TICK;
	fake_cpu_time = used_of_quarter;
	for (int i = 0; i < RUNS; i++)
		mean += (double)samples_of_work() / RUNS;
	CHECK(mean > 25.35 && mean < 25.65, "%.2f of 25.5", mean);
}

TEST_MAIN()

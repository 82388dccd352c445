// SPDX-License-Identifier: GPL-2.0-or-later
/* new_threads.c - CPU time before the first listing, as of a forked child [SM-13] */
#include "tests/tap.h"
#include "tests/unit/libsampler/parked.h"

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

TEST_MAIN()

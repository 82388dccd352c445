// SPDX-License-Identifier: GPL-2.0-or-later
/* sampling_thread.c - the sampling thread is started when it is needed, and ends when idle */
#include "tests/unit/libsampler/grid.h"

static bool thread_is_there(void)
{
	bool there;

	sampling_lock();
	there = sampling_is_started();
	sampling_unlock();
	return there;
}

TEST(idle_shutdown)
{
	struct sampler_profiler *p;

	begin();
	CHECK(!thread_is_there(), "before the first start");
	p = run_one(record_new());
	CHECK(thread_is_there(), "for a while");
	clock_run_to(59 * SECOND);
	CHECK(thread_is_there(), "nearly a minute");
	clock_run_to(62 * SECOND);
	CHECK(!thread_is_there(), "it has gone");
	sampler_destroy(p);
}

TEST(restart_after_idle_shutdown)
{
	struct record *r = record_new();
	struct sampler_profiler *p, *q;

	begin();
	p = run_one(record_new());
	clock_run_to(100 * SECOND);
	CHECK(!thread_is_there(), "it has gone");
	q = run_one(r);
	check_grid(r, 2, 100 * SECOND, 10 * MS);
	sampler_destroy(p);
	sampler_destroy(q);
}

TEST(stop_after_idle_shutdown)
{
	struct sampler_profiler *p;

	begin();
	p = run_one(record_new());
	clock_run_to(100 * SECOND);
	sampler_stop(p);
	CHECK(!sampler_join(p, NULL), "it is complete");
	CHECK(!thread_is_there(), "nobody came back for that");
	sampler_destroy(p);
}

TEST(start_before_and_after_the_thread_exists)
{
	struct sampler_profiler *early, *p, *late;

	begin();
	early = profiler_new(&self, record_new(), 0, 10 * MS, 2);
	p = run_one(record_new());
	late = run_one(record_new());
	CHECK(!sampler_start(early), "made before");
	clock_run_to(clock_now() + SECOND);
	CHECK(!sampler_join(early, NULL), "done");
	sampler_destroy(early);
	sampler_destroy(p);
	sampler_destroy(late);
}

static struct sampler_profiler *in_time;
static void start_it(void)
{
	CHECK(!sampler_start(in_time), "start");
}

/* The thread has been idle for a minute, and checks for jobs once more before it ends. */
TEST(shutdown_aborted_by_a_new_start)
{
	struct record *r = record_new();
	struct sampler_profiler *p;

	begin();
	p = run_one(record_new());
	in_time = profiler_new(&self, r, 0, 10 * MS, 5);
	clock_before_waiting_past(30 * SECOND, start_it);
	clock_run_to(100 * SECOND);
	CHECK(r->nr == 5 && r->completed == 1, "%zu", r->nr);
	sampler_destroy(p);
	sampler_destroy(in_time);
}

/* Starts, stops and ends of the thread, as fast as possible. */
static void *start_and_destroy(void *unused)
{
	struct sampler_thread me = thread_self();
	struct record *r = record_new();

	for (int i = 0; i < 60; i++) {
		uint64_t samples = i % 3 ? i % 3 : 1000;	/* destroyed before the end */
		struct sampler_profiler *p = profiler_new(&me, r, 0, 10 * MS, samples);

		CHECK(!sampler_start(p), "start");
		if (i % 3)
			CHECK(!sampler_join(p, NULL) && r->nr == samples, "%zu samples", r->nr);
		sampler_destroy(p);
		CHECK(r->completed == 1 && r->freed == 1 && r->nr <= samples, "complete and free");
		check_sums(r, "profile");
		record_reset(r);
	}
	return unused;
}

TEST(several_profiler_threads)
{
	pthread_t threads[4];

	begin();
	sampling_idle_ns = 1;		/* it ends at once when idle */
	clock_run_on();
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, start_and_destroy, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK(!fake_walkers && !fake_held, "%d %d", fake_walkers, fake_held);
}

TEST_MAIN()

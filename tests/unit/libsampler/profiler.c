// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profiler.c - profilers from creation to destruction, alone and several at a time, with a clock
 * that the test moves
 */
#include <errno.h>
#include "tests/unit/libsampler/grid.h"

TEST(basic)
{
	struct record *r = record_new();
	struct sampler_profiler *p;

	begin();
	p = profiler_new(&self, r, 5 * MS, 10 * MS, 3);
	CHECK(!sampler_start(p), "start");
	clock_run_to(SECOND);
	CHECK(!sampler_join(p, NULL), "join");
	check_grid(r, 3, 5 * MS, 10 * MS);
	CHECK(r->samples[0].tid == gettid() && r->samples[0].nr_frames == 1, "its sample");
	CHECK(r->summary.samples[SAMPLER_WHOLE] == 3, "status");
	CHECK(r->points == 3, "%zu points, the last one included", r->points);
	CHECK(r->completed == 1 && !r->freed, "complete");
	sampler_destroy(p);
	CHECK(r->freed == 1 && !fake_walkers && !fake_held, "all is freed");
}

TEST(duration_period_and_metadata_of_each_sample)
{
	struct record *r = record_new();
	struct sampler_profiler *p;

	begin();
	p = profiler_new(&self, r, 0, 10 * MS, 5);
	sampler_start(p);
	clock_run_to(SECOND);
	CHECK(r->summary.duration_ns == 50 * MS, "%llu",
	      (unsigned long long)r->summary.duration_ns);
	CHECK(r->summary.start_ns == clock_start && r->summary.period_ns == 10 * MS &&
	      r->summary.clock == SAMPLER_WALL, "the summary");
	CHECK(r->captures == 5, "%zu", r->captures);
	CHECK(r->summary.missed == 0, "none was missed");
	sampler_destroy(p);
}

TEST(stop_without_start)
{
	struct record *r = record_new();
	struct sampler_profiler *p;

	begin();
	p = profiler_new(&self, r, 0, 10 * MS, 5);
	sampler_stop(p);
	CHECK(!sampler_join(p, NULL), "nothing to wait for");
	CHECK(!sampler_start(p), "it can still be started");
	clock_run_to(SECOND);
	CHECK(r->nr == 5, "%zu", r->nr);
	sampler_destroy(p);

	r = record_new();
	sampler_destroy(profiler_new(&self, r, 0, 10 * MS, 5));
	CHECK(!r->completed && r->freed == 1, "never started, never complete");
}

TEST(stop_while_another_runs)
{
	struct record *first = record_new(), *second = record_new();
	struct sampler_profiler *p, *q;

	begin();
	p = profiler_new(&self, first, 0, 10 * MS, 0);
	q = profiler_new(&self, second, 0, 10 * MS, 0);
	sampler_start(p);
	sampler_start(q);
	clock_run_to(55 * MS);
	sampler_stop(p);
	CHECK(!sampler_join(p, NULL) && first->completed == 1, "stopped");
	clock_run_to(95 * MS);
	check_grid(first, 6, 0, 10 * MS);
	sampler_stop(q);
	sampler_stop(q);
	sampler_join(q, NULL);
	sampler_stop(q);
	check_grid(second, 10, 0, 10 * MS);
	sampler_destroy(p);
	sampler_destroy(q);
}

TEST(stop_in_the_initial_delay)
{
	struct record *r = record_new();
	struct sampler_profiler *p;

	begin();
	p = profiler_new(&self, r, 60 * SECOND, 10 * MS, 5);
	sampler_start(p);
	clock_run_to(SECOND);
	sampler_stop(p);
	sampler_join(p, NULL);
	CHECK(r->completed == 1 && r->nr == 0, "%zu samples", r->nr);
	CHECK(r->summary.duration_ns == 0, "%llu", (unsigned long long)r->summary.duration_ns);
	sampler_destroy(p);
}

TEST(stop_between_samples)
{
	struct record *r = record_new();
	struct sampler_profiler *p;

	begin();
	p = profiler_new(&self, r, 0, 10 * SECOND, 100);
	sampler_start(p);
	clock_run_to(14 * SECOND);
	CHECK(!r->completed, "not yet");
	sampler_stop(p);
	CHECK(!sampler_join(p, NULL) && r->completed == 1, "what there is");
	check_grid(r, 2, 0, 10 * SECOND);
	CHECK(r->points == 2, "%zu points", r->points);
	CHECK(r->summary.duration_ns == 20 * SECOND, "%llu",
	      (unsigned long long)r->summary.duration_ns);
	sampler_destroy(p);
}

TEST(destroy_while_profiling)
{
	struct record *r = record_new();
	struct sampler_profiler *p;

	begin();
	p = profiler_new(&self, r, 0, 10 * MS, 0);
	sampler_start(p);
	clock_run_to(35 * MS);
	sampler_destroy(p);
	CHECK(r->nr == 4 && r->completed == 1 && r->freed == 1, "%zu", r->nr);
	clock_run_to(SECOND);
	CHECK(r->nr == 4, "none since");
	CHECK(!fake_walkers && !fake_held, "all is freed");
}

/* While a sample is being taken. */
static struct sampler_profiler *to_stop;
static void stop_it(struct record *r)
{
	if (r->nr == 2)
		sampler_stop(to_stop);
}

TEST(stop_from_a_callback)
{
	struct record *r = record_new();

	begin();
	r->on_sample = stop_it;
	to_stop = profiler_new(&self, r, 0, 10 * MS, 0);
	sampler_start(to_stop);
	clock_run_to(SECOND);
	CHECK(r->nr == 2 && r->completed == 1, "%zu", r->nr);
	sampler_destroy(to_stop);
}

TEST(run_twice)
{
	begin();
	for (int i = 0; i < 2; i++) {
		struct record *r = record_new();
		struct sampler_profiler *p = profiler_new(&self, r, 0, 10 * MS, 3);
		uint64_t start = clock_now();

		CHECK(!sampler_start(p), "start");
		CHECK(sampler_start(p) == -EALREADY, "while it runs");
		clock_run_to(start + SECOND);
		CHECK(sampler_start(p) == -EALREADY, "after its end");
		check_grid(r, 3, start, 10 * MS);
		CHECK(r->completed == 1, "%zu", r->completed);
		sampler_destroy(p);
	}
}

TEST(second_start_while_first_waits)
{
	struct record *late = record_new(), *r = record_new();
	struct sampler_profiler *p, *q;

	begin();
	p = profiler_new(&self, late, 30 * SECOND, 10 * MS, 2);
	q = profiler_new(&self, r, 0, 10 * MS, 2);
	sampler_start(p);
	clock_run_to(SECOND);
	sampler_start(q);
	clock_run_to(2 * SECOND);
	check_grid(r, 2, SECOND, 10 * MS);
	CHECK(!sampler_join(q, NULL) && !late->nr, "the first still waits");
	clock_run_to(31 * SECOND);
	check_grid(late, 2, 30 * SECOND, 10 * MS);
	sampler_destroy(q);
	sampler_destroy(p);
}

TEST(concurrent_in_sync)
{
	struct record *a = record_new(), *b = record_new();
	struct sampler_profiler *p, *q;

	begin();
	p = profiler_new(&self, a, 10 * MS, MS, 9);
	q = profiler_new(&self, b, 11 * MS, MS, 8);
	sampler_start(p);
	sampler_start(q);
	clock_run_to(SECOND);
	check_grid(a, 9, 10 * MS, MS);
	check_grid(b, 8, 11 * MS, MS);
	CHECK(a->completed == 1 && b->completed == 1, "both");
	sampler_destroy(p);
	sampler_destroy(q);
}

TEST(concurrent_with_mixed_intervals)
{
	struct record *r[3];
	struct sampler_profiler *p[3];

	begin();
	for (unsigned int i = 0; i < 3; i++) {
		r[i] = record_new();
		p[i] = profiler_new(&self, r[i], (8 + i) * MS, (4 - i) * MS, 10);
	}
	for (int i = 0; i < 3; i++)
		sampler_start(p[i]);
	clock_run_to(SECOND);
	for (unsigned int i = 0; i < 3; i++) {
		check_grid(r[i], 10, (8 + i) * MS, (4 - i) * MS);
		sampler_destroy(p[i]);
	}
}

/* A slow sample makes the next one late; passed points are skipped. */
static void take_long(struct record *r)
{
	if (r->nr == 2)
		clock_pass(14 * MS);
	else if (r->nr == 3)
		clock_pass(4 * MS);
}

TEST(missed_samples_are_skipped)
{
	static const uint64_t at[] = { 0, 10, 30, 40, 50 };
	struct record *r = record_new();
	struct sampler_profiler *p;

	begin();
	r->on_sample = take_long;
	p = profiler_new(&self, r, 0, 10 * MS, 5);
	sampler_start(p);
	clock_run_to(SECOND);
	CHECK(r->nr == 5, "%zu", r->nr);
	for (size_t i = 0; i < r->nr; i++)
		CHECK(r->samples[i].time_ns == at[i] * MS, "%zu at %llu", i,
		      (unsigned long long)r->samples[i].time_ns);
	CHECK(r->summary.missed == 1, "%llu", (unsigned long long)r->summary.missed);
	CHECK(r->summary.duration_ns == 60 * MS, "%llu",
	      (unsigned long long)r->summary.duration_ns);
	sampler_destroy(p);
}

/* A slow builder only makes others late. */
static void take_three_intervals(struct record *r)
{
	(void)r;
	clock_pass(30 * MS);
}

TEST(a_slow_builder_and_a_quick_one)
{
	struct record *slow = record_new(), *quick = record_new();
	struct sampler_profiler *p, *q;

	begin();
	slow->on_sample = take_three_intervals;
	p = profiler_new(&self, slow, 0, 10 * MS, 10);
	q = profiler_new(&self, quick, 0, 10 * MS, 10);
	sampler_start(p);
	sampler_start(q);
	clock_run_to(SECOND);
	CHECK(slow->nr == 10 && quick->nr == 10, "%zu %zu", slow->nr, quick->nr);
	CHECK(quick->summary.missed > 0, "it was kept waiting");
	CHECK(quick->summary.duration_ns / (10 * MS) - 10 - quick->summary.missed < 3,
	      "all of its grid is accounted for");
	sampler_destroy(p);
	sampler_destroy(q);
}

TEST_MAIN()

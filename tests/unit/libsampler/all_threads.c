// SPDX-License-Identifier: GPL-2.0-or-later
/* all_threads.c - profiles of all threads while threads start and end [SM-15] */
#include "tests/tap.h"
#include "tests/unit/libsampler/parked.h"

/* A sanitizer may have threads, too, from our first one on: they are sampled like any other. */
static size_t begin_with_others(void)
{
	struct parked first;

	fakes_begin();
	parked_begin(&first);
	parked_end(&first);
	return threads_now() - 1;
}

TEST(all_threads)
{
	struct parked threads[5];
	struct record *r = record_new();
	size_t others;
	struct sampler_profiler *p;

	others = begin_with_others();
	for (int i = 0; i < 5; i++)
		parked_begin(&threads[i]);
	p = profiler_new(NULL, r, 0, 10 * MS, 20);
	sampler_start(p);
	clock_run_to(SECOND);
	CHECK(r->completed == 1 && r->nr == (6 + others) * 20, "%zu", r->nr);
	CHECK(samples_of(r, gettid()) == 20, "ours: %zu", samples_of(r, gettid()));
	for (int i = 0; i < 5; i++) {
		CHECK(samples_of(r, threads[i].token.tid) == 20, "thread %d", i);
		parked_end(&threads[i]);
	}
	CHECK(r->summary.duration_ns == 200 * MS, "%llu",
	      (unsigned long long)r->summary.duration_ns);
	check_sums(r, "profile");
	sampler_destroy(p);
}

/* A thread is sampled as long as it exists, and its end is not a sample. */
TEST(all_threads_64_start_and_end)
{
	struct parked threads[64];
	struct record *r = record_new();
	size_t others;
	struct sampler_profiler *p;

	others = begin_with_others();
	p = profiler_new(NULL, r, 0, 10 * MS, 0);
	sampler_start(p);
	clock_run_to(5 * MS);
	for (uint64_t i = 0; i < 64; i++) {	/* one more at each point */
		parked_begin(&threads[i]);
		clock_run_to((15 + 10 * i) * MS);
	}
	for (uint64_t i = 0; i < 64; i++) {	/* and one less */
		parked_end(&threads[i]);
		clock_run_to((655 + 10 * i) * MS);
	}
	sampler_destroy(p);
	CHECK(samples_of(r, gettid()) == 1 + 64 + 64, "ours: %zu", samples_of(r, gettid()));
	for (size_t i = 0; i < 64; i++)
		CHECK(samples_of(r, threads[i].token.tid) == 64, "thread %zu: %zu", i,
		      samples_of(r, threads[i].token.tid));
	CHECK(r->nr == 129 * (1 + others) + 64 * 64 &&
	      r->summary.samples[SAMPLER_WHOLE] == r->nr, "%zu", r->nr);
	check_sums(r, "profile");
}

/* It may end between the listing and the copy. */
static pid_t gone_tid;
static enum sampler_status one_is_gone(const struct copy_target *target)
{
	return target->thread.tid == gone_tid ? SAMPLER_GONE : SAMPLER_WHOLE;
}

TEST(all_threads_and_one_ends_before_its_turn)
{
	struct parked threads[3];
	struct record *r = record_new();
	size_t others;
	struct sampler_profiler *p;

	others = begin_with_others();
	for (int i = 0; i < 3; i++)
		parked_begin(&threads[i]);
	gone_tid = threads[1].token.tid;
	fake_copy = one_is_gone;
	p = profiler_new(NULL, r, 0, 10 * MS, 10);
	sampler_start(p);
	clock_run_to(SECOND);
	CHECK(r->nr == (3 + others) * 10 && !samples_of(r, gone_tid), "%zu", r->nr);
	CHECK(samples_of(r, threads[2].token.tid) == 10, "the others have their turns");
	sampler_destroy(p);
	for (int i = 0; i < 3; i++)
		parked_end(&threads[i]);
}

static void stop_in_the_middle(struct record *r);
static struct sampler_profiler *to_stop;

TEST(all_threads_stop_in_the_middle_of_a_point)
{
	struct parked threads[5];
	struct record *r = record_new();

	fakes_begin();
	for (int i = 0; i < 5; i++)
		parked_begin(&threads[i]);
	r->on_sample = stop_in_the_middle;
	to_stop = profiler_new(NULL, r, 0, 10 * MS, 0);
	sampler_start(to_stop);
	clock_run_to(SECOND);
	CHECK(r->nr == 8 && r->completed == 1, "%zu", r->nr);
	sampler_destroy(to_stop);
	for (int i = 0; i < 5; i++)
		parked_end(&threads[i]);
}

static void stop_in_the_middle(struct record *r)
{
	if (r->nr == 8)		/* 6 threads: the second of the second point */
		sampler_stop(to_stop);
}

TEST(all_threads_beside_one)
{
	struct parked thread;
	struct record *all = record_new(), *one = record_new();
	size_t others;
	struct sampler_profiler *p, *q;

	others = begin_with_others();
	parked_begin(&thread);
	p = profiler_new(NULL, all, 0, 10 * MS, 10);
	q = profiler_new(&thread.token, one, 5 * MS, 10 * MS, 10);
	sampler_start(p);
	sampler_start(q);
	clock_run_to(SECOND);
	CHECK(all->nr == (2 + others) * 10 && one->nr == 10, "%zu %zu", all->nr, one->nr);
	sampler_destroy(p);
	sampler_destroy(q);
	parked_end(&thread);
}

TEST_MAIN()

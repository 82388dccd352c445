// SPDX-License-Identifier: GPL-2.0-or-later
/* targets.c - single threads as targets: their identity, and missing answers */
#include "tests/tap.h"
#include "tests/unit/libsampler/parked.h"

/* --- tokens --- */

TEST(token_of_a_thread)
{
	struct sampler_thread self = thread_self(), same, t = { 0 };
	struct parked other;
	uintptr_t here = (uintptr_t)&other;

	CHECK(self.tid == gettid() && self.start_time, "who");
	CHECK(self.stack_low < here && here < self.stack_high, "our stack");
	CHECK(!sampler_thread_by_tid(gettid(), &same) && same.start_time == self.start_time,
	      "same");
	parked_begin(&other);
	CHECK(!sampler_thread_by_tid(other.token.tid, &t) && t.tid == other.token.tid &&
	      t.start_time == other.token.start_time, "another");
	parked_end(&other);
	t.tid = 77;
	CHECK(sampler_thread_by_tid(other.token.tid, &t) == -ESRCH && t.tid == 77, "gone");
	CHECK(sampler_thread_by_tid(0, &t) == -ESRCH && sampler_thread_by_tid(-1, &t) == -ESRCH &&
	      sampler_thread_by_tid(getppid(), &t) == -ESRCH, "no thread of ours");
}

/* A name with characters that look like its end in /proc. */
static void *with_odd_name(void *unused)
{
	struct sampler_thread self;

	pthread_setname_np(pthread_self(), "a) Z 1 2 (b) 3");
	CHECK(!sampler_thread_self(&self) && self.start_time > 3, "%llu",
	      (unsigned long long)self.start_time);
	return unused;
}

TEST(token_of_a_thread_with_an_unusual_name)
{
	pthread_t t;

	pthread_create(&t, NULL, with_odd_name, NULL);
	pthread_join(t, NULL);
}

/* --- one thread each --- */

TEST(several_target_threads)
{
	struct parked threads[3];
	struct record *r[3];
	struct sampler_profiler *p[3];

	fakes_begin();
	for (int i = 0; i < 3; i++) {
		parked_begin(&threads[i]);
		r[i] = record_new();
		p[i] = profiler_new(&threads[i].token, r[i], 0, 10 * MS, 4);
		sampler_start(p[i]);
	}
	clock_run_to(SECOND);
	for (int i = 0; i < 3; i++) {
		CHECK(r[i]->nr == 4 && samples_of(r[i], threads[i].token.tid) == 4, "%zu",
		      r[i]->nr);
		sampler_destroy(p[i]);
		parked_end(&threads[i]);
	}
}

TEST(a_thread_that_has_ended)
{
	struct parked thread;
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	parked_begin(&thread);
	p = profiler_new(&thread.token, r, 0, 10 * SECOND, 0);
	sampler_start(p);
	clock_run_to(11 * SECOND);
	CHECK(r->nr == 2, "%zu", r->nr);
	parked_end(&thread);
	clock_run_to(100 * SECOND);
	CHECK(!sampler_join(p, NULL), "it ends by itself");
	CHECK(r->nr == 3 && r->samples[2].status == SAMPLER_GONE && !r->samples[2].nr_frames,
	      "%zu", r->nr);
	check_sums(r, "its profile");
	sampler_destroy(p);
}

TEST(a_reused_id)
{
	struct sampler_thread before = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	before.start_time--;		/* as if it were another thread */
	p = profiler_new(&before, r, 0, 10 * MS, 10);
	sampler_start(p);
	clock_run_to(SECOND);
	CHECK(!sampler_join(p, NULL) && r->nr == 1 && r->samples[0].status == SAMPLER_GONE,
	      "%zu", r->nr);
	sampler_destroy(p);
}

TEST(no_answer_from_an_existing_thread)
{
	struct sampler_thread self = { .tid = gettid() };
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	fake_copy = copy_no_answer;
	p = profiler_new(&self, r, 0, 10 * MS, 5);
	sampler_start(p);
	clock_run_to(SECOND);
	CHECK(r->nr == 5 && r->summary.samples[SAMPLER_BLOCKED] == 5, "%zu", r->nr);
	sampler_destroy(p);
}

/* It ended after the request. */
static struct parked ends_early;
static enum sampler_status end_without_answer(const struct copy_target *target)
{
	(void)target;
	parked_end(&ends_early);
	return SAMPLER_BLOCKED;
}

TEST(no_answer_from_a_thread_that_has_ended)
{
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	parked_begin(&ends_early);
	fake_copy = end_without_answer;
	p = profiler_new(&ends_early.token, r, 0, 10 * MS, 5);
	sampler_start(p);
	clock_run_to(SECOND);
	CHECK(r->nr == 1 && r->samples[0].status == SAMPLER_GONE, "%zu", r->nr);
	sampler_destroy(p);
}

TEST(sleepers_are_spared_on_request)
{
	for (unsigned int flags = 0; flags < 2; flags++) {
		struct sampler_params params = SAMPLER_PARAMS;
		struct sampler_thread self = thread_self();
		struct sampler_builder builder = record_builder(record_new());
		struct sampler_profiler *p;

		fakes_begin();
		params.samples = 1;
		params.flags = flags ? SAMPLER_SPARE_SLEEPERS : 0;
		sampler_create(&self, &params, &builder, &p);
		sampler_start(p);
		clock_run_to(SECOND);
		sampler_destroy(p);
		CHECK(fake_copy_spares == !!flags, "flags %u", flags);
	}
}

TEST_MAIN()

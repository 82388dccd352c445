// SPDX-License-Identifier: GPL-2.0-or-later
/* cpu_time.c - samples by the CPU time that threads have used [SM-13] */
#include "tests/tap.h"
#include "tests/unit/libsampler/parked.h"

static struct sampler_profiler *cpu_profiler(const struct sampler_thread *target, struct record *r,
					     uint64_t samples)
{
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_builder builder = record_builder(r);
	struct sampler_profiler *p = NULL;

	params.interval_ns = 10 * MS;
	params.samples = samples;
	params.clock = SAMPLER_CPU;
	CHECK(!sampler_create(target, &params, &builder, &p), "create");
	return p;
}

/* Threads by how much of the time they work. */
static pid_t busy_tid, half_tid;

static uint64_t used_by(pid_t tid)
{
	if (tid == busy_tid)	/* a little less than an interval in each interval */
		return clock_now() / 1000 * 998;
	return tid == half_tid ? clock_now() / 2 : 5 * MS;
}

TEST(all_used_cpu_time_is_sampled)
{
	struct sampler_thread self = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	busy_tid = self.tid;
	fake_cpu_time = used_by;
	p = cpu_profiler(&self, r, 0);
	sampler_start(p);
	clock_run_to(10 * SECOND);
	sampler_destroy(p);
	CHECK(r->nr >= 997 && r->nr <= 998, "%zu samples for 9980 ms", r->nr);
	CHECK(r->summary.clock == SAMPLER_CPU, "the summary says so");
	CHECK(r->summary.duration_ns >= 10 * SECOND, "all of the time");
}

/* The sampling thread had to wait, the target did not: its time is samples and missed ones. */
static void wait_a_second(struct record *r)
{
	if (r->nr == 50)
		clock_pass(SECOND + 3 * MS);
}

TEST(missed_cpu_time)
{
	struct sampler_thread self = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	half_tid = self.tid;
	fake_cpu_time = used_by;
	r->on_sample = wait_a_second;
	p = cpu_profiler(&self, r, 0);
	sampler_start(p);
	clock_run_to(5 * SECOND + 1);
	sampler_destroy(p);
	CHECK(r->nr + r->summary.missed == 250, "%zu samples and %llu missed for 2500 ms", r->nr,
	      (unsigned long long)r->summary.missed);
	CHECK(r->summary.missed == 49, "%llu", (unsigned long long)r->summary.missed);
}

TEST(cpu_time_of_a_sleeper)
{
	struct sampler_thread self = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	fake_cpu_time = used_by;
	p = cpu_profiler(&self, r, 0);
	sampler_start(p);
	clock_run_to(10 * SECOND);
	sampler_destroy(p);
	CHECK(r->nr == 0 && r->completed == 1, "%zu", r->nr);
}

TEST(cpu_time_of_a_thread_that_works_half_the_time)
{
	struct sampler_thread self = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	half_tid = self.tid;
	fake_cpu_time = used_by;
	p = cpu_profiler(&self, r, 50);
	sampler_start(p);
	clock_run_to(10 * SECOND);
	CHECK(r->completed == 1 && r->nr == 50, "%zu", r->nr);
	CHECK(r->samples[0].time_ns == 20 * MS && r->samples[49].time_ns == SECOND, "when: %llu",
	      (unsigned long long)r->samples[49].time_ns);
	sampler_destroy(p);
}

/* The time of new threads counts from 0, that of older ones from the start; at random times. */
TEST(all_threads_by_cpu_time)
{
	struct parked thread;
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	half_tid = gettid();
	clock_run_to(SECOND);
	fake_cpu_time = used_by;
	p = cpu_profiler(NULL, r, 0);
	sampler_start(p);
	clock_run_to(SECOND + 15 * MS);
	CHECK(samples_of(r, half_tid) <= 1, "%zu samples of before", samples_of(r, half_tid));
	parked_begin(&thread);
	busy_tid = thread.token.tid;	/* more than a second by now */
	clock_run_to(SECOND + 105 * MS);
	sampler_destroy(p);
	CHECK(samples_of(r, gettid()) == 5 || samples_of(r, gettid()) == 6, "%zu of 5.25",
	      samples_of(r, gettid()));
	CHECK(samples_of(r, busy_tid) >= 8 && samples_of(r, busy_tid) <= 9,
	      "%zu: one, then one each", samples_of(r, busy_tid));
	parked_end(&thread);
}

TEST_MAIN()

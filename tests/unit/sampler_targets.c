// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sampler_targets.c - whom profilers sample, one thread or all that come and go, and what samples
 * are told by metadata and unwinders
 */
#include <errno.h>
#include <stdatomic.h>
#include "sampler_fakes.h"
#include "tap.h"

/* --- threads to be sampled: they do nothing --- */

struct parked {
	pthread_t thread;
	struct sampler_thread token;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool is_known, may_end;
};

static void *park(void *context)
{
	struct parked *p = context;

	pthread_mutex_lock(&p->mutex);
	p->token = thread_self();
	p->is_known = true;
	pthread_cond_broadcast(&p->cond);
	while (!p->may_end)
		pthread_cond_wait(&p->cond, &p->mutex);
	pthread_mutex_unlock(&p->mutex);
	return NULL;
}

static void parked_begin(struct parked *p)
{
	*p = (struct parked){ .mutex = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER };
	pthread_create(&p->thread, NULL, park, p);
	pthread_mutex_lock(&p->mutex);
	while (!p->is_known)
		pthread_cond_wait(&p->cond, &p->mutex);
	pthread_mutex_unlock(&p->mutex);
}

/* When this is back, the system knows nothing of it any more. */
static void parked_end(struct parked *p)
{
	struct sampler_thread t;

	pthread_mutex_lock(&p->mutex);
	p->may_end = true;
	pthread_cond_broadcast(&p->cond);
	pthread_mutex_unlock(&p->mutex);
	pthread_join(p->thread, NULL);
	while (sampler_thread_by_tid(p->token.tid, &t) != -ESRCH)
		usleep(100);
}

static size_t samples_of(const struct record *r, pid_t tid)
{
	size_t nr = 0;

	for (size_t i = 0; i < r->nr; i++)
		nr += r->samples[i].tid == tid;
	return nr;
}

/* --- tokens --- */

TEST(token_of_a_thread)
{
	struct sampler_thread self = thread_self(), same, t = { 0 };
	struct parked other;
	uintptr_t here = (uintptr_t)&other;

	CHECK(self.tid == gettid() && self.start_time, "who");
	CHECK(self.stack_low < here && here < self.stack_high, "our stack");
	CHECK(!sampler_thread_by_tid(gettid(), &same) && same.start_time == self.start_time, "same");
	parked_begin(&other);
	CHECK(!sampler_thread_by_tid(other.token.tid, &t) && t.tid == other.token.tid &&
	      t.start_time == other.token.start_time, "another");
	parked_end(&other);
	t.tid = 77;
	CHECK(sampler_thread_by_tid(other.token.tid, &t) == -ESRCH && t.tid == 77, "gone");
	CHECK(sampler_thread_by_tid(0, &t) == -ESRCH && sampler_thread_by_tid(-1, &t) == -ESRCH &&
	      sampler_thread_by_tid(getppid(), &t) == -ESRCH, "no thread of ours");
}

/* A name may hold what looks like the end of it. */
static void *with_odd_name(void *unused)
{
	struct sampler_thread self;

	pthread_setname_np(pthread_self(), "a) Z 1 2 (b) 3");
	CHECK(!sampler_thread_self(&self) && self.start_time > 3, "%llu",
	      (unsigned long long)self.start_time);
	return unused;
}

TEST(token_of_a_thread_with_an_odd_name)
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
		CHECK(r[i]->nr == 4 && samples_of(r[i], threads[i].token.tid) == 4, "%zu", r[i]->nr);
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

TEST(an_id_that_was_used_again)
{
	struct sampler_thread before = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	before.start_time--;		/* as if we were another one */
	p = profiler_new(&before, r, 0, 10 * MS, 10);
	sampler_start(p);
	clock_run_to(SECOND);
	CHECK(!sampler_join(p, NULL) && r->nr == 1 && r->samples[0].status == SAMPLER_GONE,
	      "%zu", r->nr);
	sampler_destroy(p);
}

static enum sampler_status no_answer(const struct copy_target *target)
{
	(void)target;
	return SAMPLER_BLOCKED;
}

TEST(no_answer_from_a_thread_that_is_there)
{
	struct sampler_thread self = { .tid = gettid() };
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	fake_copy = no_answer;
	p = profiler_new(&self, r, 0, 10 * MS, 5);
	sampler_start(p);
	clock_run_to(SECOND);
	CHECK(r->nr == 5 && r->summary.samples[SAMPLER_BLOCKED] == 5, "%zu", r->nr);
	sampler_destroy(p);
}

/* It ended after it was asked. */
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

TEST(sleepers_are_spared_where_asked_for)
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

/* --- CPU time [SM-13] --- */

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
	if (tid == busy_tid)	/* interrupted a little: never quite an interval in an interval */
		return clock_now() / 1000 * 998;
	return tid == half_tid ? clock_now() / 2 : 5 * MS;
}

TEST(cpu_time_used_is_cpu_time_sampled)
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

/* The sampling thread was kept waiting; the thread was not. Samples and missed ones are its time. */
static void wait_a_second(struct record *r)
{
	if (r->nr == 50)
		clock_pass(SECOND + 3 * MS);
}

TEST(cpu_time_that_was_missed)
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

/* --- all threads [SM-15] --- */

/* A sanitizer may have threads as well, from our first one on: they are sampled like any other. */
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

/* The thread is sampled as long as it is there, and nothing tells that it ended. */
TEST(all_threads_64_that_come_and_go)
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

/* A thread that came while we looked on has used its time under our eyes; who was there has not. */
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
	CHECK(r->nr == 0, "%zu samples of before", r->nr);
	parked_begin(&thread);
	busy_tid = thread.token.tid;	/* more than a second by now */
	clock_run_to(SECOND + 105 * MS);
	sampler_destroy(p);
	CHECK(samples_of(r, gettid()) == 5, "%zu", samples_of(r, gettid()));
	CHECK(samples_of(r, busy_tid) >= 8 && samples_of(r, busy_tid) <= 9, "%zu: one, then one each",
	      samples_of(r, busy_tid));
	parked_end(&thread);
}

/* --- metadata --- */

static void relabel(struct record *r)
{
	struct sampler_metadata item = { .name = "request", .value = (int64_t)r->nr };

	if (r->nr == 3)
		sampler_metadata_remove(&item);
	else
		sampler_metadata_set(&item);
}

TEST(labels_as_they_were_at_the_time)
{
	struct sampler_thread self = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	r->on_sample = relabel;
	p = profiler_new(&self, r, 0, 10 * MS, 5);
	sampler_start(p);
	clock_run_to(SECOND);
	CHECK(r->samples[0].nr_metadata == 0, "not yet");
	for (size_t i = 1; i < 5; i++) {
		CHECK(r->samples[i].nr_metadata == (i != 3), "%zu: %zu", i,
		      r->samples[i].nr_metadata);
		CHECK(i == 3 || r->samples[i].first.value == (int64_t)i, "%zu", i);
	}
	sampler_destroy(p);
}

TEST(labels_of_a_thread_are_on_its_samples)
{
	struct sampler_metadata item = { .name = "worker", .has_tid = true, .value = 5 };
	struct parked thread;
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	parked_begin(&thread);
	item.tid = thread.token.tid;
	sampler_metadata_set(&item);
	p = profiler_new(NULL, r, 0, 10 * MS, 5);
	sampler_start(p);
	clock_run_to(SECOND);
	for (size_t i = 0; i < r->nr; i++)
		CHECK(r->samples[i].nr_metadata == (r->samples[i].tid == item.tid), "%zu", i);
	sampler_destroy(p);
	parked_end(&thread);
}

TEST(labels_of_samples_without_frames)
{
	struct sampler_metadata item = { .name = "phase", .value = 5 };
	struct sampler_thread self = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	fake_copy = no_answer;
	sampler_metadata_set(&item);
	p = profiler_new(&self, r, 0, 10 * MS, 1);
	sampler_start(p);
	clock_run_to(SECOND);
	CHECK(r->samples[0].nr_metadata == 1 && !r->captures, "%zu", r->samples[0].nr_metadata);
	sampler_destroy(p);
}

TEST(labels_that_found_no_room)
{
	struct sampler_metadata item = { .name = "key", .has_key = true };
	struct sampler_thread self = thread_self();
	struct record *r = record_new();
	struct sampler_profiler *p;

	fakes_begin();
	for (item.key = 0; item.key < SAMPLER_METADATA_MAX + 1; item.key++)
		sampler_metadata_set(&item);
	p = profiler_new(&self, r, 0, 10 * MS, 5);
	sampler_start(p);
	for (; item.key < SAMPLER_METADATA_MAX + 4; item.key++)
		sampler_metadata_set(&item);
	clock_run_to(SECOND);
	CHECK(r->samples[0].nr_metadata == SAMPLER_METADATA_MAX, "%zu", r->samples[0].nr_metadata);
	CHECK(r->summary.metadata_lost == 3, "%llu while it ran",
	      (unsigned long long)r->summary.metadata_lost);
	sampler_destroy(p);
}

static int apply_past(uint64_t from, uint64_t to)
{
	char name[] = "slow";
	struct sampler_metadata item = { .name = name, .value = 9 };
	int err = sampler_metadata_apply_past(&item, clock_start + from, clock_start + to);

	memset(name, 'x', sizeof(name) - 1);
	return err;
}

TEST(labels_for_the_past)
{
	struct sampler_thread self = thread_self();
	struct record *old = record_new(), *r = record_new(), *waiting = record_new();
	struct sampler_profiler *p, *q, *w;

	fakes_begin();
	clock_run_to(SECOND);
	CHECK(!apply_past(0, SECOND), "nobody is there: nothing to do");
	p = profiler_new(&self, old, 0, 10 * MS, 0);
	q = profiler_new(&self, r, 100 * MS, 10 * MS, 0);
	w = profiler_new(&self, waiting, 100 * SECOND, 10 * MS, 0);
	sampler_start(p);
	sampler_start(q);
	sampler_start(w);
	clock_run_to(SECOND + 205 * MS);
	CHECK(!apply_past(SECOND + 30 * MS, SECOND + 150 * MS), "from when one had not begun");
	clock_run_to(SECOND + 206 * MS);
	CHECK(old->nr_past == 1 && !r->nr_past && !waiting->nr_past, "the one that had");
	CHECK(old->past_from == clock_start + SECOND + 30 * MS &&
	      old->past_to == clock_start + SECOND + 150 * MS && !strcmp(old->past.name, "slow") &&
	      old->past.value == 9, "what was said");
	CHECK(old->samples_before_past == old->nr && old->nr == 21, "behind its samples");
	apply_past(SECOND + 100 * MS, SECOND + 150 * MS);
	clock_run_to(SECOND + 207 * MS);
	CHECK(old->nr_past == 2 && r->nr_past == 1, "both");
	CHECK(apply_past(SECOND, 2 * SECOND) == -EINVAL, "the future");
	CHECK(apply_past(SECOND, SECOND / 2) == -EINVAL, "backwards");
	sampler_destroy(p);
	sampler_destroy(q);
	sampler_destroy(w);
}

/* --- unwinders of the program --- */

struct unwinder {
	_Atomic int captures, freed;
};

static void unwinder_capture(void *context, void *unused)
{
	struct unwinder *u = context;

	(void)unused;
	u->captures++;
}

static void unwinder_free(void *context)
{
	struct unwinder *u = context;

	u->freed++;
}

static bool can_unwind(void *unused, const struct sampler_frame *from)
{
	(void)unused, (void)from;
	return false;
}

static enum sampler_unwound unwind(void *unused, void *state, struct sampler_registers *regs,
				   const struct sampler_stack *stack, struct sampler_frames *frames)
{
	(void)unused, (void)state, (void)regs, (void)stack, (void)frames;
	return SAMPLER_UNRECOGNIZED;
}

static const struct sampler_unwinder_ops unwinder_ops = {
	.size = sizeof(unwinder_ops), .capture = unwinder_capture, .can_unwind = can_unwind,
	.unwind = unwind, .free = unwinder_free,
};

static struct sampler_profiler *start_with(struct record *r, struct unwinder *u, size_t nr)
{
	struct sampler_thread self = thread_self();
	struct sampler_profiler *p;

	fakes_begin();
	p = profiler_new(&self, r, 0, 10 * MS, 0);
	for (size_t i = 0; i < nr; i++)
		CHECK(!sampler_add_unwinder(p, &unwinder_ops, &u[i]), "%zu", i);
	sampler_start(p);
	return p;
}

TEST(unwinder_added_before_the_start)
{
	struct record *r = record_new();
	struct unwinder u = { 0 };
	struct sampler_profiler *p = start_with(r, &u, 1);

	clock_run_to(25 * MS);
	sampler_stop(p);
	sampler_join(p, NULL);
	CHECK(r->nr == 3 && u.captures == 3 && r->samples[0].nr_frames == 2, "all samples");
	CHECK(!u.freed, "not yet");
	sampler_destroy(p);
	CHECK(u.freed == 1, "%d", u.freed);
}

TEST(unwinder_added_after_the_start)
{
	struct record *r = record_new();
	struct unwinder u = { 0 };
	struct sampler_profiler *p = start_with(r, NULL, 0);

	clock_run_to(25 * MS);
	CHECK(!sampler_add_unwinder(p, &unwinder_ops, &u), "add");
	clock_run_to(45 * MS);
	sampler_destroy(p);
	CHECK(r->nr == 5 && u.captures == 2, "samples from then on: %d", u.captures);
	CHECK(r->samples[2].nr_frames == 1 && r->samples[3].nr_frames == 2, "frames");
	CHECK(u.freed == 1, "%d", u.freed);
}

TEST(unwinder_added_after_the_stop)
{
	struct record *r = record_new();
	struct unwinder u = { 0 };
	struct sampler_profiler *p = start_with(r, NULL, 0);

	clock_run_to(25 * MS);
	sampler_stop(p);
	sampler_join(p, NULL);
	CHECK(!sampler_add_unwinder(p, &unwinder_ops, &u), "no harm");
	clock_run_to(SECOND);
	sampler_destroy(p);
	CHECK(r->nr == 3 && !u.captures && u.freed == 1, "%zu", r->nr);
}

TEST(unwinders_are_eight_at_most)
{
	struct sampler_unwinder_ops bad = unwinder_ops;
	struct unwinder u[WALK_UNWINDERS_MAX] = { 0 };
	struct record *r = record_new();
	struct sampler_profiler *p = start_with(r, u, WALK_UNWINDERS_MAX);

	CHECK(sampler_add_unwinder(p, &unwinder_ops, &u[0]) == -ENOSPC, "one too many");
	bad.unwind = NULL;
	CHECK(sampler_add_unwinder(p, &bad, &u[0]) == -EINVAL, "cannot unwind");
	bad.size = 1;
	CHECK(sampler_add_unwinder(p, &bad, &u[0]) == -EINVAL, "no version");
	clock_run_to(5 * MS);
	sampler_destroy(p);
	CHECK(r->samples[0].nr_frames == 1 + WALK_UNWINDERS_MAX, "all of them: %zu",
	      r->samples[0].nr_frames);
	for (size_t i = 0; i < WALK_UNWINDERS_MAX; i++)
		CHECK(u[i].captures == 1 && u[i].freed == 1, "%zu", i);
}

TEST_MAIN()

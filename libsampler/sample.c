// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample.c - samples of threads: ask for copies, take the answers, unwind, pass them to the builder
 *
 * Nothing waits for an answer: all threads are asked at once, or a timer of their CPU time asks
 * them, and what has been answered is taken when the bell rings. An answer that comes late stands
 * for all the intervals since it was asked for. [SM-31]
 *
 * All memory is allocated before a thread is stopped.
 */
#include <stdlib.h>
#include <time.h>
#include "libsampler/copy/copy.h"
#include "libsampler/profiler.h"

#define CHECK_NS	1000000000ull	/* between two checks that a thread is still the same */
#define DELAYS_ASSUMED	8		/* of half a tick, before any are known */
#define HOOKS_MAX	(1 + WALK_UNWINDERS_MAX)

/* State at the time of the copy, taken in the handler. */
struct capture {
	const struct sampler_profiler *profiler;
	pid_t tid;
	struct metadata_snapshot metadata;
};

/* What the handler in a target works with. */
struct sampling_work {
	struct stack_buffer buffer;
	struct copy_hook hooks[HOOKS_MAX];
	size_t nr_hooks;
	struct walk_states states;
	struct capture capture;
};

/* The sampling thread's own: for threads that are read without a signal, and for frames. */
static struct sampling_work own;
static struct sampler_frame own_frames[SAMPLING_FRAMES_MAX];

int sample_prepare(void)
{
	return stack_buffer_init(&own.buffer, 0);
}

void sample_release(void)
{
	stack_buffer_free(&own.buffer);
}

void sample_trim(void)
{
	stack_buffer_trim(&own.buffer, true);
}

/* --- what the handler works with --- */

IN_HANDLER static void take_capture(void *context)
{
	struct capture *c = context;

	metadata_take(c->tid, &c->metadata);
	if (c->profiler->builder_ops.capture)
		c->profiler->builder_ops.capture(c->profiler->builder);
}

static void add_new_unwinders(struct sampler_profiler *p)
{
	size_t nr;

	sampling_lock();
	nr = p->nr_unwinders;
	sampling_unlock();
	while (p->nr_known_unwinders < nr) {
		struct added_unwinder *u = &p->unwinders[p->nr_known_unwinders++];

		if (walker_add(p->walker, &u->ops, u->context) && u->ops.free)
			u->ops.free(u->context);
	}
}

static void fill_work(struct sampler_profiler *p, struct sampling_work *w, pid_t tid)
{
	add_new_unwinders(p);
	w->capture.profiler = p;
	w->capture.tid = tid;
	w->hooks[0] = (struct copy_hook){ take_capture, &w->capture };
	w->nr_hooks = 1 + walker_prepare(p->walker, &w->states, w->hooks + 1, HOOKS_MAX - 1);
}

/* A small buffer is better than none, where the address space is limited. */
static struct sampling_work *work_new(void)
{
	struct sampling_work *w = calloc(1, sizeof(*w));

	if (w && stack_buffer_init(&w->buffer, 0) && stack_buffer_init(&w->buffer, 256 << 10)) {
		free(w);
		return NULL;
	}
	return w;
}

static bool make_work(struct sampler_profiler *p, struct sampling_target *t)
{
	if (!t->work)
		t->work = work_new();
	if (!t->work)
		return false;
	fill_work(p, t->work, t->copy.thread.tid);
	return true;
}

static struct copy_order order_of(const struct sampling_target *t)
{
	return (struct copy_order){ &t->work->buffer, t->work->hooks, t->work->nr_hooks };
}

/* --- passing samples on --- */

static void pass_to_builder(struct sampler_profiler *p, const struct sampler_sample *sample)
{
	p->summary.samples[sample->status] += sample->weight;
	p->point_has_sample = true;
	if (p->builder_ops.sample)
		p->builder_ops.sample(p->builder, sample);
}

static void deliver(struct sampler_profiler *p, const struct sampling_target *t,
		    struct sampling_work *w, const struct stack_copy *copy, uint64_t weight)
{
	struct sampler_frames frames = { .frames = own_frames, .room = SAMPLING_FRAMES_MAX };
	struct sampler_sample sample = {
		.frames = own_frames, .status = copy->status, .time_ns = copy->time_ns,
		.tid = t->copy.thread.tid, .weight = weight,
	};

	if (copy->status < SAMPLER_BLOCKED) {
		modules_update();
		sample.status = walker_walk(p->walker, &w->states, copy, &frames);
	} else {
		metadata_take(sample.tid, &w->capture.metadata);
	}
	if (copy->still_ns)
		still_add(&p->still, copy->still_ns);
	sample.nr_frames = frames.nr;
	sample.metadata = w->capture.metadata.items;
	sample.nr_metadata = w->capture.metadata.nr;
	pass_to_builder(p, &sample);
}

static void deliver_none(struct sampler_profiler *p, const struct sampling_target *t,
			 enum sampler_status status, uint64_t weight)
{
	const struct stack_copy none = { .status = status, .time_ns = sampling_clock->now() };

	deliver(p, t, &own, &none, weight);
}

/* --- asking --- */

/* False: the thread has ended. */
static bool deliver_refusal(struct sampler_profiler *p, struct sampling_target *t,
			    const struct stack_copy *copy)
{
	enum sampler_status status = copy->status;

	t->weight = 0;
	if (status == SAMPLER_BLOCKED && thread_is_gone(&t->copy.thread))
		status = SAMPLER_GONE;
	/* in a whole process the end of a thread is not a sample [SM-15] */
	if (status != SAMPLER_GONE || !p->has_all_threads)
		deliver_none(p, t, status, 1);
	return status != SAMPLER_GONE;
}

static bool read_sleeper(struct sampler_profiler *p, struct sampling_target *t)
{
	struct stack_copy copy;

	if (!(p->params.flags & SAMPLER_SPARE_SLEEPERS) ||
	    !copy_blocked(&t->copy, &own.buffer, &copy))
		return false;
	fill_work(p, &own, t->copy.thread.tid);
	for (size_t i = 0; i < own.nr_hooks; i++)
		own.hooks[i].run(own.hooks[i].context);
	deliver(p, t, &own, &copy, 1);
	walk_states_free(&own.states);
	stack_buffer_trim(&own.buffer, false);
	return true;
}

/* False: the thread has ended. */
static bool ask(struct sampler_profiler *p, struct sampling_target *t)
{
	struct copy_order order;
	struct stack_copy copy;

	if (read_sleeper(p, t))
		return true;
	if (!make_work(p, t)) {
		deliver_none(p, t, SAMPLER_FAILED, 1);
		return true;
	}
	order = order_of(t);
	if (copy_ask(&t->copy, &order, &copy))
		return deliver_refusal(p, t, &copy);
	t->weight = 1;
	p->point_has_sample = true;
	sample_collect(p, t);
	return true;
}

/*
 * The thread was asked before and has not answered. If it blocks the signal, what it does when it
 * answers is not what it did meanwhile. @weight: intervals since.
 */
static bool wait_on(struct sampler_profiler *p, struct sampling_target *t, uint64_t weight)
{
	enum copy_reach reach = copy_reach(&t->copy);

	p->point_has_sample = true;
	if (reach == COPY_IS_BLOCKED && copy_withdraw(&t->copy)) {
		deliver_none(p, t, SAMPLER_BLOCKED, t->weight);
		t->weight = 0;
	}
	sample_collect(p, t);
	if (!t->weight)
		return false;
	t->weight += weight;
	return true;
}

/* --- by CPU time [SM-13] --- */

static uint64_t intervals_used(const struct sampling_target *t, uint64_t interval, uint64_t used)
{
	return used < t->cpu_due ? 0 : (used - t->cpu_due) / interval + 1;
}

/* The kernel looks at timers of CPU time once in a tick. */
static uint64_t tick_ns(void)
{
	static uint64_t tick;
	struct timespec t;

	if (!tick)
		tick = clock_getres(CLOCK_MONOTONIC_COARSE, &t) ? UINT64_MAX
		     : (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return tick;
}

static bool has_timers(const struct sampler_profiler *p)
{
	return p->params.interval_ns >= tick_ns();
}

static void expect(struct sampler_profiler *p, struct sampling_target *t)
{
	struct copy_order order;

	fill_work(p, t->work, t->copy.thread.tid);
	order = order_of(t);
	copy_expect(&t->copy, &order, t->cpu_due);
}

/*
 * The signal comes at the next tick at which the thread runs, and one that is due after a thread's
 * last tick never comes. So a new thread's timer is ahead by the time that signals are late on
 * average, which is half a tick or, on a busy machine, more: then as many come as are due.
 */
static uint64_t mean_delay(const struct sampler_profiler *p)
{
	return (p->delay_ns + DELAYS_ASSUMED * tick_ns() / 2) / (p->nr_delays + DELAYS_ASSUMED);
}

/*
 * What is due already comes at the next tick, too, not at once: else a thread that works for less
 * than a tick, and sleeps, would have more samples than are due.
 */
static uint64_t first_signal(const struct sampling_target *t, uint64_t cpu_due, uint64_t used)
{
	return t->is_new && cpu_due <= used ? used + 1 : cpu_due;
}

static bool start_timer(struct sampler_profiler *p, struct sampling_target *t, uint64_t used)
{
	uint64_t ahead = t->is_new ? mean_delay(p) : 0;
	struct copy_order order;

	if (ahead >= t->cpu_due)
		ahead = t->cpu_due - 1;
	t->has_no_timer = t->has_no_timer || !make_work(p, t);
	if (t->has_no_timer)
		return false;
	order = order_of(t);
	t->has_timer = !copy_start_timer(&t->copy, &order,
					 first_signal(t, t->cpu_due - ahead, used),
					 p->params.interval_ns);
	t->has_no_timer = !t->has_timer;
	if (!t->has_timer)
		return false;
	t->cpu_due -= ahead;
	t->ahead_ns = ahead;
	return true;
}

/* When more is known of delays, and after the first sample, for which there may be no time. */
static bool adjust_timer(struct sampler_profiler *p, struct sampling_target *t)
{
	uint64_t ahead = mean_delay(p), step = tick_ns() / 8, used;
	struct copy_order order;

	if (!t->is_new || (ahead < t->ahead_ns + step && t->ahead_ns < ahead + step) ||
	    sampling_clock->cpu_time(t->copy.thread.tid, &used))
		return false;
	t->cpu_due += t->ahead_ns - ahead;
	t->ahead_ns = ahead;
	fill_work(p, t->work, t->copy.thread.tid);
	order = order_of(t);
	return !copy_start_timer(&t->copy, &order, first_signal(t, t->cpu_due, used),
				 p->params.interval_ns);
}

/*
 * Its timer has signaled it some time ago, so it blocks the signal, or is in a long system call,
 * which the answer will show.
 */
static void check_timer(struct sampler_profiler *p, struct sampling_target *t, uint64_t used)
{
	uint64_t n = intervals_used(t, p->params.interval_ns, used);

	if (n < 2 || copy_reach(&t->copy) != COPY_IS_BLOCKED || !copy_withdraw(&t->copy))
		return;
	deliver_none(p, t, SAMPLER_BLOCKED, n);
	t->cpu_due += n * p->params.interval_ns;
	expect(p, t);
}

/* Whole intervals that it used before it was asked are missed. */
static bool ask_by_cpu_time(struct sampler_profiler *p, struct sampling_target *t, uint64_t used)
{
	uint64_t n = intervals_used(t, p->params.interval_ns, used);

	if (!n)
		return true;
	t->cpu_due += n * p->params.interval_ns;
	if (t->weight && wait_on(p, t, n))
		return true;
	p->summary.missed += n - 1;
	return ask(p, t);
}

static bool sample_cpu_time(struct sampler_profiler *p, struct sampling_target *t)
{
	uint64_t used, interval = p->params.interval_ns;

	if (sampling_clock->cpu_time(t->copy.thread.tid, &used)) {
		copy_withdraw(&t->copy);
		sample_collect(p, t);
		return ask(p, t);	/* it has ended, which that finds out */
	}
	if (!t->cpu_due)
		t->cpu_due = used + interval;
	if (!has_timers(p) || t->has_no_timer)
		return ask_by_cpu_time(p, t, used);
	if (t->has_timer)
		check_timer(p, t, used);
	else if (used + interval > t->cpu_due && !start_timer(p, t, used))
		return ask_by_cpu_time(p, t, used);
	return true;
}

/* --- at each point of the grid, and between --- */

static bool is_gone(struct sampling_target *t, uint64_t now)
{
	struct thread_state state;

	if (t->checked_at && now - t->checked_at < CHECK_NS)
		return false;
	t->checked_at = now;
	if (!t->copy.thread.start_time && !thread_read_state(t->copy.thread.tid, &state))
		t->copy.thread.start_time = state.start_time;
	return thread_is_gone(&t->copy.thread);
}

bool sample_take(struct sampler_profiler *p, struct sampling_target *t)
{
	const struct stack_copy gone = { .status = SAMPLER_GONE };

	sample_collect(p, t);
	if (is_gone(t, sampling_clock->now()))
		return deliver_refusal(p, t, &gone);
	if (p->params.clock == SAMPLER_CPU)
		return sample_cpu_time(p, t);
	return (t->weight && wait_on(p, t, 1)) || ask(p, t);
}

/* A timer's request: what it used since while the answer was not taken is missed. */
static void expect_next(struct sampler_profiler *p, struct sampling_target *t)
{
	uint64_t used, n;

	if (sampling_clock->cpu_time(t->copy.thread.tid, &used))
		return;
	n = intervals_used(t, p->params.interval_ns, used);
	p->summary.missed += n;
	t->cpu_due += n * p->params.interval_ns;
	expect(p, t);
}

/* Of an answer to a timer's signal. How late it is, is noted. */
static uint64_t weight_of(struct sampler_profiler *p, const struct sampling_target *t,
			  uint64_t cpu_ns)
{
	uint64_t interval = p->params.interval_ns, nr;

	if (cpu_ns < t->cpu_due)
		return 0;
	p->delay_ns += schedule_delays(cpu_ns - t->cpu_due, interval, &nr);
	p->nr_delays += nr;
	return intervals_used(t, interval, cpu_ns);
}

bool sample_collect(struct sampler_profiler *p, struct sampling_target *t)
{
	struct stack_copy copy;
	uint64_t weight = t->weight;

	if (!copy_take(&t->copy, &copy))
		return false;
	if (t->has_timer)
		weight = weight_of(p, t, copy.cpu_ns);
	t->weight = 0;
	if (weight)
		deliver(p, t, t->work, &copy, weight);
	stack_buffer_trim(&t->work->buffer, false);
	if (t->has_timer) {
		t->cpu_due += weight * p->params.interval_ns;
		t->has_timer = !p->is_draining;
	}
	if (t->has_timer && !adjust_timer(p, t))
		expect_next(p, t);
	return true;
}

/* The intervals that an open request would stand for if it was answered now, not ahead. */
static uint64_t weight_due(struct sampler_profiler *p, const struct sampling_target *t)
{
	uint64_t used;

	if (!t->has_timer)
		return t->weight;
	if (sampling_clock->cpu_time(t->copy.thread.tid, &used))
		return 0;
	return used < t->ahead_ns ? 0 : intervals_used(t, p->params.interval_ns,
						       used - t->ahead_ns);
}

bool sample_drain(struct sampler_profiler *p, struct sampling_target *t, bool is_over)
{
	uint64_t weight;
	enum copy_reach reach;

	sample_collect(p, t);
	weight = weight_due(p, t);
	if (!weight) {
		t->has_timer = false;
		copy_withdraw(&t->copy);
		return true;
	}
	reach = copy_reach(&t->copy);
	/* of a timer that has not signaled yet, because the next tick is still to come */
	if (t->has_timer && reach == COPY_IS_OPEN)
		is_over = true;
	if (!is_over && (reach == COPY_IS_PENDING || reach == COPY_IS_OPEN))
		return false;
	if (!copy_withdraw(&t->copy)) {
		sample_collect(p, t);
		return true;
	}
	if (reach == COPY_IS_BLOCKED)
		deliver_none(p, t, SAMPLER_BLOCKED, weight);
	else if (t->has_timer && reach == COPY_IS_OPEN)
		p->summary.missed += weight;
	else if (reach != COPY_IS_GONE)
		deliver_none(p, t, SAMPLER_NOT_RUN, weight);
	t->weight = 0;
	t->has_timer = false;
	return true;
}

bool sample_is_open(const struct sampling_target *t)
{
	return t->weight || t->has_timer;
}

void sample_end(struct sampler_profiler *p, struct sampling_target *t)
{
	if (p)
		sample_collect(p, t);
	copy_release(&t->copy);
	if (!t->work)
		return;
	stack_buffer_free(&t->work->buffer);
	walk_states_free(&t->work->states);
	free(t->work);
	t->work = NULL;
}

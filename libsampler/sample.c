// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sample.c - take one sample of one thread: copy, unwind, and pass it to the builder
 *
 * All memory is allocated before the thread is stopped.
 */
#include <stdlib.h>
#include "libsampler/copy/copy.h"
#include "libsampler/profiler.h"

#define CHECK_NS	1000000000ull	/* between two checks that a thread is still the same */
#define HOOKS_MAX	(1 + WALK_UNWINDERS_MAX)

/* The one sampling thread takes one sample at a time. */
static struct {
	struct stack_buffer buffer;
	struct sampler_frame frames[SAMPLING_FRAMES_MAX];
	struct copy_hook hooks[HOOKS_MAX];
	struct stack_copy copy;
} work;

/* State at the time of the copy, taken in the handler. */
struct capture {
	const struct sampler_profiler *profiler;
	pid_t tid;
	bool is_taken;
	struct metadata_snapshot metadata;
};

int sample_prepare(void)
{
	return stack_buffer_init(&work.buffer, 0);
}

void sample_release(void)
{
	stack_buffer_free(&work.buffer);
}

IN_HANDLER static void take_capture(void *context)
{
	struct capture *c = context;

	metadata_take(c->tid, &c->metadata);
	if (c->profiler->builder_ops.capture)
		c->profiler->builder_ops.capture(c->profiler->builder);
	c->is_taken = true;
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

static enum sampler_status copy_and_walk(struct sampler_profiler *p, struct copy_target *target,
					 struct capture *capture, struct sampler_frames *frames)
{
	struct stack_copy *copy = &work.copy;
	size_t nr_hooks = 1;

	add_new_unwinders(p);
	work.hooks[0] = (struct copy_hook){ take_capture, capture };
	nr_hooks += walker_prepare(p->walker, work.hooks + 1, HOOKS_MAX - 1);
	copy_stack(target, &work.buffer, p->params.flags & SAMPLER_SPARE_SLEEPERS, work.hooks,
		   nr_hooks, copy);
	if (copy->status >= SAMPLER_BLOCKED)
		return copy->status;
	modules_update();
	return walker_walk(p->walker, copy, frames);
}

/* A thread that has ended may only seem not to answer. */
static enum sampler_status copy_thread(struct sampler_profiler *p, struct sampling_target *t,
				       struct capture *capture, struct sampler_frames *frames)
{
	enum sampler_status status = copy_and_walk(p, &t->copy, capture, frames);

	if (status == SAMPLER_BLOCKED && thread_is_gone(&t->copy.thread))
		return SAMPLER_GONE;
	return status;
}

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

/* [SM-13] The rest of an interval counts for the next sample; whole intervals are missed ones. */
static bool has_used_cpu(struct sampling_target *t, uint64_t interval, uint64_t *missed)
{
	uint64_t used;

	if (sampling_clock->cpu_time(t->copy.thread.tid, &used))
		return true;	/* it has ended, which the copy finds out */
	if (!t->cpu_due)
		t->cpu_due = used + interval;
	if (used < t->cpu_due)
		return false;
	*missed += (used - t->cpu_due) / interval;
	t->cpu_due += ((used - t->cpu_due) / interval + 1) * interval;
	return true;
}

static void pass_to_builder(struct sampler_profiler *p, const struct sampler_sample *sample)
{
	p->summary.samples[sample->status]++;
	p->point_has_sample = true;
	if (p->builder_ops.sample)
		p->builder_ops.sample(p->builder, sample);
}

bool sample_take(struct sampler_profiler *p, struct sampling_target *t)
{
	struct capture capture = { .profiler = p, .tid = t->copy.thread.tid };
	struct sampler_frames frames = { .frames = work.frames, .room = SAMPLING_FRAMES_MAX };
	uint64_t now = sampling_clock->now();
	struct sampler_sample sample = { .frames = work.frames, .tid = t->copy.thread.tid };

	sample.status = SAMPLER_GONE;
	work.copy.time_ns = 0;
	if (!is_gone(t, now)) {
		if (p->params.clock == SAMPLER_CPU &&
		    !has_used_cpu(t, p->params.interval_ns, &p->summary.missed))
			return true;
		sample.status = copy_thread(p, t, &capture, &frames);
	}
	/* in a whole process the end of a thread is not a sample [SM-15] */
	if (sample.status == SAMPLER_GONE && p->has_all_threads)
		return false;
	if (!capture.is_taken)
		metadata_take(sample.tid, &capture.metadata);
	sample.nr_frames = frames.nr;
	sample.time_ns = work.copy.time_ns ? work.copy.time_ns : now;
	sample.metadata = capture.metadata.items;
	sample.nr_metadata = capture.metadata.nr;
	pass_to_builder(p, &sample);
	return sample.status != SAMPLER_GONE;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profiler.c - create, start, stop, join and destroy profilers
 *
 * Between start and end a profiler belongs to the sampling thread, as a job that runs at each point
 * of its grid: one thread of the process in each run, so that other jobs need not wait.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libsampler/profiler.h"

#define INTERVAL_MIN	100000
#define TIME_MAX	(UINT64_MAX / 4)	/* so that sums do not overflow */
#define DRAIN_CHECK_NS	10000000	/* between looks at threads that have not answered */
#define STRUCT_MAX	4096			/* bytes of a struct of any version */

static struct list_head running = LIST_HEAD_INIT(running);

int versioned_copy(void *to, size_t own_size, const void *from, size_t least)
{
	const unsigned char *bytes = from;
	size_t size;

	memcpy(&size, from, sizeof(size));
	if (size < least || size > STRUCT_MAX)
		return -EINVAL;
	for (size_t i = own_size; i < size; i++)
		if (bytes[i])
			return -EINVAL;		/* uses a field of a later version */
	memset(to, 0, own_size);
	memcpy(to, from, size < own_size ? size : own_size);
	return 0;
}

static struct sampler_profiler *profiler_of(struct sampling_job *job)
{
	return container_of(job, struct sampler_profiler, job);
}

void profiler_each_running(void (*each)(struct sampler_profiler *p, void *context), void *context)
{
	struct list_head *at;

	/* new ones are added at the front, and only this thread removes them */
	sampling_lock();
	at = running.next;
	while (at != &running) {
		struct sampler_profiler *p = list_entry(at, struct sampler_profiler, running);

		sampling_set_current(&p->job);
		sampling_unlock();
		each(p, context);
		sampling_lock();
		at = at->next;
	}
	sampling_set_current(NULL);
	sampling_unlock();
}

/* In a child none is running. */
static void after_fork(void)
{
	list_init(&running);
}

bool profiler_any_running(void)
{
	return !list_empty(&running);
}

/* Each grid point that is reached stands for the interval that begins with it [SM-14]. */
static void sum_up(struct sampler_profiler *p)
{
	struct sampler_summary *s = &p->summary;
	uint64_t end = sampling_clock->now();

	if (!p->has_begun)
		s->start_ns = end;
	else if (end < p->points_end)
		end = p->points_end;
	s->duration_ns = end - s->start_ns;
	s->metadata_lost = metadata_lost() - p->metadata_lost_before;
	s->still_median_ns = still_quantile(&p->still, 0.5);
	s->still_p99_ns = still_quantile(&p->still, 0.99);
	s->still_max_ns = p->still.max_ns;
}

static void finish(struct sampler_profiler *p)
{
	void (*done)(struct sampler_profiler *p, void *context);
	void *context;

	sampling_lock();
	list_del(&p->running);
	if (list_empty(&running))
		sample_trim();
	sampling_unlock();
	sum_up(p);
	if (p->builder_ops.completed)
		p->result = p->builder_ops.completed(p->builder, &p->summary, &p->error);

	sampling_lock();
	done = p->done;
	context = p->done_context;
	p->state = PROFILER_DONE;
	sampling_set_current(NULL);
	sampling_changed();
	sampling_unlock();
	if (done)
		done(p, context);
}

enum progress {
	SAME_POINT,		/* more threads are to be sampled */
	NEXT_POINT,
	LAST_POINT,
};

static enum progress sample_all(struct sampler_profiler *p)
{
	struct target_list *l = &p->all;

	if (!l->next)
		targets_update(p);
	if (l->next < l->nr && !sample_take(p, &l->targets[l->next++]))
		targets_drop(p);
	if (l->next < l->nr)
		return SAME_POINT;
	l->next = 0;
	return NEXT_POINT;
}

static enum progress sample_point(struct sampler_profiler *p)
{
	enum progress progress = LAST_POINT;

	if (!p->has_begun) {
		p->has_begun = true;
		p->summary.start_ns = p->point;
	}
	p->points_end = p->point + p->params.interval_ns;
	if (p->has_all_threads)
		progress = sample_all(p);
	else if (sample_take(p, &p->one))
		progress = NEXT_POINT;
	if (progress == SAME_POINT)
		return progress;
	p->nr_points += p->point_has_sample;
	p->point_has_sample = false;
	if (p->params.samples && p->nr_points == p->params.samples)
		return LAST_POINT;
	return progress;
}

/* Under the lock. */
static bool queue_next_point(struct sampler_profiler *p)
{
	uint64_t missed, next;

	next = schedule_next(p->point, sampling_clock->now(), p->params.interval_ns, &missed);
	if (p->limit_ns && next - p->summary.start_ns >= p->limit_ns)
		return false;
	/* with CPU time the missed samples are counted for each thread */
	if (p->params.clock == SAMPLER_WALL)
		p->summary.missed += missed;
	p->point = next;
	sampling_queue(&p->job, next);
	return true;
}

/* --- the end: answers to requests that are still open --- */

static bool drain_all(struct sampler_profiler *p, bool is_over)
{
	bool is_done = p->has_all_threads || sample_drain(p, &p->one, is_over);

	for (size_t i = 0; i < p->all.nr; i++)
		is_done &= sample_drain(p, &p->all.targets[i], is_over);
	return is_done;
}

static void end(struct sampler_profiler *p)
{
	uint64_t now = sampling_clock->now();

	if (!p->is_draining)
		p->drain_until = now + SAMPLING_DRAIN_NS;
	p->is_draining = true;
	if (drain_all(p, now >= p->drain_until)) {
		finish(p);
		return;
	}
	sampling_lock();
	sampling_queue(&p->job, now + DRAIN_CHECK_NS);
	sampling_unlock();
}

static void collect(struct sampler_profiler *p, void *unused)
{
	bool is_open = false;

	(void)unused;
	if (!p->has_all_threads)
		sample_collect(p, &p->one);
	for (size_t i = 0; i < p->all.nr; i++) {
		sample_collect(p, &p->all.targets[i]);
		is_open |= sample_is_open(&p->all.targets[i]);
	}
	if (!p->is_draining || is_open)
		return;
	sampling_lock();
	sampling_queue(&p->job, 0);
	sampling_unlock();
}

static void collect_all(struct sampling_job *unused)
{
	(void)unused;
	profiler_each_running(collect, NULL);
}

static struct sampling_job answers = { .run = collect_all };

/* --- */

static void run(struct sampling_job *job)
{
	struct sampler_profiler *p = profiler_of(job);
	enum progress progress = LAST_POINT;
	bool is_continued = false, is_stopping;

	sampling_lock();
	is_stopping = p->is_stopping || p->is_draining;
	sampling_unlock();
	if (!is_stopping)
		progress = sample_point(p);
	if (!is_stopping && progress != SAME_POINT && p->builder_ops.point)
		p->builder_ops.point(p->builder);

	sampling_lock();
	if (!p->is_stopping && progress == SAME_POINT) {
		sampling_queue(&p->job, p->point);
		is_continued = true;
	} else if (!p->is_stopping && progress == NEXT_POINT) {
		is_continued = queue_next_point(p);
	}
	sampling_unlock();
	if (!is_continued)
		end(p);
}

bool profiler_params_valid(const struct sampler_params *p)
{
	return p->interval_ns >= INTERVAL_MIN && p->interval_ns <= TIME_MAX &&
	       p->initial_delay_ns <= TIME_MAX &&
	       (p->clock == SAMPLER_WALL || p->clock == SAMPLER_CPU) &&
	       !(p->flags & ~(unsigned int)(SAMPLER_SPARE_SLEEPERS | SAMPLER_NEW_THREADS));
}

static int fill(struct sampler_profiler *p, const struct sampler_thread *target,
		const struct sampler_params *params, const struct sampler_builder *builder)
{
	int err = versioned_copy(&p->params, sizeof(p->params), params, sizeof(p->params));

	if (err || !profiler_params_valid(&p->params) || (target && target->tid <= 0) ||
	    !builder->ops)
		return -EINVAL;
	err = versioned_copy(&p->builder_ops, sizeof(p->builder_ops), builder->ops,
			     sizeof(size_t));
	if (err)
		return err;
	p->builder = builder->context;
	p->has_all_threads = !target;
	if (p->params.flags & SAMPLER_NEW_THREADS) {
		p->all.was_listed = true;
		p->one.cpu_due = p->params.interval_ns;
	}
	if (target)
		p->one.copy.thread = *target;
	return walker_new(&p->walker);
}

int sampler_create(const struct sampler_thread *target, const struct sampler_params *params,
		   const struct sampler_builder *builder, struct sampler_profiler **ret)
{
	struct sampler_profiler *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	err = fill(p, target, params, builder);
	if (err) {
		free(p);
		return err;
	}
	p->job.run = run;
	p->generation = sampling_generation();
	p->summary.period_ns = p->params.interval_ns;
	p->summary.clock = p->params.clock;
	modules_hold();
	*ret = p;
	return 0;
}

/* Whether it was created before a fork, by another process. */
static bool is_inherited(const struct sampler_profiler *p)
{
	return p->generation != sampling_generation();
}

/* Checked once: each process that does so costs the kernel some work at its end. */
static bool can_list_threads(void)
{
	static bool could;

	could = could || !access("/proc/self/task", R_OK | X_OK);
	return could;
}

int profiler_start_locked(struct sampler_profiler *p)
{
	static struct fork_hook hook = { .child = after_fork };
	int err;

	if (is_inherited(p))
		return -ECANCELED;
	if (p->state != PROFILER_NEW)
		return -EALREADY;
	if (p->has_all_threads && !can_list_threads())
		return -errno;
	targets_begin(p);
	sampling_answers = &answers;
	err = fork_watch(&hook);
	if (!err)
		err = sampling_start();
	if (err)
		return err;
	p->state = PROFILER_RUNNING;
	p->metadata_lost_before = metadata_lost();
	p->point = sampling_clock->now() + p->params.initial_delay_ns;
	list_add(&p->running, &running);
	sampling_queue(&p->job, p->point);
	return 0;
}

int sampler_start(struct sampler_profiler *p)
{
	int err;

	sampling_lock();
	err = profiler_start_locked(p);
	sampling_unlock();
	return err;
}

void profiler_stop_locked(struct sampler_profiler *p)
{
	if (p->state != PROFILER_RUNNING || is_inherited(p))
		return;
	p->is_stopping = true;
	if (p->job.is_queued)
		sampling_queue(&p->job, 0);
}

void sampler_stop(struct sampler_profiler *p)
{
	sampling_lock();
	profiler_stop_locked(p);
	sampling_unlock();
}

/*
 * Safe in a handler: what it interrupted holds the lock while it signals the condition, and the
 * thread that waits for the condition takes no signals.
 */
bool sampler_try_stop(struct sampler_profiler *p)
{
	if (!sampling_try_lock())
		return false;
	profiler_stop_locked(p);
	sampling_unlock();
	return true;
}

int sampler_join(struct sampler_profiler *p, struct sampler_error *e)
{
	int err = 0;

	sampling_lock();
	if (p->state == PROFILER_RUNNING && !is_inherited(p) && sampling_is_self())
		err = -EDEADLK;
	while (!err && p->state == PROFILER_RUNNING) {
		if (is_inherited(p))
			err = -ECANCELED;
		else
			sampling_wait();
	}
	if (!err)
		err = p->result;
	if (e)
		*e = p->error;
	sampling_unlock();
	return err;
}

int sampler_add_unwinder(struct sampler_profiler *p, const struct sampler_unwinder_ops *ops,
			 void *context)
{
	struct added_unwinder new = { .context = context };
	int err = versioned_copy(&new.ops, sizeof(new.ops), ops, sizeof(size_t));

	if (err || !new.ops.can_unwind || !new.ops.unwind)
		return -EINVAL;
	sampling_lock();
	if (p->nr_unwinders == WALK_UNWINDERS_MAX)
		err = -ENOSPC;
	else
		p->unwinders[p->nr_unwinders++] = new;
	sampling_unlock();
	return err;
}

/* What the sampling thread was working on when the process forked may be half changed. */
static void free_work(struct sampler_profiler *p)
{
	if (p->job.was_interrupted)
		return;
	walker_free(p->walker);
	for (size_t i = p->nr_known_unwinders; i < p->nr_unwinders; i++)
		if (p->unwinders[i].ops.free)
			p->unwinders[i].ops.free(p->unwinders[i].context);
	if (p->builder_ops.free)
		p->builder_ops.free(p->builder);
	sample_end(NULL, &p->one);
	targets_free(&p->all);
}

void sampler_builder_free(struct sampler_builder *builder)
{
	if (builder->ops && builder->ops->free)
		builder->ops->free(builder->context);
	*builder = (struct sampler_builder){ 0 };
}

void sampler_destroy(struct sampler_profiler *p)
{
	if (!p)
		return;
	sampler_stop(p);
	sampler_join(p, NULL);
	free_work(p);
	modules_release();
	free(p);
}

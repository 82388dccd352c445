// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * periodic.c - always on: a short profile at a random time of each period [SM-20]
 *
 * Between profiles it is a job of the sampling thread; during a profile it waits for the end of
 * that. So exactly one event continues it.
 */
#include <errno.h>
#include <stdlib.h>
#include "libsampler/profiler.h"

struct sampler_periodic {
	struct sampling_job job;		/* to begin a profile */
	struct schedule_periodic schedule;
	unsigned int generation;
	bool is_stopping, has_ended;
	struct sampler_profiler *profiler;	/* the running one */

	struct sampler_thread target;
	bool has_all_threads;
	struct sampler_params params;
	int (*make)(void *context, struct sampler_builder *ret);
	void *context;
};

/* Under the lock. */
static void wait_for_next(struct sampler_periodic *s)
{
	uint64_t now = sampling_clock->now();

	sampling_queue(&s->job, now + schedule_profile(&s->schedule, now, sampling_random()));
}

/* [sampling thread] At the end of a period's work. */
static void end_period(struct sampler_periodic *s)
{
	sampling_lock();
	sampling_set_current(NULL);
	if (!s->is_stopping) {
		wait_for_next(s);
	} else {
		s->has_ended = true;
		sampling_changed();
	}
	sampling_unlock();
}

static void profile_done(struct sampler_profiler *p, void *context)
{
	struct sampler_periodic *s = context;

	sampling_lock();
	s->profiler = NULL;
	sampling_unlock();
	sampler_destroy(p);
	end_period(s);
}

static struct sampler_profiler *create_profiler(struct sampler_periodic *s)
{
	const struct sampler_thread *target = s->has_all_threads ? NULL : &s->target;
	struct sampler_profiler *p;
	struct sampler_builder builder;

	if (s->make(s->context, &builder))
		return NULL;
	if (sampler_create(target, &s->params, &builder, &p)) {
		sampler_builder_free(&builder);
		return NULL;
	}
	p->limit_ns = s->schedule.profile_ns;
	p->done = profile_done;
	p->done_context = s;
	return p;
}

static void begin_profile(struct sampling_job *job)
{
	struct sampler_periodic *s = container_of(job, struct sampler_periodic, job);
	struct sampler_profiler *p = create_profiler(s);
	bool is_started;

	sampling_lock();
	is_started = p && !s->is_stopping && !profiler_start_locked(p);
	if (is_started)
		s->profiler = p;
	sampling_unlock();
	if (!is_started) {
		sampler_destroy(p);
		end_period(s);
	}
}

static int fill(struct sampler_periodic *s, const struct sampler_thread *target,
		const struct sampler_params *params, const struct sampler_periodic_params *periodic)
{
	struct sampler_periodic_params p;
	int err = versioned_copy(&p, sizeof(p), periodic, sizeof(p));

	if (!err)
		err = versioned_copy(&s->params, sizeof(s->params), params, sizeof(s->params));
	if (err)
		return err;
	if (!(p.fraction > 0 && p.fraction <= 1) || !p.profile_ns ||
	    (double)p.profile_ns / p.fraction > (double)(UINT64_MAX / 4) ||
	    (target && target->tid <= 0) || !profiler_params_valid(&s->params))
		return -EINVAL;
	s->schedule.profile_ns = p.profile_ns;
	s->schedule.period_ns = (uint64_t)((double)p.profile_ns / p.fraction);
	if (s->schedule.period_ns < p.profile_ns)	/* rounded */
		s->schedule.period_ns = p.profile_ns;
	s->has_all_threads = !target;
	if (target)
		s->target = *target;
	return 0;
}

int sampler_periodic_start(const struct sampler_thread *target, const struct sampler_params *params,
			   const struct sampler_periodic_params *periodic,
			   int (*make)(void *context, struct sampler_builder *ret), void *context,
			   struct sampler_periodic **ret)
{
	struct sampler_periodic *s = calloc(1, sizeof(*s));
	int err = s ? fill(s, target, params, periodic) : -ENOMEM;

	if (!err) {
		s->make = make;
		s->context = context;
		s->job.run = begin_profile;
		sampling_lock();
		s->generation = sampling_generation();
		err = sampling_start();
		if (!err)
			wait_for_next(s);
		sampling_unlock();
	}
	if (err) {
		free(s);
		return err;
	}
	*ret = s;
	return 0;
}

/* Under the lock. */
static void wait_for_end(struct sampler_periodic *s)
{
	s->is_stopping = true;
	if (s->job.is_queued) {
		sampling_unqueue(&s->job);
		s->has_ended = true;
	} else if (s->profiler) {
		profiler_stop_locked(s->profiler);
	}
	while (!s->has_ended)
		sampling_wait();
}

void sampler_periodic_stop(struct sampler_periodic *s)
{
	if (!s)
		return;
	sampling_lock();
	if (s->generation == sampling_generation())
		wait_for_end(s);
	sampling_unlock();
	/* a profile that is still running is the parent's */
	sampler_destroy(s->profiler);
	free(s);
}

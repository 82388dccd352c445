/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiler.h - profilers and the thread that serves them, for the files that are these
 *
 *	thread.c		which thread is meant
 *	sampling_thread.c	one thread, doing jobs when they are due
 *	profiler.c		a profiler's life; its job is to take samples on a grid
 *	sample.c		one sample of one thread
 *	all_threads.c		the targets of a profiler that has the whole process for one
 *	periodic.c		a job that makes profilers from time to time
 *	own_files.c		the thread's own table of file descriptors, if it is to have one
 *	fork.c			what becomes of all this in a child
 */
#ifndef LIBSAMPLER_PROFILER_H
#define LIBSAMPLER_PROFILER_H

#include <pthread.h>
#include "libsampler/sampling.h"
#include "libutil/list.h"

/* --- thread.c --- */

struct thread_look {
	uint64_t start_time;
	bool is_dead;			/* ended, though its id is still in use */
};

/* -ESRCH: no thread of this process. */
int thread_look(pid_t tid, struct thread_look *ret);
/* Ended, or another one by now. */
bool thread_is_gone(const struct sampler_thread *thread);

/* --- sampling_thread.c [SM-10] --- */

/* Something to be done by the sampling thread when its time has come. */
struct sampling_job {
	struct list_head link;
	uint64_t due;
	void (*run)(struct sampling_job *job);	/* no lock is held */
	bool is_queued;				/* not while it runs */
	bool was_cut;				/* [a fork's child] it is half done */
};

void sampling_lock(void);		/* guards all jobs, and all profilers' states */
bool sampling_try_lock(void);		/* [handler too] false: somebody has it */
void sampling_unlock(void);
/* Wait for sampling_changed(). Under the lock. */
void sampling_wait(void);
/* A job has come to an end that somebody may wait for. Under the lock. */
void sampling_changed(void);

/* Do @job at @due, or if it is queued then instead. Under the lock. The thread must be there. */
void sampling_queue(struct sampling_job *job, uint64_t due);
void sampling_unqueue(struct sampling_job *job);
/* What is being worked on right now, where it is not the job that runs; NULL: nothing, for that
 * job may be freed by now. Under the lock. */
void sampling_work_for(struct sampling_job *job);

/* See that there is a sampling thread, and a signal handler. Under the lock. */
int sampling_start(void);
bool sampling_is_there(void);		/* under the lock */
bool sampling_is_self(void);		/* the caller is the sampling thread. Under the lock */
/* Ours: the sampling thread, or the last one if it has not quite ended. [sampling thread] */
bool sampling_owns(pid_t tid, uint64_t start_time);

/* How many forks this process is away from the first one: what was made before is not ours. */
unsigned int sampling_generation(void);
void sampling_after_fork(void);		/* [the child] under the lock */

/* What time it is, and how to wait. Tests have their own. */
struct sampling_clock {
	uint64_t (*now)(void);
	/* Until @due, or @wake is signalled, or sooner. */
	void (*wait)(pthread_cond_t *wake, pthread_mutex_t *lock, uint64_t due);
	/* The CPU time of a thread of this process; not 0: there is none. */
	int (*cpu_time)(pid_t tid, uint64_t *ret);
};
extern const struct sampling_clock *sampling_clock;
extern uint64_t sampling_idle_ns;	/* how long the thread stays with nothing to do */

/* --- own_files.c [SM-17] --- */
/* [sampling thread] First of all: from here on it has its own, if sampler_use_own_files() asked. */
void own_files_begin(void);
void own_files_end(void);		/* last of all; or [the child of a fork] there is none */

/* --- profiler.c --- */

/* A thread that a profiler samples. */
struct sampling_target {
	struct copy_target copy;
	uint64_t looked_at;		/* when it was last seen to be the thread that is meant */
	uint64_t cpu_due;		/* its CPU time at the next sample [SM-13]; 0: not known */
	bool was_seen;			/* in the last listing of all threads */
};

struct target_list {
	struct sampling_target *targets;	/* by tid */
	size_t nr, room;
	size_t next;				/* to be sampled at this grid point */
	bool was_listed;			/* once at least: whoever is new has just begun */
};

struct added_unwinder {
	struct sampler_unwinder_ops ops;
	void *context;
};

enum profiler_state { PROFILER_NEW, PROFILER_RUNNING, PROFILER_DONE };

struct sampler_profiler {
	struct sampling_job job;
	struct list_head running;		/* for sampler_metadata_apply_past() */
	enum profiler_state state;
	bool is_stopping;
	unsigned int generation;

	struct sampler_params params;
	uint64_t limit_ns;			/* it lasts so long; 0: as the parameters say */
	bool has_all_threads;
	struct sampling_target one;
	struct target_list all;

	struct sampler_builder_ops builder_ops;
	void *builder;
	struct walker *walker;
	struct added_unwinder unwinders[WALK_UNWINDERS_MAX];
	size_t nr_unwinders, nr_known_unwinders;	/* known to the walker */

	uint64_t point;				/* of the grid: the present or the next one */
	bool has_begun;				/* a grid point was reached */
	uint64_t points_end;			/* where the interval of the last one ends */
	bool point_has_sample;			/* this one has */
	uint64_t nr_points;			/* that have */
	struct sampler_summary summary;
	uint64_t metadata_lost_before;

	/* [sampling thread] or NULL */
	void (*done)(struct sampler_profiler *p, void *context);
	void *done_context;
	int result;
	struct sampler_error error;
};

/*
 * A program's struct, which begins with its size, as this version has it. -EINVAL: it is smaller
 * than @least, or what is not known here is not 0.
 */
int versioned_copy(void *to, size_t size, const void *from, size_t least);
bool profiler_params_valid(const struct sampler_params *p);
int profiler_start_locked(struct sampler_profiler *p);		/* under the lock */
void profiler_stop_locked(struct sampler_profiler *p);
bool profiler_any_running(void);				/* under the lock */
void profiler_after_fork(void);			/* [the child] under the lock: none of them runs */
/* [sampling thread] Call @each for all that run. */
void profiler_each_running(void (*each)(struct sampler_profiler *p, void *context), void *context);

/* --- sample.c [sampling thread] --- */

int sample_prepare(void);		/* for any profiler: the buffers */
void sample_release(void);
/* Take one of @target, if it is to have one now. false: the thread is gone. */
bool sample_take(struct sampler_profiler *p, struct sampling_target *target);
/* --- all_threads.c [sampling thread] --- */

/* Who is there now. If that cannot be found out, those that were there before stay. */
void targets_update(struct target_list *l, uint64_t interval);
/* It has ended: it was the one before l->next. */
void targets_drop(struct target_list *l);
void targets_free(struct target_list *l);

#endif

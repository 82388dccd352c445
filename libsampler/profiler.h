/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiler.h - profilers and the thread that serves them, for their own files
 *
 *	thread.c		identifies threads
 *	jobs.c			the queue of jobs, the lock, the clock
 *	sampling_thread.c	one thread that runs jobs when they are due
 *	profiler.c		create, start, stop; the job takes samples on a grid
 *	sample.c		samples of one thread
 *	still.c			how long threads stood still
 *	all_threads.c		the targets of a profiler of the whole process
 *	periodic.c		a job that creates profilers from time to time
 *	own_files.c		the thread's own table of file descriptors, if wanted
 *	fork.c			cleans up in a child
 */
#ifndef LIBSAMPLER_PROFILER_H
#define LIBSAMPLER_PROFILER_H

#include <pthread.h>
#include "libsampler/sampling.h"
#include "libutil/list.h"

/* --- thread.c --- */

struct thread_state {
	uint64_t start_time;
	bool is_dead;			/* ended, but its id is still in use */
};

/* -ESRCH: not a thread of this process. */
int thread_read_state(pid_t tid, struct thread_state *ret);
/* Whether it has ended; its id may be another thread's by now. */
bool thread_is_gone(const struct sampler_thread *thread);

/* --- jobs.c --- */

/* Work that the sampling thread does at some time. */
struct sampling_job {
	struct list_head link;
	uint64_t due;
	void (*run)(struct sampling_job *job);	/* called without locks */
	bool is_queued;				/* not while it runs */
	bool was_interrupted;			/* [child of a fork] it is half done */
};

void sampling_lock(void);		/* guards all jobs, and all profilers' states */
bool sampling_try_lock(void);		/* [handler too] false: the lock is taken */
void sampling_unlock(void);
/* Wait for sampling_changed(). Under the lock. */
void sampling_wait(void);
/* Wake all that wait for the end of a job. Under the lock. */
void sampling_changed(void);

/* Run @job at @due; replaces the time of a queued job. Under the lock, while the thread exists. */
void sampling_queue(struct sampling_job *job, uint64_t due);
void sampling_unqueue(struct sampling_job *job);
/*
 * Set the job whose data is in use, if it is not the running one; NULL: none, and the running one
 * may be freed. Under the lock.
 */
void sampling_set_current(struct sampling_job *job);

/* Becomes current when the bell has rung, and takes all answers. Set before the thread starts. */
extern struct sampling_job *sampling_answers;

/*
 * The next job when it is due, which becomes the current one. NULL: there was none for
 * sampling_idle_ns. Under the lock, which is released while waiting.
 */
struct sampling_job *sampling_next_job(void);

/* The sampling thread, under the lock. */
struct sampling_server {
	bool is_started;
	pthread_t self;
	pid_t tid;			/* 0: not running yet */
	struct sampler_thread previous;	/* the thread before it */
};
extern struct sampling_server sampling_server;
bool sampling_is_started(void);
bool sampling_is_self(void);		/* the caller is the sampling thread */
/* Whether it is the sampling thread, or the previous one that has not quite ended.
 * [sampling thread] */
bool sampling_owns(pid_t tid, uint64_t start_time);

/* The number of forks since the first process; objects of other generations are not ours. */
unsigned int sampling_generation(void);
void sampling_after_fork(void);		/* [child] under the lock */

/* The clock, which tests replace. */
struct sampling_clock {
	uint64_t (*now)(void);
	/* Until @due, or @wake is signalled, or the bell was rung since @turn; or sooner. */
	void (*wait)(pthread_cond_t *wake, pthread_mutex_t *lock, uint32_t turn, uint64_t due);
	/* The CPU time of a thread of this process; not 0: no such thread. */
	int (*cpu_time)(pid_t tid, uint64_t *ret);
};
extern const struct sampling_clock *sampling_clock;

double sampling_random(void);		/* in [0, 1) */
extern uint64_t sampling_idle_ns;	/* how long the thread stays without a job */

/* --- sampling_thread.c [SM-10] --- */

/* Start the sampling thread and install the signal handler, if needed. Under the lock. */
int sampling_start(void);

/* --- own_files.c [SM-17] --- */
/* [sampling thread] Called first; if sampler_use_own_files() asked for it, it has its own table. */
void own_files_begin(void);
void own_files_end(void);		/* called last; also [child of a fork] */

/* --- profiler.c --- */

/* A thread that a profiler samples. */
struct sampling_target {
	struct copy_target copy;
	struct sampling_work *work;	/* of its requests; or NULL: not asked yet */
	uint64_t weight;		/* intervals that its open request stands for; 0: none */
	bool has_timer, has_no_timer;	/* of its CPU time; it could not have one */
	uint64_t checked_at;		/* when its start time was last checked */
	uint64_t cpu_due;		/* its CPU time at the next sample [SM-13]; 0: unknown */
	uint64_t ahead_ns;		/* it is sooner by that, because signals are late */
	bool is_new;			/* all its CPU time is sampled, from a random time on */
	bool was_seen;			/* in the last listing of all threads */
};

struct target_list {
	struct sampling_target *targets;	/* by tid */
	size_t nr, room;
	size_t next;				/* to be sampled at this grid point */
	bool was_listed;			/* at least once: new threads have just begun */
	pid_t first_tid;			/* the only thread at the start; 0: unknown */
	uint64_t first_ns;			/* CPU time that it had used by then */
};

/* Times that threads stood still, by size: 8 steps for each power of 2. */
struct still {
	uint64_t nr, max_ns;
	uint32_t counts[64 * 8];
};
void still_add(struct still *s, uint64_t ns);
/* The time that this part of them did not exceed. */
uint64_t still_quantile(const struct still *s, double part);

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
	bool is_draining;			/* only last answers are waited for, */
	uint64_t drain_until;			/* not longer than that */
	unsigned int generation;

	struct sampler_params params;
	uint64_t limit_ns;			/* its duration; 0: as in the parameters */
	bool has_all_threads;
	struct sampling_target one;
	struct target_list all;

	struct sampler_builder_ops builder_ops;
	void *builder;
	struct walker *walker;
	struct added_unwinder unwinders[WALK_UNWINDERS_MAX];
	size_t nr_unwinders, nr_known_unwinders;	/* known to the walker */

	uint64_t point;				/* of the grid: the current or the next one */
	bool has_begun;				/* the first grid point was reached */
	uint64_t points_end;			/* the end of the last one's interval */
	bool point_has_sample;			/* the current one has a sample */
	uint64_t nr_points;			/* with a sample */
	struct sampler_summary summary;
	struct still still;
	uint64_t delay_ns, nr_delays;		/* of timers' signals, in CPU time */
	uint64_t metadata_lost_before;

	/* [sampling thread] or NULL */
	void (*done)(struct sampler_profiler *p, void *context);
	void *done_context;
	int result;
	struct sampler_error error;
};

/*
 * Copy a program's struct of any version, which begins with its size. -EINVAL: it is smaller than
 * @least, or a field that this version does not know is not 0.
 */
int versioned_copy(void *to, size_t size, const void *from, size_t least);
bool profiler_params_valid(const struct sampler_params *p);
int profiler_start_locked(struct sampler_profiler *p);		/* under the lock */
void profiler_stop_locked(struct sampler_profiler *p);
bool profiler_any_running(void);				/* under the lock */
/* [sampling thread] Call @each for all running profilers. */
void profiler_each_running(void (*each)(struct sampler_profiler *p, void *context), void *context);

/* --- sample.c [sampling thread] --- */

int sample_prepare(void);		/* allocate the buffer that all profilers share */
void sample_release(void);
void sample_trim(void);			/* free its pages, when no profile runs */
/* At a point of the grid: take a sample of @target if one is due, or ask for it. False: the thread
 * has ended. */
bool sample_take(struct sampler_profiler *p, struct sampling_target *target);
/* Take @target's answer. False: there is none. */
bool sample_collect(struct sampler_profiler *p, struct sampling_target *target);
/* At the end of the profile. False: its answer is worth waiting for, unless @is_over. */
bool sample_drain(struct sampler_profiler *p, struct sampling_target *target, bool is_over);
/* Whether an answer may come. */
bool sample_is_open(const struct sampling_target *target);
/* Free what @target has; p: take its answer first, or NULL. */
void sample_end(struct sampler_profiler *p, struct sampling_target *target);

/* --- all_threads.c [sampling thread] --- */

/* At the start, before the sampling thread. Under the lock. [the thread that starts the profile] */
void targets_begin(struct sampler_profiler *p);
/* List the threads; on failure the list stays as it is. */
void targets_update(struct sampler_profiler *p);
/* Remove the target before l->next, which has ended. */
void targets_drop(struct sampler_profiler *p);
void targets_free(struct target_list *l);

#endif

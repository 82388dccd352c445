/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprofsampler.h - profile threads from inside the process by sampling their stacks
 *
 *	struct sampler_builder builder;
 *	struct sampler_profiler *profiler;
 *	struct sampler_params params = SAMPLER_PARAMS;
 *	params.interval_ns = 10 * 1000 * 1000;
 *	sampler_session_builder("oprofile_data", &builder, NULL);
 *	sampler_create(NULL, &params, &builder, &profiler);	(NULL: every thread)
 *	sampler_start(profiler);
 *	...
 *	sampler_stop(profiler);
 *	sampler_join(profiler, &error);		(the session is written)
 *	sampler_destroy(profiler);
 *
 * Link with -loprofsampler. One thread, shared by all profilers of the process, does the work; it
 * exists only while it has something to do. A target is stopped by a signal while its stack is
 * copied; everything else works on the copy. The library has no constructors, and does nothing
 * before the first call. Rules: doc/sampler.md [SM-n].
 *
 * Functions return 0, or a negative errno with nothing changed, unless stated otherwise. They may
 * be called from any thread at any time. Callbacks have contexts: [handler] must be
 * async-signal-safe because the target is stopped; [sampling thread] must not call sampler_join(),
 * sampler_destroy() or sampler_periodic_stop(). After fork() the profilers that the child inherits
 * are stopped and may only be destroyed; it can create new ones.
 */
#ifndef LIBSAMPLER_OPROFSAMPLER_H
#define LIBSAMPLER_OPROFSAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct sampler_error {
	char text[256];		/* one line: what, where, what to do; or "" */
};

/* --- threads --- */

/*
 * A thread as a target; may be copied. @start_time distinguishes it from a later thread with the
 * same id.
 */
struct sampler_thread {
	pid_t tid;
	uint64_t start_time;			/* as in /proc/PID/stat; 0: unknown */
	uintptr_t stack_low, stack_high;	/* [low, high); both 0: detected when sampled */
};

int sampler_thread_self(struct sampler_thread *ret);
/* A thread of this process. -ESRCH: no such thread. */
int sampler_thread_by_tid(pid_t tid, struct sampler_thread *ret);

/* --- modules: what code belongs to --- */

/* In frames: valid as long as the profiler, even after dlclose(). */
struct sampler_module {
	uintptr_t start, limit;		/* [start, limit): its code and what lies between */
	uintptr_t base;			/* address - base = the file's virtual address */
	const char *path;		/* absolute path of a file; a name for other code */
	const char *build_id;		/* lower-case hex, or "" */
	bool is_native;			/* an ELF file (or the vdso), not sampler_module_add() */
};

/*
 * Add code without a file, as made at run time; it takes precedence over native modules. Strings
 * are copied. -EEXIST: overlaps another added module. -EINVAL: an empty range.
 */
int sampler_module_add(const struct sampler_module *module);
/* Remove the module at @start; frames in it keep it. -ENOENT. */
int sampler_module_remove(uintptr_t start);

/* --- samples --- */

enum sampler_status {
	SAMPLER_WHOLE,		/* all frames up to the thread's outermost */
	SAMPLER_BROKEN,		/* as many frames as the unwinders found */
	SAMPLER_DEPTH,		/* truncated at the maximum number of frames */
	SAMPLER_PARTIAL,	/* of a blocked thread, read without a signal: truncated where
				 * registers other than pc and sp are needed */
	SAMPLER_BUFFER,		/* the stack is bigger than the buffer: its inner part */
	SAMPLER_FOREIGN_STACK,	/* ran on an unknown stack: only the first frame */
	/* from here on without frames; these samples count, too */
	SAMPLER_BLOCKED,	/* the thread blocks the signal */
	SAMPLER_NOT_RUN,	/* it got no CPU in time, or waits where no signal wakes it */
	SAMPLER_GONE,		/* the thread has ended; its last sample */
	SAMPLER_FAILED,		/* the system refused */
	SAMPLER_NR_STATUS
};

struct sampler_frame {
	uintptr_t address;	/* of a caller: the return address */
	const struct sampler_module *module;	/* or NULL */
	/* @address is an instruction's own rather than a return address: in the first frame, and in
	 * the two below a signal handler (where it returns to, and where the signal arrived). */
	bool is_interrupted;
};

/* A label that the program puts on samples. */
struct sampler_metadata {
	const char *name;
	bool has_key, has_tid;
	int64_t key;		/* distinguishes labels of one name */
	pid_t tid;		/* only for this thread's samples */
	int64_t value;
};

struct sampler_sample {
	const struct sampler_frame *frames;	/* innermost first */
	size_t nr_frames;
	enum sampler_status status;
	uint64_t time_ns;	/* CLOCK_MONOTONIC, when the stack was copied */
	pid_t tid;
	const struct sampler_metadata *metadata;
	size_t nr_metadata;
	uint64_t weight;	/* intervals that it stands for: at least 1, more if the thread
				 * could not answer sooner [SM-31] */
};

enum sampler_clock {
	SAMPLER_WALL,		/* a sample in each interval, whatever the thread does */
	SAMPLER_CPU,		/* a sample for each interval of its CPU time [SM-13] */
};

/* Totals of a profile. */
struct sampler_summary {
	uint64_t start_ns, duration_ns;		/* CLOCK_MONOTONIC */
	uint64_t period_ns;			/* the requested interval */
	enum sampler_clock clock;		/* the requested clock */
	uint64_t samples[SAMPLER_NR_STATUS];	/* of each status, by weight */
	uint64_t missed;			/* samples not taken in time [SM-12] [SM-13] */
	uint64_t metadata_lost;			/* items dropped for lack of room */
	/* CPU time that threads stood still for samples; within 1/8 */
	uint64_t still_median_ns, still_p99_ns, still_max_ns;
};

/*
 * The receiver of samples. Called for one profiler in order, never two at once. Any may be NULL.
 */
struct sampler_builder_ops {
	size_t size;				/* sizeof(struct sampler_builder_ops) */
	/* [handler] for each copy, while the target is stopped; in several threads at once */
	void (*capture)(void *context);
	/* [sampling thread] @sample and all in it is valid until this returns */
	void (*sample)(void *context, const struct sampler_sample *sample);
	/* [sampling thread] samples with from <= time < to get @item as well; only called if the
	 * profile has run for all of that time */
	void (*metadata_past)(void *context, const struct sampler_metadata *item, uint64_t from_ns,
			      uint64_t to_ns);
	/*
	 * [sampling thread] once, after the last sample. Not 0: -errno and @e, for sampler_join().
	 * A builder that passes samples to a ready one (below) may call that one's more often.
	 */
	int (*completed)(void *context, const struct sampler_summary *summary,
			 struct sampler_error *e);
	void (*free)(void *context);		/* [any thread] called last */
	/* [sampling thread] at each point of the grid; the last samples may follow */
	void (*point)(void *context);
};

struct sampler_builder {
	const struct sampler_builder_ops *ops;
	void *context;
};

/* --- ready builders --- */

/*
 * A session for opreport and the other tools, in @session_dir, which is created if needed. Samples
 * are added to an existing session: event THREAD_SAMPLE, separated by process and thread.
 * sampler_join() reports what could not be written. -EPERM: other users could redirect the files
 * [SM-68].
 */
int sampler_session_builder(const char *session_dir, struct sampler_builder *ret,
			    struct sampler_error *e);

enum sampler_format {
	SAMPLER_CPUPROFILE,	/* Google's CPU profile */
	SAMPLER_PPROF,		/* profile.proto, compressed */
	SAMPLER_FOLDED,		/* a line for each stack */
};
/*
 * A file, written as a whole when the profile is complete. Each call of completed() writes all
 * samples again; in a session it adds those since the previous call.
 */
int sampler_file_builder(enum sampler_format format, const char *path,
			 struct sampler_builder *ret, struct sampler_error *e);

/* For a builder that no profiler owns because sampler_create() failed. */
void sampler_builder_free(struct sampler_builder *builder);

/* --- profilers --- */

enum {
	/* Read threads that are blocked in a system call without a signal: they get no EINTR */
	SAMPLER_SPARE_SLEEPERS = 1,
	/* The targets are new: the CPU time that they have used so far is sampled, too, or counted
	 * as missed. [SM-13] */
	SAMPLER_NEW_THREADS = 2,
};

struct sampler_params {
	size_t size;			/* sizeof(struct sampler_params) */
	uint64_t initial_delay_ns;
	uint64_t interval_ns;		/* at least 100,000 */
	uint64_t samples;		/* of each thread; 0: until sampler_stop() */
	enum sampler_clock clock;
	unsigned int flags;
};
/* The defaults: 300 samples, ten a second. */
#define SAMPLER_PARAMS { sizeof(struct sampler_params), 0, 100000000, 300, SAMPLER_WALL, 0 }

struct sampler_profiler;

/*
 * @target NULL: all threads of the process except the sampling thread, including new ones. On
 * success the profiler owns the builder; on failure the caller does. -EINVAL: invalid @params.
 */
int sampler_create(const struct sampler_thread *target, const struct sampler_params *params,
		   const struct sampler_builder *builder, struct sampler_profiler **ret);
/* Once. -EALREADY: already started. Other errors are of the thread or the signal handler. */
int sampler_start(struct sampler_profiler *p);
/* Returns at once; at most one more sample is taken. May be called at any time, more than once. */
void sampler_stop(struct sampler_profiler *p);
/*
 * [handler too] sampler_stop() if it need not wait for a lock, which the interrupted thread itself
 * may hold, in fork() for example. False: not stopped.
 */
bool sampler_try_stop(struct sampler_profiler *p);
/* Wait for the end of completed(), and return its result; 0 if the profiler was never started. */
int sampler_join(struct sampler_profiler *p, struct sampler_error *e /* or NULL */);
/* Stops and joins first if needed. NULL is fine. */
void sampler_destroy(struct sampler_profiler *p);

/*
 * Set the signal that stops targets, before the first start; the default is SIGURG, whose default
 * action is to be ignored. The program's handler for it still gets the signals that are not ours;
 * one that is installed later replaces ours, and samples are SAMPLER_BLOCKED. -EBUSY: too late.
 */
int sampler_use_signal(int signal);

/*
 * Before the first start: give the sampling thread a table of file descriptors of its own, with
 * none of the program's. Then it takes no number that the program expects to be free, and the
 * program may close and replace all of them. [sampling thread] callbacks cannot use the program's
 * descriptors then, including standard error. -EBUSY: too late. [SM-17]
 */
int sampler_use_own_files(void);
/* Write @text to the program's standard error, from any thread. */
void sampler_tell(const char *text);

/* --- always on: short profiles at random times --- */

struct sampler_periodic_params {
	size_t size;
	uint64_t profile_ns;		/* the duration of each profile */
	double fraction;		/* of all time, 0 < fraction <= 1: a profile in each period
					 * of profile_ns / fraction, at a random offset [SM-20] */
};
struct sampler_periodic;

/* @make fills a builder for the next profile [sampling thread]; not 0: that one is skipped. */
int sampler_periodic_start(const struct sampler_thread *target, const struct sampler_params *params,
			   const struct sampler_periodic_params *periodic,
			   int (*make)(void *context, struct sampler_builder *ret), void *context,
			   struct sampler_periodic **ret);
/* Stops, waits for a running profile's completed(), and frees. NULL is fine. */
void sampler_periodic_stop(struct sampler_periodic *periodic);

/* --- metadata --- */

#define SAMPLER_METADATA_MAX 50		/* items at a time in the process */

/*
 * From now on samples have @item, until it is removed or set again. [handler too] once @name has
 * been used. -ENOSPC: no room, counted as metadata_lost.
 */
int sampler_metadata_set(const struct sampler_metadata *item);
/* @item's value does not matter. -ENOENT. */
int sampler_metadata_remove(const struct sampler_metadata *item);
/* Add @item to samples with from <= time < to, in profiles that have run for all of that time. */
int sampler_metadata_apply_past(const struct sampler_metadata *item, uint64_t from_ns,
				uint64_t to_ns);

/* --- unwinders of other code --- */

/* By DWARF's numbers: x86-64 0-16 (6 rbp, 7 rsp, 16 the return address), arm64 0-32. */
#define SAMPLER_NR_REGISTERS 33
struct sampler_registers {
	uint64_t value[SAMPLER_NR_REGISTERS];
	uint64_t known;				/* bit n: value[n] is known */
	uintptr_t pc, sp, fp;			/* the same again by name */
};

/* The copy of a stack. Pointers in the stack to the stack are unchanged. */
struct sampler_stack {
	uintptr_t low, high;		/* of the original; low may be below sp */
	const void *copy;
	/* on an alternate signal stack: the one that was interrupted, if it is known */
	uintptr_t outer_low, outer_high;
	const void *outer_copy;
};
/* The aligned word at @address; false: not in the copy. */
bool sampler_stack_word(const struct sampler_stack *stack, uintptr_t address, uintptr_t *ret);
/*
 * For unwinders that follow pointers in the copy itself: copy the stack to @to, which has room for
 * it and 16 bytes. Aligned words and registers that point into the stack are made to point into
 * @to. Returns the place of low there, at the same offset modulo 16. Without the outer stack.
 * [SM-34]
 */
void *sampler_stack_clone(const struct sampler_stack *stack, void *to,
			  struct sampler_registers *regs);

enum sampler_unwound {
	SAMPLER_COMPLETED,		/* the outermost frame was reached */
	SAMPLER_UNRECOGNIZED,		/* another unwinder may continue from *regs */
	SAMPLER_ABORTED,		/* no unwinder can continue */
};

struct sampler_frames {
	struct sampler_frame *frames;
	size_t nr, room;
};
/* Looks up the module. False: no room. */
bool sampler_add_frame(struct sampler_frames *frames, uintptr_t address);

/*
 * The most recently added unwinder that can unwind from the last frame continues; sp must rise.
 * [sampling thread] unless stated otherwise.
 */
struct sampler_unwinder_ops {
	size_t size;
	/* before the target is stopped; the size of the state that capture() fills, or 0 */
	size_t (*state_size)(void *context);
	/* [handler] in several threads at once, each with a state of its own */
	void (*capture)(void *context, void *state);
	bool (*can_unwind)(void *context, const struct sampler_frame *from);
	/* Adds the callers it finds to @frames and advances @regs. */
	enum sampler_unwound (*unwind)(void *context, void *state, struct sampler_registers *regs,
				       const struct sampler_stack *stack,
				       struct sampler_frames *frames);
	void (*free)(void *context);
};

/*
 * Before or after the start; after the stop it has no effect. On success the profiler owns the
 * unwinder. -ENOSPC: more than 8.
 */
int sampler_add_unwinder(struct sampler_profiler *p, const struct sampler_unwinder_ops *ops,
			 void *context);

/* The version of this interface, such as "1.0". */
const char *sampler_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

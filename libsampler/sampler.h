/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler.h - profile threads from inside the process: their stacks, sampled at regular times
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
 * Link with -lsampler. One thread, shared by all profilers of the process, does the work; it is
 * there only while it has something to do. A target is stopped by a signal for as long as its
 * stack takes to be copied; everything else is done on the copy. Nothing is made before the first
 * call: the library has no constructors. Rules: doc/sampler.md [SM-n].
 *
 * Calls return 0 or a negative errno, and then nothing has changed, unless said otherwise. Any
 * thread may call at any time, except where a context is told: [handler] must be
 * async-signal-safe, for the target stands still; [sampling thread] must not call sampler_join(),
 * sampler_destroy() or sampler_periodic_stop(). After fork() the child has no profilers: those it
 * inherits are stopped and may only be destroyed; it can make new ones.
 */
#ifndef LIBSAMPLER_SAMPLER_H
#define LIBSAMPLER_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct sampler_error {
	char text[256];		/* one line: what, where, what to do; "" none */
};

/* --- threads --- */

/*
 * A thread, as a target. Values: copy it as you like. It must not be reused for another thread
 * that came to have the same id: @start_time tells them apart.
 */
struct sampler_thread {
	pid_t tid;
	uint64_t start_time;			/* as in /proc/PID/stat; 0: not known */
	uintptr_t stack_low, stack_high;	/* [low, high); both 0: found out when sampled */
};

int sampler_thread_self(struct sampler_thread *ret);
/* Any thread of this process. -ESRCH: there is none. */
int sampler_thread_by_tid(pid_t tid, struct sampler_thread *ret);

/* --- modules: what code belongs to --- */

/* Of a frame: valid as long as the profiler that found it, even after dlclose(). */
struct sampler_module {
	uintptr_t start, limit;		/* [start, limit): its code and what lies between */
	uintptr_t base;			/* address - base = the file's virtual address */
	const char *path;		/* absolute where it is a file; a name for other code */
	const char *build_id;		/* lower-case hex, "" none */
	bool is_native;			/* an ELF file (or the vdso), not added by hand */
};

/*
 * Code that is no file's (made at run time) over what is there: it wins over native modules.
 * Strings are copied. -EEXIST: overlaps one that was added. -EINVAL: an empty range.
 */
int sampler_module_add(const struct sampler_module *module);
/* What begins at @start; frames that have it keep it. -ENOENT. */
int sampler_module_remove(uintptr_t start);

/* --- what is sampled --- */

enum sampler_status {
	SAMPLER_WHOLE,		/* frames up to the thread's outermost */
	SAMPLER_BROKEN,		/* frames as far as unwinders led */
	SAMPLER_DEPTH,		/* cut: as many frames as a sample has room for */
	SAMPLER_PARTIAL,	/* of a blocked thread, read without a signal: cut where registers
				 * other than pc and sp would have been needed */
	SAMPLER_BUFFER,		/* the stack is bigger than the buffer: no frames but the first */
	SAMPLER_FOREIGN_STACK,	/* ran on a stack that could not be found: likewise */
	/* from here on without any frame: the sample counts all the same */
	SAMPLER_BLOCKED,	/* the thread blocks the signal, or did not run in time */
	SAMPLER_GONE,		/* the thread has ended; it is the last sample of its */
	SAMPLER_FAILED,		/* the system refused: see the log of the profile */
	SAMPLER_NR_STATUS
};

struct sampler_frame {
	uintptr_t address;	/* of a caller: the return address */
	const struct sampler_module *module;	/* NULL: none */
	/* @address is of the instruction itself, and not behind a call: of the first frame, and of
	 * the two below a signal handler: where it returns to, and where the signal came. */
	bool is_interrupted;
};

/* Something the program says of what it does: a label of samples. */
struct sampler_metadata {
	const char *name;
	bool has_key, has_tid;
	int64_t key;		/* several of one name */
	pid_t tid;		/* of this thread's samples only */
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
};

enum sampler_clock {
	SAMPLER_WALL,		/* a sample at each interval, whatever the thread does */
	SAMPLER_CPU,		/* a sample for each interval of its CPU time [SM-13] */
};

/* How a profile went. */
struct sampler_summary {
	uint64_t start_ns, duration_ns;		/* CLOCK_MONOTONIC */
	uint64_t period_ns;			/* the interval asked for */
	enum sampler_clock clock;		/* as asked for */
	uint64_t samples[SAMPLER_NR_STATUS];	/* of each status */
	uint64_t missed;			/* samples not taken in time [SM-12] [SM-13] */
	uint64_t metadata_lost;			/* that found no room */
};

/*
 * What becomes of samples. Called for one profiler in order, never two at once. Any may be NULL.
 */
struct sampler_builder_ops {
	size_t size;				/* sizeof(struct sampler_builder_ops) */
	/* [handler] before each copy, while the target stands still */
	void (*capture)(void *context);
	/* [sampling thread] @sample and all in it: valid until it returns */
	void (*sample)(void *context, const struct sampler_sample *sample);
	/* [sampling thread] samples with from <= time < to are to have @item as well; only if the
	 * profile has run for all of that time */
	void (*metadata_past)(void *context, const struct sampler_metadata *item, uint64_t from_ns,
			      uint64_t to_ns);
	/*
	 * [sampling thread] once, after the last sample. Not 0: -errno and @e, for sampler_join().
	 * A builder that passes samples on to a ready one (below) may call that one's more often.
	 */
	int (*completed)(void *context, const struct sampler_summary *summary,
			 struct sampler_error *e);
	void (*free)(void *context);		/* [any thread] last of all */
	/* [sampling thread] at each point of the grid, when its samples, if any, were taken */
	void (*point)(void *context);
};

struct sampler_builder {
	const struct sampler_builder_ops *ops;
	void *context;
};

/* --- ready builders --- */

/*
 * A session that opreport and its kin read, below @session_dir, which is made if it is not there.
 * What is there already is added to: event THREAD_SAMPLE, separated by process and thread.
 * sampler_join() tells what could not be written. -EPERM: others could have it written elsewhere
 * [SM-68].
 */
int sampler_session_builder(const char *session_dir, struct sampler_builder *ret,
			    struct sampler_error *e);

enum sampler_format {
	SAMPLER_CPUPROFILE,	/* Google's CPU profile */
	SAMPLER_PPROF,		/* profile.proto, compressed */
	SAMPLER_FOLDED,		/* a line a stack */
};
/*
 * A file, written when the profile is complete; it appears whole or not at all. When completed()
 * is called again it is written anew, with all samples; a session gets those that came since.
 */
int sampler_file_builder(enum sampler_format format, const char *path,
			 struct sampler_builder *ret, struct sampler_error *e);

/* For a builder that nobody was given, because sampler_create() failed. */
void sampler_builder_free(struct sampler_builder *builder);

/* --- profilers --- */

enum {
	/* Threads that are blocked in a system call are read without a signal: they see no EINTR */
	SAMPLER_SPARE_SLEEPERS = 1,
	/* The targets are new: the CPU time that they have used by now is sampled as well, or told
	 * as missed. [SM-13] */
	SAMPLER_NEW_THREADS = 2,
};

struct sampler_params {
	size_t size;			/* sizeof(struct sampler_params) */
	uint64_t initial_delay_ns;
	uint64_t interval_ns;		/* 100,000 at least */
	uint64_t samples;		/* of each thread; 0: until sampler_stop() */
	enum sampler_clock clock;
	unsigned int flags;
};
/* As the original has them: 300 samples, ten a second. */
#define SAMPLER_PARAMS { sizeof(struct sampler_params), 0, 100000000, 300, SAMPLER_WALL, 0 }

struct sampler_profiler;

/*
 * @target NULL: every thread of the process but the sampling one, those to come as well. On
 * success the builder is the profiler's; on failure it is still the caller's. -EINVAL: params.
 */
int sampler_create(const struct sampler_thread *target, const struct sampler_params *params,
		   const struct sampler_builder *builder, struct sampler_profiler **ret);
/* Once. -EALREADY: it was started. Else why there is no thread or no signal handler. */
int sampler_start(struct sampler_profiler *p);
/* Returns at once; at most one more sample is taken. Fine at any time, also twice. */
void sampler_stop(struct sampler_profiler *p);
/*
 * [handler too] The same, if that can be done without waiting for a lock; the caller itself may
 * hold it, interrupted in fork() for one. false: it was not done.
 */
bool sampler_try_stop(struct sampler_profiler *p);
/* Wait until completed() has run. Returns what it did; 0 if the profiler was never started. */
int sampler_join(struct sampler_profiler *p, struct sampler_error *e /* or NULL */);
/* Stops and joins if that wasn't done. NULL is fine. */
void sampler_destroy(struct sampler_profiler *p);

/*
 * The signal that stops targets, before the first start; default SIGURG, which is ignored where
 * it is not handled. A handler that the program has for it still gets what is not ours; one that
 * it installs later takes ours away: samples are then SAMPLER_BLOCKED. -EBUSY: too late.
 */
int sampler_use_signal(int signal);

/*
 * Before the first start: the sampling thread gets a table of file descriptors of its own, with
 * none of the program's. Then it takes no number that the program expects to be free, and the
 * program may close and replace all of them. Builders' [sampling thread] calls cannot use the
 * program's descriptors then, standard error among them. -EBUSY: too late. [SM-17]
 */
int sampler_use_own_files(void);
/* @text to the program's standard error, from whatever thread. */
void sampler_tell(const char *text);

/* --- always on: short profiles at random times --- */

struct sampler_periodic_params {
	size_t size;
	uint64_t profile_ns;		/* how long each profile is */
	double fraction;		/* of all time, 0 < fraction <= 1: a profile in each period
					 * of profile_ns / fraction, at a random offset [SM-20] */
};
struct sampler_periodic;

/* @make fills a builder for the next profile [sampling thread]; not 0: that one is left out. */
int sampler_periodic_start(const struct sampler_thread *target, const struct sampler_params *params,
			   const struct sampler_periodic_params *periodic,
			   int (*make)(void *context, struct sampler_builder *ret), void *context,
			   struct sampler_periodic **ret);
/* Stops, waits for a running profile's completed(), and frees. NULL is fine. */
void sampler_periodic_stop(struct sampler_periodic *periodic);

/* --- metadata --- */

#define SAMPLER_METADATA_MAX 50		/* at a time, in the process */

/*
 * From now on samples have @item, until it is removed or set anew. [handler too] once @name was
 * used before. -ENOSPC: no room, counted as metadata_lost.
 */
int sampler_metadata_set(const struct sampler_metadata *item);
/* @item's value does not matter. -ENOENT. */
int sampler_metadata_remove(const struct sampler_metadata *item);
/* Samples with from <= time < to get it, in profiles that have run for all of that time. */
int sampler_metadata_apply_past(const struct sampler_metadata *item, uint64_t from_ns,
				uint64_t to_ns);

/* --- unwinders of other code --- */

/* By DWARF's numbers: x86-64 0-16 (6 rbp, 7 rsp, 16 the return address), arm64 0-32. */
#define SAMPLER_NR_REGISTERS 33
struct sampler_registers {
	uint64_t value[SAMPLER_NR_REGISTERS];
	uint64_t known;				/* bit n: value[n] is */
	uintptr_t pc, sp, fp;			/* the same again, however they are numbered */
};

/* The copy of a stack. Pointers in the stack to the stack still have their old values. */
struct sampler_stack {
	uintptr_t low, high;		/* where the original was; low may be below sp */
	const void *copy;
};
/* The aligned word at @address; false: not in the copy. */
bool sampler_stack_word(const struct sampler_stack *stack, uintptr_t address, uintptr_t *ret);
/*
 * For unwinders that follow pointers in the copy itself: the stack once more at @to, which has
 * room for it and 16 bytes. Aligned words in it that point into the stack, and registers that do,
 * are made to point into @to. Returns where low is there: at the same offset modulo 16. [SM-34]
 */
void *sampler_stack_clone(const struct sampler_stack *stack, void *to,
			  struct sampler_registers *regs);

enum sampler_unwound {
	SAMPLER_COMPLETED,		/* the outermost frame was reached */
	SAMPLER_UNRECOGNIZED,		/* another unwinder may go on from *regs */
	SAMPLER_ABORTED,		/* nobody can */
};

struct sampler_frames {
	struct sampler_frame *frames;
	size_t nr, room;
};
/* false: no room. The module is looked up. */
bool sampler_add_frame(struct sampler_frames *frames, uintptr_t address);

/*
 * The first unwinder, latest added first, that can unwind from the last frame found is asked to go
 * on; sp must rise. [sampling thread] where nothing else is told.
 */
struct sampler_unwinder_ops {
	size_t size;
	/* before the target is stopped; size of what capture() fills, 0 none */
	size_t (*state_size)(void *context);
	/* [handler] */
	void (*capture)(void *context, void *state);
	bool (*can_unwind)(void *context, const struct sampler_frame *from);
	/* Adds the callers it finds to @frames and moves @regs along. */
	enum sampler_unwound (*unwind)(void *context, void *state, struct sampler_registers *regs,
				       const struct sampler_stack *stack,
				       struct sampler_frames *frames);
	void (*free)(void *context);
};

/*
 * Before or after the start; after the stop it has no effect. On success the unwinder is the
 * profiler's. -ENOSPC: more than 8.
 */
int sampler_add_unwinder(struct sampler_profiler *p, const struct sampler_unwinder_ops *ops,
			 void *context);

/* Of this interface, as "1.0". */
const char *sampler_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling.h - what the library's parts are to each other; nothing of it is for programs
 *
 *	profiler.c, sampling_thread.c	profilers, the thread that serves them	-> uses all below
 *	copy_*.c			a thread's registers and stack, copied
 *	libsampler/unwind/walk.c, unwind_*.c		frames from the copy
 *	modules.c			what addresses belong to
 *	metadata.c			labels, as they were at the time of the copy
 */
#ifndef LIBSAMPLER_SAMPLING_H
#define LIBSAMPLER_SAMPLING_H

#include "libsampler/sampler.h"

#define SAMPLING_FRAMES_MAX	1024
#define SAMPLING_COPY_TIMEOUT_NS 50000000	/* then the thread blocks the signal [SM-31] */

/* --- libsampler/copy/buffer.c: 16-byte aligned, reused, gives big copies' pages back --- */
struct stack_buffer {
	unsigned char *bytes;
	size_t size;
	size_t used;				/* by the last copy; trimmed before the next one */
};
int stack_buffer_init(struct stack_buffer *b, size_t size);	/* 0: a default thread's stack */
void stack_buffer_free(struct stack_buffer *b);
void stack_buffer_trim(struct stack_buffer *b, size_t used);

/* --- copy_*.c --- */

/* What is to be done while the target stands still [handler]. */
struct copy_hook {
	void (*run)(void *context);
	void *context;
};

/* What the sampling thread knows of a target from sample to sample. */
struct copy_target {
	struct sampler_thread thread;
	/* of copy_stack(), zero at first */
	uintptr_t other_low, other_high;	/* the stack that is not its own it was last on */
	bool other_is_whole;			/* its end is known */
	uintptr_t thread_pointer;
	bool was_late;				/* it did not answer the last time */
};

struct stack_copy {
	enum sampler_status status;		/* SAMPLER_WHOLE: the copy is */
	struct sampler_registers regs;		/* of all but GONE, BLOCKED, FAILED */
	struct sampler_stack stack;		/* likewise; may be empty */
	uint64_t time_ns;
};

/* Once for the process; undone by nothing. [SM-30] */
int copy_install_handler(int signal);
/*
 * [sampling thread] Copy @target's stack into @buffer; @spare: without a signal if it is blocked.
 * Never waits longer than SAMPLING_COPY_TIMEOUT_NS, and not at all for a thread that did not answer
 * the last time and has not run since. @hooks run in order, before the copy. That the thread is
 * still the one that is meant, the caller knows.
 */
void copy_stack(struct copy_target *target, struct stack_buffer *buffer, bool spare,
		const struct copy_hook *hooks, size_t nr_hooks, struct stack_copy *ret);
void copy_after_fork(void);			/* [the child] */

/*
 * For unwinders that follow pointers in the copy itself: aligned words that point into the stack
 * are made to point into the copy, and so are registers. [SM-34]
 */
void copy_rewrite(void *copy, uintptr_t low, uintptr_t high, struct sampler_registers *regs);

/* --- modules.c: shared by all, guarded by its own lock --- */
/* Bring it up to date with dlopen() and dlclose(); cheap when nothing happened. */
void modules_update(void);
/* Counts up whenever something changed. */
unsigned long modules_generation(void);
const struct sampler_module *module_at(uintptr_t address);	/* or NULL */
/* Native modules, for an unwinder that needs them all: called under the lock. */
void modules_each(void (*each)(void *context, const struct sampler_module *m), void *context);
/* Modules that are gone are freed only while nobody holds them. */
void modules_hold(void);
void modules_release(void);
/*
 * The loader is not asked until modules_loader_go_on(): a child that is made while it is would find
 * the loader's lock taken for good. Taken before any other lock; false: it took too long.
 */
bool modules_loader_stop(void);
void modules_loader_go_on(void);
void modules_loader_after_fork(void);		/* [the child] */
void modules_before_fork(void);
void modules_after_fork(void);			/* [parent and child] */

/* --- libsampler/unwind/walk.c --- */

#define WALK_UNWINDERS_MAX 8
struct walk_unwinder {
	const struct sampler_unwinder_ops *ops;
	void *context;
	void *state;				/* of this sample; or NULL */
};

/* The chain of unwinders of a profiler: DWARF, frame pointers, and added ones. */
struct walker;
int walker_new(struct walker **ret);
void walker_free(struct walker *w);
int walker_add(struct walker *w, const struct sampler_unwinder_ops *ops, void *context);
/* Before the copy: states; then the hooks that the copy is to run: their number. */
size_t walker_prepare(struct walker *w, struct copy_hook *hooks, size_t room);
/* Frames of @copy, the interrupted one first; how it ended. */
enum sampler_status walker_walk(struct walker *w, const struct stack_copy *copy,
				struct sampler_frames *frames);

/* --- schedule.c: pure --- */
/* The next grid point, at least half an interval after @now; *missed: of them skipped. [SM-12] */
uint64_t schedule_next(uint64_t scheduled, uint64_t now, uint64_t interval, uint64_t *missed);
struct schedule_periodic {
	uint64_t period_ns, profile_ns;
	uint64_t period_start;
};
/* How long from @now until the next profile begins; @random in [0, 1). Jumps of the clock restart
 * the period. [SM-20] */
uint64_t schedule_profile(struct schedule_periodic *s, uint64_t now, double random);

/* --- metadata.c --- */
struct metadata_snapshot {
	struct sampler_metadata items[SAMPLER_METADATA_MAX];
	size_t nr;
};
/* [handler] Those of @tid and those of all. Takes no lock. */
void metadata_take(pid_t tid, struct metadata_snapshot *ret);
/* @text, at an address that stays and is that of this name only; NULL: no room. */
const char *metadata_name(const char *text);
uint64_t metadata_lost(void);
void metadata_after_fork(void);

/* --- fork.c [SM-16] --- */
/* The child of a fork() is to find all parts usable: the first call sees to that. */
int fork_watch(void);

#endif

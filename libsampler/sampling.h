/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling.h - the interfaces between the library's parts; not for programs
 *
 *	profiler.c, sampling_thread.c	profilers, the thread that serves them; use all below
 *	copy/				copies a thread's registers and stack
 *	unwind/walk.c, ...		finds frames in the copy
 *	unwind/module_list.c		finds the modules of addresses
 *	metadata.c			labels at the time of the copy
 */
#ifndef LIBSAMPLER_SAMPLING_H
#define LIBSAMPLER_SAMPLING_H

#include <stdatomic.h>
#include <time.h>
#include "libsampler/oprofsampler.h"

#define SAMPLING_FRAMES_MAX	1024
#define SAMPLING_DRAIN_NS 1000000000	/* how long last answers are waited for [SM-31] */

/* --- copy/buffer.c: 16-byte aligned, reused; pages stay while they are not too many --- */
struct stack_buffer {
	unsigned char *bytes;
	size_t size;
	size_t touched;				/* bytes that have pages, besides the first ones */
};
int stack_buffer_init(struct stack_buffer *b, size_t size);	/* 0: a default thread's stack */
void stack_buffer_free(struct stack_buffer *b);
void stack_buffer_used(struct stack_buffer *b, size_t used);	/* by a copy */
/* Free the pages of deep copies; all == false: only if all buffers have too many. */
void stack_buffer_trim(struct stack_buffer *b, bool all);

/* --- copy/ --- */

/* A callback while the target is stopped [handler]. */
struct copy_hook {
	void (*run)(void *context);
	void *context;
};

/* A target's state from sample to sample. */
struct copy_target {
	struct sampler_thread thread;
	/* copy/'s, zero at first */
	uintptr_t other_low, other_high;	/* the last stack it used besides its own */
	bool other_is_whole;			/* the end of that is known */
	uintptr_t thread_pointer;
	struct copy_slot *slot;			/* or NULL */
	uint64_t slot_serial;
	struct stack_buffer *buffer;		/* of the request */
	int attempt;
};

/* What the target's signal handler works with; stays until the request has ended. */
struct copy_order {
	struct stack_buffer *buffer;
	const struct copy_hook *hooks;		/* run in order, once for each sample */
	size_t nr_hooks;
};

struct stack_copy {
	enum sampler_status status;		/* SAMPLER_WHOLE: of the copy */
	struct sampler_registers regs;		/* unless without frames */
	struct sampler_stack stack;		/* likewise; may be empty */
	uint64_t time_ns, cpu_ns;		/* cpu_ns: CPU time of the thread; 0: unknown */
	uint64_t still_ns;			/* it stood still so long; 0: not stopped */
};

/*
 * The clock of the CPU time of a thread of this process, by the kernel's encoding:
 * pthread_getcpuclockid() needs a pthread_t, which may be gone.
 */
static inline clockid_t copy_cpu_clock(pid_t tid)
{
	return (clockid_t)(~(unsigned int)tid << 3 | 6);
}

/* Once per process; the handler is never removed. [SM-30] */
int copy_install_handler(int signal);

/*
 * [sampling thread] Copies of the stacks of @target; the caller checks that the thread is still the
 * same. At most one request of each target is open.
 *
 * Without a signal, if it is blocked in the system. False: it is not, or not all the time.
 */
bool copy_blocked(struct copy_target *target, struct stack_buffer *buffer, struct stack_copy *ret);
/* Send it a signal. True: that failed, and *ret is the result. Else copy_take() has it later. */
bool copy_ask(struct copy_target *target, const struct copy_order *order, struct stack_copy *ret);
/*
 * Signal it at @first_ns of its CPU time and after each interval, until copy_release(), and expect
 * an answer to the first one. Again: from now on at other times. No request is open.
 */
int copy_start_timer(struct copy_target *target, const struct copy_order *order,
		     uint64_t first_ns, uint64_t interval_ns);
/* Open a request that its timer's signal answers once it has used @cpu_due ns of CPU time. */
void copy_expect(struct copy_target *target, const struct copy_order *order, uint64_t cpu_due);
/* Once for each request; false: not answered yet. */
bool copy_take(struct copy_target *target, struct stack_copy *ret);
/* False: it has been answered; else it will not be, and the order may be freed. */
bool copy_withdraw(struct copy_target *target);
/* Why there is no answer. */
enum copy_reach {
	COPY_IS_OPEN,				/* the signal is not pending */
	COPY_IS_PENDING,			/* the thread has not run since, in user space */
	COPY_IS_BLOCKED,			/* it blocks the signal, or that is not ours now */
	COPY_IS_GONE,
};
enum copy_reach copy_reach(const struct copy_target *target);
/* Withdraws, and frees what the target has. */
void copy_release(struct copy_target *target);
void copy_after_fork(void);			/* [child] */

/* --- copy/bell.c: wake the sampling thread --- */
void copy_bell_ring(void);			/* [handler too] */
void copy_bell_answer(void);			/* [handler] ring; some request is answered */
bool copy_bell_take(void);			/* whether one was since the last call */
uint32_t copy_bell_turn(void);			/* changes with each ring */
/* Until the turn is not @since any more, or @until_ns; or sooner. */
void copy_bell_wait(uint32_t since, uint64_t until_ns);

/*
 * For unwinders that follow pointers in the copy itself: make aligned words and registers that
 * point into the stack point into the copy. [SM-34]
 */
void copy_rewrite(void *copy, uintptr_t low, uintptr_t high, struct sampler_registers *regs);

/* --- unwind/module_list.c: shared by all, guarded by its own lock --- */
/* Follow dlopen() and dlclose(); cheap if nothing has changed. */
void modules_update(void);
/* Incremented by each change. */
unsigned long modules_generation(void);
const struct sampler_module *module_at(uintptr_t address);	/* or NULL */
/* The address of what the program or a library exports as @name; or 0. */
uintptr_t modules_symbol(const char *name);
/* Native modules, for an unwinder that needs all of them; @each is called under the lock. */
void modules_each(void (*each)(void *context, const struct sampler_module *m), void *context);
/* Unloaded modules are kept while anybody holds modules. */
void modules_hold(void);
void modules_release(void);
/*
 * Do not call the loader until modules_loader_resume(): a child that is forked during such a call
 * would find the loader's lock taken forever. Taken before any other lock; false: timed out.
 */
bool modules_loader_pause(void);
void modules_loader_resume(void);
void modules_loader_after_fork(void);		/* [child] */
void modules_before_fork(void);
void modules_after_fork(void);			/* [parent and child] */

/* --- unwind/walk.c --- */

#define WALK_UNWINDERS_MAX 8
struct walk_unwinder {
	const struct sampler_unwinder_ops *ops;
	void *context;
};

/* What the unwinders captured of one target; zero at first. */
struct walk_states {
	struct walk_state {
		struct walk_unwinder of;
		void *state;
		size_t room;
		bool is_skipped;		/* in this sample, for lack of memory */
	} list[WALK_UNWINDERS_MAX];
	size_t nr;
};
void walk_states_free(struct walk_states *states);

/* The unwinders of a profiler: DWARF, frame pointers, and added ones. */
struct walker;
int walker_new(struct walker **ret);
void walker_free(struct walker *w);
int walker_add(struct walker *w, const struct sampler_unwinder_ops *ops, void *context);
/*
 * Before the copy: allocate @states, and fill in the hooks for the copy. Returns their number. They
 * are used until the copy was walked.
 */
size_t walker_prepare(struct walker *w, struct walk_states *states, struct copy_hook *hooks,
		      size_t room);
/* Find the frames of @copy, the interrupted one first. @states: NULL without a signal. */
enum sampler_status walker_walk(struct walker *w, const struct walk_states *states,
				const struct stack_copy *copy, struct sampler_frames *frames);

/* --- schedule.c: pure functions --- */
/* The next grid point, at least half an interval after @now; *missed: skipped ones. [SM-12] */
uint64_t schedule_next(uint64_t scheduled, uint64_t now, uint64_t interval, uint64_t *missed);
/*
 * A signal that is @late stands for all the intervals that were due: how late each of these is, in
 * sum, and *ret_nr: of how many, the last ones and SCHEDULE_DELAYS_MAX at most. [SM-19]
 */
#define SCHEDULE_DELAYS_MAX	4
uint64_t schedule_delays(uint64_t late, uint64_t interval, uint64_t *ret_nr);
struct schedule_periodic {
	uint64_t period_ns, profile_ns;
	uint64_t period_start;
};
/*
 * The time from @now until the next profile begins; @random in [0, 1). Jumps of the clock restart
 * the period. [SM-20]
 */
uint64_t schedule_profile(struct schedule_periodic *s, uint64_t now, double random);

/* --- metadata.c --- */
struct metadata_snapshot {
	struct sampler_metadata items[SAMPLER_METADATA_MAX];
	size_t nr;
};
/* [handler] The items of @tid and of all threads. Takes no lock. */
void metadata_take(pid_t tid, struct metadata_snapshot *ret);
/* The one permanent copy of @text; NULL: no room. */
const char *metadata_name(const char *text);
uint64_t metadata_lost(void);

/* --- fork.c [SM-16] --- */
/* What a part does in a child, under the sampling lock; static, all else zero. */
struct fork_hook {
	void (*child)(void);
	struct fork_hook *next;
	atomic_flag is_added;
};
/* Install the fork handlers that keep all parts usable in a child, and add @hook to them, once. */
int fork_watch(struct fork_hook *hook);

#endif

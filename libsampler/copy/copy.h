/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h - copy threads' stacks: stack.c decides how, signal.c has the threads copy them, proc.c
 * reads /proc
 */
#ifndef LIBSAMPLER_COPY_COPY_H
#define LIBSAMPLER_COPY_COPY_H

#include "libsampler/sampling.h"

/* Runs in the signal handler, so it must not be instrumented. */
#define IN_HANDLER __attribute__((no_sanitize("address"), no_sanitize("undefined"), \
				  no_sanitize("thread"), no_instrument_function))
/* The same for what reads other threads' data there: only races are checked. */
#define SHARED_IN_HANDLER __attribute__((no_sanitize("address"), no_sanitize("undefined"), \
					 no_instrument_function))

/* --- signal.c --- */

/* A range of memory that may hold the stack. */
struct copy_range {
	uintptr_t low, high;
	size_t most;			/* bytes to copy at a time; 0: unlimited */
};

struct copy_request {
	struct copy_range own;		/* always mapped: plain loads */
	struct copy_range other;	/* may be unmapped: read through the kernel */
	bool is_last;			/* run hooks even if sp is in neither */
	unsigned char *to;		/* 16-byte aligned */
	size_t room;
	const struct copy_hook *hooks;
	size_t nr_hooks;
};

enum copy_outcome {
	COPY_DONE,
	COPY_CUT,			/* only the innermost part had room */
	COPY_ELSEWHERE,			/* sp is in neither range, or the range is unmapped */
	COPY_REFUSED,			/* by the kernel */
};
struct copy_answer {
	enum copy_outcome outcome;
	struct sampler_registers regs;	/* always */
	uintptr_t low, high;		/* the copied range, at offset low % 16; may be empty */
	/* below an alternate signal stack: the part of the interrupted one; may be empty */
	uintptr_t outer_low, outer_high;
	uintptr_t unknown_sp;		/* COPY_ELSEWHERE: it is in neither range */
	uintptr_t thread_pointer;
	uint64_t time_ns, cpu_ns;	/* at the beginning; cpu_ns: by the thread's CPU clock */
	uint64_t still_ns;		/* CPU time that the thread stood still for it */
};

/* A request to one thread at a time, and its answer. */
struct copy_slot {
	_Atomic uint32_t word;		/* a stamp, and a phase: signal.c */
	_Atomic uint64_t cpu_due;	/* CPU time of the thread before which it does not answer */
	atomic_bool is_served;		/* its thread has not returned from the handler yet */
	struct copy_request request;	/* changed only while no request is open */
	struct copy_answer answer;
	struct copy_slot *next;		/* in the list of free ones */
	uint64_t serial;		/* of its use; 0: free */
	pid_t pid, tid;
	unsigned int index;
	uint32_t stamp;
	int timer;
	bool has_timer;
};

/* All are called by the sampling thread, except in tests. NULL: too many, or no memory. */
struct copy_slot *copy_slot_new(pid_t tid);
void copy_slot_free(struct copy_slot *slot);	/* withdraws its request; stops its timer */
/* Open the request in @slot: the thread answers when it gets the signal, as from a timer. */
void copy_slot_open(struct copy_slot *slot, uint64_t cpu_due);
/*
 * Open it and send the signal. -ESRCH: no such thread. -EBUSY: the signal has another handler now.
 * Or another error of the system. The request is withdrawn then.
 */
int copy_slot_ask(struct copy_slot *slot);
bool copy_slot_is_answered(const struct copy_slot *slot);
/* True: the thread will not touch the request any more. False: it has been answered. */
bool copy_slot_withdraw(struct copy_slot *slot);
/* Signal the thread at @first of its CPU time and after each @interval. */
int copy_slot_start_timer(struct copy_slot *slot, uint64_t first, uint64_t interval);

int copy_signal(void);			/* the signal of requests; 0: not installed yet */
bool copy_signal_is_ours(void);		/* false: the program has changed its handler */

/*
 * The number of bytes to copy of @range for a stack pointer in it, from *ret_from on. That is below
 * sp by the red zone, because registers are restored from there. *is_cut: @room is too small.
 */
size_t copy_part(const struct copy_range *range, uintptr_t sp, size_t room, uintptr_t *ret_from,
		 bool *is_cut);
/* Where the part of the interrupted stack is, behind that of an alternate one. */
static inline size_t copy_outer_offset(const struct copy_answer *a)
{
	size_t end = a->low % 16 + (a->high - a->low);

	return (end + 15) / 16 * 16 + a->outer_low % 16;
}
uint64_t copy_clock(void);

/* --- registers.c --- */

IN_HANDLER void copy_registers(const void *ucontext, struct sampler_registers *ret);
/* Of a blocked thread, whose other registers are unknown. */
void copy_registers_blocked(uintptr_t pc, uintptr_t sp, struct sampler_registers *ret);
/* [handler] The address of the C library's data of the thread. */
IN_HANDLER uintptr_t copy_thread_pointer(void);
/* [handler] The stack pointer in a ucontext that the kernel has stored. */
IN_HANDLER uintptr_t copy_context_sp(const void *ucontext);

/* --- proc.c: false or 0 if /proc does not have it --- */

/* The readable mapping around @address; *is_stack: it is the main thread's stack. */
bool copy_find_mapping(uintptr_t address, uintptr_t *low, uintptr_t *high, bool *is_stack);
/* Whether @signal is pending for @tid, and whether it is blocked. */
bool copy_read_signal(pid_t tid, int signal, bool *is_pending, bool *is_blocked);

/* The state of a thread that is blocked in the kernel, and texts that change once it runs. */
struct copy_blocked {
	uintptr_t pc, sp;
	char call[256], runs[64];
};
bool copy_read_blocked(pid_t tid, struct copy_blocked *ret);

#endif

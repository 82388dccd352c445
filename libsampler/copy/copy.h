/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h - how a thread's stack is got at: between stack.c, which decides, signal.c,
 * which asks the thread itself, and proc.c, which asks the system
 */
#ifndef LIBSAMPLER_COPY_COPY_H
#define LIBSAMPLER_COPY_COPY_H

#include "libsampler/sampling.h"

/* Runs in the signal handler: nothing may be put in for checks. */
#define IN_HANDLER __attribute__((no_sanitize("address"), no_sanitize("undefined"), \
				  no_sanitize("thread"), no_instrument_function))
/* Reads there what other threads write: that alone is checked. */
#define SHARED_IN_HANDLER __attribute__((no_sanitize("address"), no_sanitize("undefined"), \
					 no_instrument_function))

/* --- signal.c --- */

/* A part of memory that may hold the stack. */
struct copy_range {
	uintptr_t low, high;
	size_t most;			/* of it, copied at a time; 0: all or nothing */
};

struct copy_request {
	pid_t tid;
	struct copy_range own;		/* always mapped: plain loads */
	struct copy_range other;	/* may be gone by now: read through the kernel */
	bool is_last;			/* hooks run even if sp is in neither */
	unsigned char *to;		/* 16-byte aligned */
	size_t room;
	const struct copy_hook *hooks;
	size_t nr_hooks;
};

enum copy_outcome {
	COPY_DONE,
	COPY_TOO_BIG,			/* nothing was written */
	COPY_ELSEWHERE,			/* sp is in neither range, or what was there is gone */
	COPY_REFUSED,			/* by the kernel */
};
struct copy_answer {
	enum copy_outcome outcome;
	struct sampler_registers regs;	/* always */
	uintptr_t low, high;		/* what was copied, to offset low % 16; empty if not done */
	uintptr_t thread_pointer;
	uint64_t time_ns;
};

/*
 * 0, and *ret is the thread's answer. -ESRCH: there is no such thread; -ETIMEDOUT: it did not
 * answer, and will not touch the request any more; -EBUSY: the signal is not ours any more; or
 * what else the system says. One request at a time.
 */
int copy_ask(const struct copy_request *request, struct copy_answer *ret);

int copy_signal(void);			/* that asks; 0 none yet */

/*
 * What is to be copied of @range for a stack pointer in it: from *ret_from on, which is below sp by
 * what functions may use there, for registers are restored from it. 0: more than there is @room
 * for.
 */
size_t copy_part(const struct copy_range *range, uintptr_t sp, size_t room, uintptr_t *ret_from);
uint64_t copy_clock(void);

/* --- registers.c --- */

IN_HANDLER void copy_registers(const void *ucontext, struct sampler_registers *ret);
/* Of a thread of which no more is known. */
void copy_registers_blocked(uintptr_t pc, uintptr_t sp, struct sampler_registers *ret);
/* [handler] Where the C library keeps what belongs to the thread. */
IN_HANDLER uintptr_t copy_thread_pointer(void);

/* --- proc.c: false or 0 where /proc does not tell --- */

/* The readable mapping around @address; *is_stack: it is the main thread's. */
bool copy_find_mapping(uintptr_t address, uintptr_t *low, uintptr_t *high, bool *is_stack);
/* A signal sent to @tid still waits to be seen. */
bool copy_is_pending(pid_t tid, int signal);

/* Where a thread that is blocked in the system is, and a text that changes once it has run. */
struct copy_blocked {
	uintptr_t pc, sp;
	char call[256], runs[64];
};
bool copy_read_blocked(pid_t tid, struct copy_blocked *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h - copy a thread's stack: stack.c decides how, signal.c has the thread copy it, proc.c
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
	size_t most;			/* bytes to copy at a time; 0: all or nothing */
};

struct copy_request {
	pid_t tid;
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
	COPY_TOO_BIG,			/* nothing was written */
	COPY_ELSEWHERE,			/* sp is in neither range, or the range is unmapped */
	COPY_REFUSED,			/* by the kernel */
};
struct copy_answer {
	enum copy_outcome outcome;
	struct sampler_registers regs;	/* always */
	uintptr_t low, high;		/* the copied range, at offset low % 16; may be empty */
	uintptr_t thread_pointer;
	uint64_t time_ns;
};

/*
 * 0, with the thread's answer in *ret. -ESRCH: no such thread. -ETIMEDOUT: it did not answer, and
 * will not touch the request any more. -EBUSY: the signal has another handler now. Or another error
 * of the system. One request at a time.
 */
int copy_ask(const struct copy_request *request, struct copy_answer *ret);

int copy_signal(void);			/* the signal of requests; 0: not installed yet */

/*
 * The number of bytes to copy of @range for a stack pointer in it, from *ret_from on. That is below
 * sp by the red zone, because registers are restored from there. 0: more than @room.
 */
size_t copy_part(const struct copy_range *range, uintptr_t sp, size_t room, uintptr_t *ret_from);
uint64_t copy_clock(void);

/* --- registers.c --- */

IN_HANDLER void copy_registers(const void *ucontext, struct sampler_registers *ret);
/* Of a blocked thread, whose other registers are unknown. */
void copy_registers_blocked(uintptr_t pc, uintptr_t sp, struct sampler_registers *ret);
/* [handler] The address of the C library's data of the thread. */
IN_HANDLER uintptr_t copy_thread_pointer(void);

/* --- proc.c: false or 0 if /proc does not have it --- */

/* The readable mapping around @address; *is_stack: it is the main thread's stack. */
bool copy_find_mapping(uintptr_t address, uintptr_t *low, uintptr_t *high, bool *is_stack);
/* Whether @signal is pending for @tid. */
bool copy_is_pending(pid_t tid, int signal);

/* The state of a thread that is blocked in the kernel, and texts that change once it runs. */
struct copy_blocked {
	uintptr_t pc, sp;
	char call[256], runs[64];
};
bool copy_read_blocked(pid_t tid, struct copy_blocked *ret);

#endif

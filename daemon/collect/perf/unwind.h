/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind.h - walk the copied user stack of a sample
 *
 * unwind/walk.h walks; this provides what it reads: the sample's registers and its copy of the
 * stack. All other memory is unreadable [PC-83].
 */
#ifndef DAEMON_COLLECT_PERF_UNWIND_H
#define DAEMON_COLLECT_PERF_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include "daemon/collect/perf/records.h"
#include "oprofilefs/op_abi.h"
#include "unwind/walk.h"

struct perf_unwind {
	struct op_unwind_cursor cursor;
	const unsigned char *copy;
	uint64_t sp;
	uint32_t size, asked;		/* bytes in @copy, and how many were asked for */
	uint32_t needed;		/* of these, so far */
	uint64_t beyond;		/* bytes needed to go on; 0: the copy is long enough */
};

/*
 * Start at the frame that the sample interrupted, or whose system call or fault it is in
 * (@in_kernel). @stack has registers.
 */
void perf_unwind_begin(struct perf_unwind *u, const struct perf_sample_stack *stack,
		       bool in_kernel);

/* An address in the instruction that the frame is at: what to look up. */
static inline uint64_t perf_unwind_place(const struct perf_unwind *u)
{
	return op_unwind_place(&u->cursor);
}

/* The frame's address as stacks record it [EB-42]: just after perf_unwind_place(). */
static inline uint64_t perf_unwind_caller(const struct perf_unwind *u)
{
	return op_unwind_caller(&u->cursor);
}

/*
 * Step to the caller. @table, or NULL, is that of the file at perf_unwind_place(u), and @offset the
 * place's offset in the file. False: that was the last frame; *ret_end is the reason.
 */
bool perf_unwind_step(struct perf_unwind *u, const struct op_unwind_table *table, uint64_t offset,
		      enum op_stack_end *ret_end);

#endif

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
	uint32_t size, asked;		/* bytes in @copy, and bytes asked for */
	uint32_t needed;		/* bytes used so far */
	uint64_t beyond;		/* bytes needed to continue; 0: the copy is long enough */
};

/*
 * Start at the user frame that the sample interrupted or, @in_kernel, that entered the kernel.
 * @stack has registers. False: the stack cannot be unwound, as its machine is not supported.
 */
bool perf_unwind_begin(struct perf_unwind *u, const struct perf_sample_stack *stack,
		       bool in_kernel);

/* An address within the frame's instruction, to look it up by. */
static inline uint64_t perf_unwind_place(const struct perf_unwind *u)
{
	return op_unwind_place(&u->cursor);
}

/* The frame's address as stacks record it [EB-42]: one more than perf_unwind_place(). */
static inline uint64_t perf_unwind_caller(const struct perf_unwind *u)
{
	return op_unwind_caller(&u->cursor);
}

/*
 * Step to the caller. @table: of the file at perf_unwind_place(u), or NULL; @offset: of that place
 * in the file. False: that was the last frame; *ret_end is the reason.
 */
bool perf_unwind_step(struct perf_unwind *u, const struct op_unwind_table *table, uint64_t offset,
		      enum op_stack_end *ret_end);

#endif

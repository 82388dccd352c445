/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind.h - walk a user stack that was copied
 *
 * The walk itself is unwind/walk.h's; here is what it walks on: registers and memory of a sample,
 * and nothing else. What the copy does not hold can't be read [PC-83].
 */
#ifndef DAEMON_COLLECT_PERF_UNWIND_H
#define DAEMON_COLLECT_PERF_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include "daemon/collect/perf/chain.h"
#include "oprofilefs/op_abi.h"
#include "unwind/walk.h"

struct perf_unwind {
	struct op_unwind_cursor cursor;
	const unsigned char *stack;
	uint64_t sp;
	uint32_t size, asked;		/* bytes at @stack; and as many there could be */
	uint32_t needed;		/* of these, so far */
	uint64_t beyond;		/* that many would be needed to go on; 0: not for that */
};

/*
 * Stand on the frame that the sample stopped, or whose system call or fault it is in (@in_kernel).
 * @chain has registers.
 */
void perf_unwind_begin(struct perf_unwind *u, const struct perf_chain *chain, bool in_kernel);

/* An address in the instruction that the frame is at: what to look up. */
static inline uint64_t perf_unwind_place(const struct perf_unwind *u)
{
	return op_unwind_place(&u->cursor);
}

/* The frame's address as chains have it [EB-42]: it is behind perf_unwind_place(). */
static inline uint64_t perf_unwind_caller(const struct perf_unwind *u)
{
	return op_unwind_caller(&u->cursor);
}

/*
 * Step to the caller. @table, or NULL, is that of the file at perf_unwind_place(u), and
 * @offset where in it that is. False: that was the last frame, and *ret_end says why.
 */
bool perf_unwind_step(struct perf_unwind *u, const struct op_unwind_table *table, uint64_t offset,
		      enum op_stack_end *ret_end);

#endif

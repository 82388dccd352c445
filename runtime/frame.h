/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.h - what the steps of all runtimes share: see walk.h */
#ifndef RUNTIME_FRAME_H
#define RUNTIME_FRAME_H

#include "runtime/runtime.h"

enum op_runtime_result {
	OP_RUNTIME_FRAME,	/* there is one */
	OP_RUNTIME_SKIPPED,	/* that was none, but more may follow */
	OP_RUNTIME_LEFT,	/* the last one was that: back to C */
	OP_RUNTIME_BAD,		/* unreadable or implausible */
};

struct op_runtime_frame {
	u64 object;		/* the code object's address and mark */
	u64 offset;		/* of the instruction in it */
};

/* A C frame. */
struct op_runtime_native {
	u64 sp, cfa;
	u64 place;		/* an address in its instruction */
	bool exact;		/* it was interrupted there and did not call */
	bool has_registers;	/* the next two are known */
	u64 r14, r15;
};

struct op_runtime_walk {
	u32 number;		/* 0: no more frames */
	bool is_begun;		/* PHP: the innermost call of the loop was found */
	bool is_first;		/* of this call of the loop */
	bool is_last;
	u64 loop, loop_size;
	u64 state, code_type;
	u64 record, next_record;	/* CPython: of the loop's calls, from the innermost on */
	u64 sp, cfa;		/* CPython 3.13: the loop's C frame */
	u64 start;		/* its first frame */
	u64 frame;
	u64 position;		/* of the first frame's instruction; not for CPython */
};

/* As op_unwind_read (unwind/walk.h): 8 bytes. */
typedef bool (*op_runtime_read)(void *context, u64 address, u64 *ret);

static __always_inline bool
op_runtime_is_loop(const struct op_runtime_walk *w, const struct op_runtime_native *n)
{
	return n->place - w->loop < w->loop_size;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * php.h - step through the frames of PHP: see walk.h
 *
 * The loop, execute_ex(), keeps its frame in r14 and its instruction in r15, which the unwind table
 * does not know: they are right in the innermost call of the loop. The next calls' frames are found
 * behind the frame with which that was entered. Calls of C functions have frames, too.
 */
#ifndef RUNTIME_PHP_H
#define RUNTIME_PHP_H

#include "runtime/frame.h"

static __always_inline bool op_php_is_user(u64 type)
{
	return (u8)type == OP_PHP_USER_FUNCTION || (u8)type == OP_PHP_EVAL_CODE;
}

/*
 * While the loop is being entered or left, the register is another's. Else the frame in it is the
 * one that runs, or the loop is about to enter or leave that frame or a C function called from it.
 */
static __always_inline bool
op_php_is_current(const struct op_runtime_php *t, const struct op_runtime_walk *w, u64 frame,
		  op_runtime_read read, void *context)
{
	u64 current = 0, previous = 0, function = 0, type = 0;

	if (!read(context, w->state, &current))
		return false;
	if (current == frame || (read(context, frame + t->previous, &previous) &&
				 previous == current))
		return true;
	return read(context, current + t->previous, &previous) && previous == frame &&
	       read(context, current + t->function, &function) &&
	       read(context, function, &type) && !op_php_is_user(type);
}

static __always_inline bool
op_php_enter(const struct op_runtime_php *t, struct op_runtime_walk *w,
	     const struct op_runtime_native *n, op_runtime_read read, void *context)
{
	if (!op_runtime_is_loop(w, n))
		return false;
	w->position = 0;
	if (w->is_begun)
		return true;
	if (!n->has_registers ||
	    (n->exact && !op_php_is_current(t, w, n->r14, read, context))) {
		w->number = 0;
		return false;
	}
	w->is_begun = true;
	w->frame = n->r14;
	w->position = n->r15;
	return true;
}

/* The instruction's line counted from the function's first one; 0 if it has none. */
static __always_inline u64
op_php_line(const struct op_runtime_php *t, const struct op_runtime_walk *w, u64 lines,
	    op_runtime_read read, void *context)
{
	u64 position = w->position, line = 0;

	if (!position && !read(context, w->frame, &position))
		return 0;
	if (!read(context, position + t->instruction_line, &line))
		return 0;
	line = (u32)line - (u32)lines;
	return line <= (lines >> 32) - (u32)lines ? line : 0;
}

static __always_inline enum op_runtime_result
op_php_step(const struct op_runtime_php *t, struct op_runtime_walk *w,
	    struct op_runtime_frame *ret, op_runtime_read read, void *context)
{
	u64 function = 0, previous = 0, info = 0, type = 0, name = 0, lines = 0;

	if (w->is_last)
		return OP_RUNTIME_LEFT;
	if (!read(context, w->frame + t->function, &function) ||
	    !read(context, w->frame + t->previous, &previous) ||
	    !read(context, w->frame + t->info, &info) ||
	    (function && !read(context, function, &type)))
		return OP_RUNTIME_BAD;
	if (!op_php_is_user(type)) {
		w->frame = previous;
		return w->is_first ? OP_RUNTIME_SKIPPED : OP_RUNTIME_BAD;
	}
	if (!read(context, function + t->name, &name) ||
	    !read(context, function + t->line, &lines) || lines >> 32 < (u32)lines)
		return OP_RUNTIME_BAD;
	ret->object = OP_RUNTIME_OBJECT(function) | op_runtime_mark(name, lines);
	ret->offset = op_php_line(t, w, lines, read, context);
	w->is_last = info & OP_PHP_CALL_TOP;
	w->is_first = false;
	w->position = 0;
	w->frame = previous;
	return ret->offset < OP_RUNTIME_SIZE_MAX ? OP_RUNTIME_FRAME : OP_RUNTIME_BAD;
}

#endif

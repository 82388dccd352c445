/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python.h - step through the frames of CPython: see walk.h
 *
 * Each call of the loop keeps a record in its own C frame (CFrame): the C frame in which the next
 * record lies stands for the frames of that record. From 3.13 on there is none, and the last frame
 * of the call, which C owns, must lie in the C frame.
 */
#ifndef RUNTIME_PYTHON_H
#define RUNTIME_PYTHON_H

#include "runtime/frame.h"

/* glibc's struct pthread on x86-64: the values of the first 32 keys. */
#define OP_RUNTIME_KEYS		32
#define OP_RUNTIME_KEY_VALUE(key) (0x310 + 16 * (u64)(key) + 8)

/* Set *ret to the state of the thread whose thread pointer is @thread. */
static __always_inline bool
op_python_state(const struct op_runtime_python *t, const struct op_runtime *r, u64 base,
		u64 thread, op_runtime_read read, void *context, u64 *ret)
{
	u64 key = 0, owner = 0;

	if (r->current_state && read(context, base + r->current_state, ret) && *ret &&
	    read(context, *ret + t->thread, &owner) && owner == thread)
		return true;
	if (!read(context, base + r->state, &key) || (u32)key >= OP_RUNTIME_KEYS)
		return false;
	return read(context, thread + OP_RUNTIME_KEY_VALUE((u32)key), ret) && *ret &&
	       read(context, *ret + t->thread, &owner) && owner == thread;
}

/* If there is no state, there are no frames. */
static __always_inline bool
op_python_begin(const struct op_runtime_python *t, struct op_runtime_walk *w,
		const struct op_runtime *r, u64 base, u64 thread, op_runtime_read read,
		void *context)
{
	u64 state = 0;

	w->code_type = base + r->code_type;
	if (!op_python_state(t, r, base, thread, read, context, &state))
		return false;
	return t->cframe ? read(context, state + t->cframe, &w->record) :
			   read(context, state + t->current, &w->start);
}

/* The next record is taken in any case. */
static __always_inline bool
op_python_enter(const struct op_runtime_python *t, struct op_runtime_walk *w,
		const struct op_runtime_native *n, op_runtime_read read, void *context)
{
	u64 record = w->record;

	if (!t->cframe) {
		w->sp = n->sp;
		w->cfa = n->cfa;
		w->frame = w->start;
		return op_runtime_is_loop(w, n);
	}
	if (record < n->sp || record >= n->cfa)
		return false;
	if (!read(context, record + t->cframe_previous, &w->next_record)) {
		w->number = 0;
		return false;
	}
	w->record = w->next_record;
	return read(context, record + t->cframe_current, &w->frame);
}

/* What follows the last frame is the innermost one of the record before. */
static __always_inline enum op_runtime_result
op_python_leave(const struct op_runtime_python *t, struct op_runtime_walk *w, u64 previous,
		op_runtime_read read, void *context)
{
	u64 next = 0;

	if (!t->cframe) {
		if (w->frame < w->sp || w->frame >= w->cfa)
			return OP_RUNTIME_BAD;
		w->start = previous;
		return OP_RUNTIME_LEFT;
	}
	return read(context, w->next_record + t->cframe_current, &next) && next == previous ?
	       OP_RUNTIME_LEFT : OP_RUNTIME_BAD;
}

/* Code without a line, which the interpreter itself has between calls, is no function. */
static __always_inline enum op_runtime_result
op_python_object(const struct op_runtime_python *t, const struct op_runtime_walk *w, u64 object,
		 u64 position, struct op_runtime_frame *ret, op_runtime_read read, void *context)
{
	u64 type = 0, size = 0, mark = 0;

	if (!read(context, object + OP_PYTHON_TYPE, &type) || type != w->code_type ||
	    !read(context, object + OP_PYTHON_SIZE, &size) ||
	    !read(context, object + t->mark, &mark))
		return OP_RUNTIME_BAD;
	ret->object = OP_RUNTIME_OBJECT(object) | op_runtime_mark(size, mark);
	ret->offset = position - object;
	/* before its first instruction a frame is at the one before that */
	if (ret->offset >= OP_RUNTIME_SIZE_MAX || size >= OP_RUNTIME_SIZE_MAX ||
	    ret->offset + 2 < t->instructions || ret->offset >= t->instructions + 2 * size)
		return OP_RUNTIME_BAD;
	return (u32)mark ? OP_RUNTIME_FRAME : OP_RUNTIME_SKIPPED;
}

static __always_inline enum op_runtime_result
op_python_step(const struct op_runtime_python *t, struct op_runtime_walk *w,
	       struct op_runtime_frame *ret, op_runtime_read read, void *context)
{
	u64 object = 0, previous = 0, position = 0, marks = 0;
	enum op_runtime_result result;

	if (w->is_last)
		return op_python_leave(t, w, w->frame, read, context);
	if (!read(context, w->frame + t->previous, &previous) ||
	    !read(context, w->frame + t->marks, &marks))
		return OP_RUNTIME_BAD;
	if ((u8)(marks >> t->owner) >= OP_RUNTIME_OWNED_BY_C)
		return t->entry == OP_RUNTIME_NO_ENTRY ?
		       op_python_leave(t, w, previous, read, context) : OP_RUNTIME_BAD;
	if (!read(context, w->frame + t->code, &object) ||
	    !read(context, w->frame + t->position, &position))
		return OP_RUNTIME_BAD;
	result = op_python_object(t, w, object, position, ret, read, context);
	w->is_last = t->entry != OP_RUNTIME_NO_ENTRY && (marks >> (t->entry & 63) & 0xff);
	w->frame = previous;
	return result;
}

#endif

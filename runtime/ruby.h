/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ruby.h - step through the frames of Ruby: see walk.h
 *
 * The loop, vm_exec_core(), keeps its frame in r15 and its instruction in r14, as the unwind table
 * knows, too. A thread's frames are in one array. Those of C functions are never between two of the
 * same call of the loop.
 */
#ifndef RUNTIME_RUBY_H
#define RUNTIME_RUBY_H

#include "runtime/frame.h"

/* While the loop is being entered, the register is not set yet: then the frame that runs is another
 * one. The same with ractors: which thread runs is known of one only. */
static __always_inline bool
op_ruby_is_current(const struct op_runtime_ruby *t, const struct op_runtime_walk *w, u64 frame,
		   op_runtime_read read, void *context)
{
	u64 ractor = 0, thread = 0, current = 0;

	return read(context, w->state, &ractor) && ractor &&
	       read(context, ractor + t->context, &thread) &&
	       read(context, thread + t->frame, &current) && current == frame;
}

static __always_inline bool
op_ruby_enter(const struct op_runtime_ruby *t, struct op_runtime_walk *w,
	      const struct op_runtime_native *n, op_runtime_read read, void *context)
{
	if (!op_runtime_is_loop(w, n) || !n->has_registers ||
	    (n->exact && !op_ruby_is_current(t, w, n->r15, read, context)))
		return false;
	w->frame = n->r15;
	w->position = n->r14;
	return true;
}

static __always_inline enum op_runtime_result
op_ruby_step(const struct op_runtime_ruby *t, struct op_runtime_walk *w,
	     struct op_runtime_frame *ret, op_runtime_read read, void *context)
{
	u64 iseq = 0, environment = 0, flags = 0, body = 0, size = 0, code = 0;

	if (w->is_last)
		return OP_RUNTIME_LEFT;
	if ((!w->position && !read(context, w->frame, &w->position)) ||
	    !read(context, w->frame + t->iseq, &iseq) || !iseq ||
	    !read(context, w->frame + t->environment, &environment) ||
	    !read(context, environment, &flags) || !read(context, iseq + t->body, &body) ||
	    !read(context, body + t->size, &size) || !read(context, body + t->code, &code))
		return OP_RUNTIME_BAD;
	ret->object = OP_RUNTIME_OBJECT(body) | op_runtime_mark((u32)size, code);
	/* it is at the next instruction */
	ret->offset = w->position - code;
	ret->offset -= ret->offset ? 8 : 0;
	w->is_last = flags & OP_RUBY_FINISH;
	w->position = 0;
	w->frame += t->frame_size;
	return (u32)size < OP_RUNTIME_SIZE_MAX / 8 && ret->offset < 8 * (u64)(u32)size ?
	       OP_RUNTIME_FRAME : OP_RUNTIME_BAD;
}

#endif

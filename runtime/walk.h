/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h - step through the frames of an interpreter, in the sample
 *
 * [nmi] Shared as unwind/walk.h is: nothing allocates, sleeps, loops or trusts what it reads. The C
 * stack is unwound meanwhile: each call of the interpreter's loop keeps a record in its own C
 * frame, so a C frame with the next record in it stands for the interpreted frames of that record.
 *
 *	op_runtime_begin(&w, runtime, base, thread, read, context);	(once for a stack)
 *	(unwind a C frame of the runtime's image, from @sp to @cfa)
 *	if (op_runtime_enter(&w, sp, cfa, read, context))
 *		do {
 *			step = op_runtime_step(&w, &frame, read, context);
 *			if (step == OP_RUNTIME_FRAME) (frame is the next one)
 *		} while (step == OP_RUNTIME_FRAME && there is room for more);
 *
 * Frames count only if that ends with OP_RUNTIME_LEFT: the thread may just be changing them. Else
 * the C frame stands for itself. What is read is initialized for BPF's verifier, because a compiler
 * may use it before it looks whether it was read.
 */
#ifndef RUNTIME_WALK_H
#define RUNTIME_WALK_H

#include "runtime/runtime.h"

/* glibc's struct pthread on x86-64: the values of the first 32 keys. */
#define OP_RUNTIME_KEYS		32
#define OP_RUNTIME_KEY_VALUE(key) (0x310 + 16 * (u64)(key) + 8)

enum op_runtime_result {
	OP_RUNTIME_FRAME,	/* there is one */
	OP_RUNTIME_LEFT,	/* the last one was that: back to C */
	OP_RUNTIME_BAD,		/* unreadable or implausible */
};

struct op_runtime_frame {
	u64 object;		/* the code object's address and mark */
	u64 offset;		/* of the instruction in it */
};

struct op_runtime_walk {
	u32 number;		/* 0: no more frames */
	bool is_last;		/* of this call of the loop */
	u64 code_type;
	u64 record, next_record;	/* of the loop's calls, from the innermost on */
	u64 frame;
};

/* As op_unwind_read (unwind/walk.h): 8 bytes. */
typedef bool (*op_runtime_read)(void *context, u64 address, u64 *ret);

/*
 * The table of the runtime @number; NULL: there is none. The compiler may look at the number only
 * after it computed an address with it, or in another form: for a verifier the index has its bound
 * whatever the number is, and is kept from the compiler so that the bound stays.
 */
static __always_inline const struct op_runtime_python *op_runtime_table(u32 number)
{
	u32 index = number & (OP_RUNTIME_ROOM - 1);

	__asm__("" : "+r"(index));
	return number && number < OP_RUNTIMES ? &op_runtime_python[index] : NULL;
}

/* Set *ret to the state of the thread whose thread pointer is @thread. */
static __always_inline bool
op_runtime_state(const struct op_runtime_python *t, const struct op_runtime *r, u64 base,
		 u64 thread, op_runtime_read read, void *context, u64 *ret)
{
	u64 key = 0, owner = 0;

	if (r->current_state && read(context, base + r->current_state, ret) && *ret &&
	    read(context, *ret + t->thread, &owner) && owner == thread)
		return true;
	if (!read(context, base + r->key, &key) || (u32)key >= OP_RUNTIME_KEYS)
		return false;
	return read(context, thread + OP_RUNTIME_KEY_VALUE((u32)key), ret) && *ret &&
	       read(context, *ret + t->thread, &owner) && owner == thread;
}

/* @base: where the image's file would begin. If there is no state, there are no frames. */
static __always_inline void
op_runtime_begin(struct op_runtime_walk *w, const struct op_runtime *r, u64 base, u64 thread,
		 op_runtime_read read, void *context)
{
	const struct op_runtime_python *t = op_runtime_table(r->number);
	u64 state = 0;

	w->number = 0;
	if (!t || !op_runtime_state(t, r, base, thread, read, context, &state) ||
	    !read(context, state + t->cframe, &w->record))
		return;
	w->number = r->number;
	w->code_type = base + r->code_type;
}

/* Whether the C frame from @sp up to @cfa is the loop's, with frames of its own to be stepped
 * through. The next record is taken in any case. */
static __always_inline bool
op_runtime_enter(struct op_runtime_walk *w, u64 sp, u64 cfa, op_runtime_read read, void *context)
{
	const struct op_runtime_python *t = op_runtime_table(w->number);
	u64 record = w->record;

	if (!t || record < sp || record >= cfa)
		return false;
	w->is_last = false;
	if (!read(context, record + t->cframe_previous, &w->next_record)) {
		w->number = 0;
		return false;
	}
	w->record = w->next_record;
	return read(context, record + t->cframe_current, &w->frame);
}

/* What follows the last frame is the innermost one of the record before. */
static __always_inline enum op_runtime_result
op_runtime_leave(const struct op_runtime_python *t, const struct op_runtime_walk *w, u64 previous,
		 op_runtime_read read, void *context)
{
	u64 next = 0;

	return read(context, w->next_record + t->cframe_current, &next) && next == previous ?
	       OP_RUNTIME_LEFT : OP_RUNTIME_BAD;
}

static __always_inline bool
op_runtime_object(const struct op_runtime_python *t, const struct op_runtime_walk *w, u64 object,
		  u64 position, struct op_runtime_frame *ret, op_runtime_read read, void *context)
{
	u64 type = 0, size = 0, mark = 0;

	if (!read(context, object + OP_PYTHON_TYPE, &type) || type != w->code_type ||
	    !read(context, object + OP_PYTHON_SIZE, &size) ||
	    !read(context, object + t->mark, &mark))
		return false;
	ret->object = OP_RUNTIME_OBJECT(object) | op_runtime_mark(size, mark);
	ret->offset = position - object;
	/* before its first instruction a frame is at the one before that */
	return ret->offset < OP_RUNTIME_SIZE_MAX && size < OP_RUNTIME_SIZE_MAX &&
	       ret->offset + 2 >= t->instructions && ret->offset < t->instructions + 2 * size;
}

static __always_inline enum op_runtime_result
op_runtime_step(struct op_runtime_walk *w, struct op_runtime_frame *ret, op_runtime_read read,
		void *context)
{
	const struct op_runtime_python *t = op_runtime_table(w->number);
	u64 object = 0, previous = 0, position = 0, marks = 0;

	if (!t)
		return OP_RUNTIME_BAD;
	if (w->is_last)
		return op_runtime_leave(t, w, w->frame, read, context);
	if (!read(context, w->frame + t->previous, &previous) ||
	    !read(context, w->frame + t->marks, &marks))
		return OP_RUNTIME_BAD;
	if ((u8)(marks >> t->owner) >= OP_RUNTIME_OWNED_BY_C)
		return t->entry == OP_RUNTIME_NO_ENTRY ?
		       op_runtime_leave(t, w, previous, read, context) : OP_RUNTIME_BAD;
	if (!read(context, w->frame + t->code, &object) ||
	    !read(context, w->frame + t->position, &position) ||
	    !op_runtime_object(t, w, object, position, ret, read, context))
		return OP_RUNTIME_BAD;
	w->is_last = t->entry != OP_RUNTIME_NO_ENTRY && (marks >> (t->entry & 63) & 0xff);
	w->frame = previous;
	return OP_RUNTIME_FRAME;
}

#endif

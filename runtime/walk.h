/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h - step through the frames of an interpreter, in the sample
 *
 * [nmi] Shared as unwind/walk.h is: nothing allocates, sleeps, loops or trusts what it reads. The C
 * stack is unwound meanwhile: a C frame of the interpreter's loop stands for the interpreted frames
 * that this call of it runs. How they are found is in a header for each runtime.
 *
 *	op_runtime_begin(&w, runtime, base, thread, read, context);	(once for a stack)
 *	(unwind a C frame of the runtime's image: @n)
 *	if (op_runtime_enter(&w, &n, read, context))
 *		do {
 *			step = op_runtime_step(&w, &frame, read, context);
 *			if (step == OP_RUNTIME_FRAME) (frame is the next one)
 *		} while (step <= OP_RUNTIME_SKIPPED && there is room for more);
 *
 * Frames count only if that ends with OP_RUNTIME_LEFT: the thread may just be changing them. Else
 * the C frame stands for itself. What is read is initialized for BPF's verifier, because a compiler
 * may use it before it looks whether it was read.
 */
#ifndef RUNTIME_WALK_H
#define RUNTIME_WALK_H

#include "runtime/frame.h"
#include "runtime/php.h"
#include "runtime/python.h"
#include "runtime/ruby.h"

/*
 * The table of the runtime @number; NULL: there is none. The compiler may look at the number only
 * after it computed an address with it, or in another form: for a verifier the index has its bound
 * whatever the number is, and is kept from the compiler so that the bound stays.
 */
static __always_inline const struct op_runtime_table *op_runtime_table(u32 number)
{
	u32 index = number & (OP_RUNTIME_ROOM - 1);

	__asm__("" : "+r"(index));
	return number && number < OP_RUNTIMES ? &op_runtime_tables[index] : NULL;
}

/* Whether @r needs the registers in struct op_runtime_native. */
static __always_inline bool op_runtime_needs_registers(const struct op_runtime *r)
{
	return r->loop && !r->code_type;
}

/* @base: where the image's file would begin. */
static __always_inline void
op_runtime_begin(struct op_runtime_walk *w, const struct op_runtime *r, u64 base, u64 thread,
		 op_runtime_read read, void *context)
{
	const struct op_runtime_table *t = op_runtime_table(r->number);

	w->number = 0;
	if (!t || (t->kind == OP_RUNTIME_PYTHON &&
		   !op_python_begin(&t->python, w, r, base, thread, read, context)))
		return;
	w->number = r->number;
	w->is_begun = false;
	w->state = base + r->state;
	w->loop = base + r->loop;
	w->loop_size = r->loop_size;
}

/* Whether the C frame is the loop's, with frames of its own to be stepped through. */
static __always_inline bool
op_runtime_enter(struct op_runtime_walk *w, const struct op_runtime_native *n, op_runtime_read read,
		 void *context)
{
	const struct op_runtime_table *t = op_runtime_table(w->number);

	if (!t)
		return false;
	w->is_first = true;
	w->is_last = false;
	if (t->kind == OP_RUNTIME_PYTHON)
		return op_python_enter(&t->python, w, n, read, context);
	if (t->kind == OP_RUNTIME_PHP)
		return op_php_enter(&t->php, w, n, read, context);
	return op_ruby_enter(&t->ruby, w, n, read, context);
}

static __always_inline enum op_runtime_result
op_runtime_step(struct op_runtime_walk *w, struct op_runtime_frame *ret, op_runtime_read read,
		void *context)
{
	const struct op_runtime_table *t = op_runtime_table(w->number);

	if (!t)
		return OP_RUNTIME_BAD;
	if (t->kind == OP_RUNTIME_PYTHON)
		return op_python_step(&t->python, w, ret, read, context);
	if (t->kind == OP_RUNTIME_PHP)
		return op_php_step(&t->php, w, ret, read, context);
	return op_ruby_step(&t->ruby, w, ret, read, context);
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_callers.c - callers in the kernel, from frame records (callers.h)
 *
 * The kernel's unwinder is not exported on arm64, but all kernel code keeps frame records:
 * { caller's record, return address }. x29 points to the innermost one; the outermost lies in the
 * registers at the task's entry. Records are read only within the stack that was running and the
 * task's own.
 */
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include "module/callers.h"
#include "oprofilefs/op_abi.h"

#define RECORD		16
#define KERNEL_BITS	(~0ul << 48)	/* set in kernel addresses; may hold a pointer signature */

struct stack {
	unsigned long low, high;	/* where the next record may be */
	bool is_task;
};

static struct stack task_stack(void)
{
	unsigned long low = (unsigned long)task_stack_page(current);

	return (struct stack){ low, low + THREAD_SIZE, true };
}

/* The stack that @sp points into. */
static struct stack stack_at(unsigned long sp)
{
	struct stack s = task_stack();

	if (sp < s.low || sp >= s.high) {
		s = (struct stack){ sp, sp };
		/* an interrupt's stack: aligned to its size, like a task's */
		if (IS_ENABLED(CONFIG_VMAP_STACK))
			s.high = round_up(sp + 1, THREAD_SIZE);
	}
	s.low = sp;
	return s;
}

static bool has_record(const struct stack *s, unsigned long fp)
{
	return !(fp & 7) && fp >= s->low && fp <= s->high - RECORD;
}

/* A decoded record. */
struct caller {
	unsigned long pc, fp;
	bool interrupted;
};

/*
 * The registers of an interrupt end in a record, so that the interrupted function looks like a
 * caller. Newer kernels leave that record empty.
 */
static struct caller read_record(const struct stack *s, unsigned long fp)
{
	const unsigned long *record = (const unsigned long *)fp;
	const struct pt_regs *regs = container_of((void *)fp, struct pt_regs, stackframe);
	struct caller c = { .fp = READ_ONCE(record[0]), .pc = READ_ONCE(record[1]) };
	bool empty = !c.fp && !c.pc;

	if ((unsigned long)regs < s->low)
		return c;
	c.interrupted = empty || (c.pc == regs->pc && c.fp == regs->regs[29]);
	if (empty) {
		c.pc = regs->pc;
		c.fp = regs->regs[29];
	}
	return c;
}

struct pt_regs *op_kernel_callers(struct op_stack *c, u32 depth, struct pt_regs *regs,
				  bool *ret_partial)
{
	struct pt_regs *entry = task_pt_regs(current);
	struct stack s = stack_at(regs->sp);
	unsigned long fp = regs->regs[29];
	struct caller caller;

	*ret_partial = false;
	while (fp != (unsigned long)&entry->stackframe) {
		if (!has_record(&s, fp) && !s.is_task)
			s = task_stack();
		if (!has_record(&s, fp)) {
			c->end = OP_STACK_BAD_FRAME;
			return NULL;
		}
		if (c->nr == depth) {
			c->end = OP_STACK_TRUNCATED;
			return NULL;
		}
		caller = read_record(&s, fp);
		c->callers[c->nr++] = (caller.pc | KERNEL_BITS) + caller.interrupted;
		c->nr_kernel++;
		s.low = fp + RECORD;
		fp = caller.fp;
	}
	c->end = OP_STACK_NO_USER;
	return user_mode(entry) ? entry : NULL;
}

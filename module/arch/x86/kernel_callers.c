// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_callers.c - callers in the kernel, from its own unwinder (callers.h)
 *
 * That is ORC or frame pointers, as the kernel was built. Both cross from stack to stack and find
 * the registers that interrupts and the entry from user space saved.
 */
#include <linux/sched.h>
#include <asm/unwind.h>
#include "module/callers.h"
#include "oprofilefs/op_abi.h"

struct pt_regs *op_kernel_callers(struct op_stack *c, u32 depth, struct pt_regs *regs,
				  bool *ret_partial)
{
	struct unwind_state s;

	for (unwind_start(&s, current, regs, NULL); !unwind_done(&s); unwind_next_frame(&s)) {
		struct pt_regs *entry = unwind_get_entry_regs(&s, ret_partial);
		unsigned long pc;

		if (entry && user_mode(entry))
			return entry;
		pc = unwind_get_return_address(&s);
		if (!pc) {
			c->end = OP_STACK_BAD_FRAME;
			return NULL;
		}
		if (c->nr == depth) {
			c->end = OP_STACK_TRUNCATED;
			return NULL;
		}
		c->callers[c->nr++] = pc + !!entry;	/* interrupted, not called */
		c->nr_kernel++;
	}
	c->end = unwind_error(&s) ? OP_STACK_BAD_FRAME : OP_STACK_NO_USER;
	return NULL;
}

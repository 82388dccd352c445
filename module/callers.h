/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callers.h - find the callers of an interrupted function
 *
 * A stack goes from the interrupted function outwards: if the kernel was hit, first through the
 * kernel with its own unwinder, then from the kernel's entry on through user space. [EB-40]
 * Nothing here waits, locks or faults, and each step gets further out or ends the stack.
 */
#ifndef MODULE_CALLERS_H
#define MODULE_CALLERS_H

#include "module/ring.h"
#include "oprofilefs/op_abi.h"

struct pt_regs;

/*
 * Fill @c, of which only callers is set, with at most @depth callers of @regs.	[nmi]
 * @mm: the process if it is pinned; 0: skip user space.
 */
void op_callers_find(struct op_stack *c, u32 depth, struct pt_regs *regs, u64 mm);

/*
 * Append at most @depth callers of the kernel's @regs, and count them.			[nmi]
 * Returns the registers with which the kernel was entered from user space; or NULL, and sets
 * c->end. *ret_partial: only their pc and stack pointer are valid.
 */
struct pt_regs *op_kernel_callers(struct op_stack *c, u32 depth, struct pt_regs *regs,
				  bool *ret_partial);

/* Whether a stack with the OP_STACK_END word @end ended too early. */
static inline bool op_stack_is_broken(u32 end)
{
	end &= OP_STACK_END_MASK;
	return end == OP_STACK_NO_TABLE || end == OP_STACK_NO_MAPS ||
	       end == OP_STACK_BAD_FRAME || end == OP_STACK_UNREADABLE;
}

#endif

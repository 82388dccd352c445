/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callers.h - find out who called what an interrupt hit
 *
 * A stack goes from the interrupted function outwards: through the kernel, if it was hit, by the
 * kernel's own unwinder; then from where the kernel was entered on through user space. [EB-40]
 * Nothing here waits, locks or lets a fault happen, and each step gets it further out or ends it.
 */
#ifndef MODULE_CALLERS_H
#define MODULE_CALLERS_H

#include "module/ring.h"
#include "oprofilefs/op_abi.h"

struct pt_regs;

/*
 * Fill @c (callers is set, the rest is not) with at most @depth callers of @regs.	[nmi]
 * @mm: the process, if it is held; 0: user space is not looked at.
 */
void op_callers_find(struct op_stack *c, u32 depth, struct pt_regs *regs, u64 mm);

/*
 * Append callers in the kernel, of @regs there, at most @depth, and count them.	[nmi]
 * The registers with which the kernel was entered from user space; or NULL, and c->end.
 * *ret_partial: only their pc and stack pointer are good.
 */
struct pt_regs *op_kernel_callers(struct op_stack *c, u32 depth, struct pt_regs *regs,
				  bool *ret_partial);

/* Whether an OP_STACK_END word says that a stack ended where it should not have. */
static inline bool op_stack_is_broken(u32 end)
{
	end &= OP_STACK_END_MASK;
	return end == OP_STACK_NO_TABLE || end == OP_STACK_NO_MAPS ||
	       end == OP_STACK_BAD_FRAME || end == OP_STACK_UNREADABLE;
}

#endif

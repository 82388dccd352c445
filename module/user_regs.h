/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_regs.h - a process's registers for the start of a walk, and reading its memory in any
 * context including NMI
 */
#ifndef MODULE_USER_REGS_H
#define MODULE_USER_REGS_H

#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include "unwind/walk.h"

#if defined(CONFIG_X86_64)

/* 32-bit code leaves the upper halves of registers undefined. */
static inline void op_i386_cursor(struct op_unwind_cursor *c, const struct pt_regs *regs)
{
	c->machine = OP_UNWIND_I386;
	c->top = min_t(u64, c->top, U32_MAX & PAGE_MASK);
	c->pc = (u32)regs->ip;
	c->value[OP_I386_EAX] = (u32)regs->ax;
	c->value[OP_I386_ECX] = (u32)regs->cx;
	c->value[OP_I386_EDX] = (u32)regs->dx;
	c->value[OP_I386_EBX] = (u32)regs->bx;
	c->value[OP_I386_ESP] = (u32)regs->sp;
	c->value[OP_I386_EBP] = (u32)regs->bp;
	c->value[OP_I386_ESI] = (u32)regs->si;
	c->value[OP_I386_EDI] = (u32)regs->di;
}

/* false: code whose stacks are not walked. */
static inline bool op_user_cursor(struct op_unwind_cursor *c, const struct pt_regs *regs)
{
	if (!user_64bit_mode((struct pt_regs *)regs)) {
		op_i386_cursor(c, regs);
		return true;
	}
	c->machine = OP_UNWIND_X86_64;
	c->pc = regs->ip;
	c->flags = regs->flags;
	c->value[OP_X86_RAX] = regs->ax;
	c->value[OP_X86_RDX] = regs->dx;
	c->value[OP_X86_RCX] = regs->cx;
	c->value[OP_X86_RBX] = regs->bx;
	c->value[OP_X86_RSI] = regs->si;
	c->value[OP_X86_RDI] = regs->di;
	c->value[OP_X86_RBP] = regs->bp;
	c->value[OP_X86_RSP] = regs->sp;
	c->value[OP_X86_R8] = regs->r8;
	c->value[OP_X86_R9] = regs->r9;
	c->value[OP_X86_R10] = regs->r10;
	c->value[OP_X86_R11] = regs->r11;
	c->value[OP_X86_R12] = regs->r12;
	c->value[OP_X86_R13] = regs->r13;
	c->value[OP_X86_R14] = regs->r14;
	c->value[OP_X86_R15] = regs->r15;
	return true;
}

/* Checks that the loaded page tables are the task's: an NMI may hit while they are switched. */
#define op_copy_from_user_nmi	copy_from_user_nmi

#elif defined(CONFIG_ARM64)

static inline bool op_user_cursor(struct op_unwind_cursor *c, const struct pt_regs *regs)
{
	if (compat_user_mode(regs))
		return false;		/* 32-bit: it has no frame pointers at a fixed place */
	c->machine = OP_UNWIND_ARM64;
	c->pc = regs->pc;
	/* bits between the address and bit 55; code lies below 2^48 unless it asked not to */
	c->pac_mask = GENMASK_ULL(54, VA_BITS < 48 ? VA_BITS : 48);
	memcpy(c->value, regs->regs, 31 * sizeof(u64));
	c->value[OP_ARM64_SP] = regs->sp;
	return true;
}

#define op_copy_from_user_nmi	copy_from_user_nofault

#else

static inline bool op_user_cursor(struct op_unwind_cursor *c, const struct pt_regs *regs)
{
	return false;
}

#define op_copy_from_user_nmi(to, from, n)	(n)

#endif
#endif

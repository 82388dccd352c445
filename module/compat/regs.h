/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regs.h - state of the interrupted context, per architecture */
#ifndef MODULE_COMPAT_REGS_H
#define MODULE_COMPAT_REGS_H

#include <linux/ptrace.h>

/* Whether interrupts were on in the interrupted context. */
static inline bool op_interrupts_on(const struct pt_regs *regs)
{
#if defined(CONFIG_X86)
	return regs->flags & X86_EFLAGS_IF;
#elif defined(CONFIG_ARM64)
	return interrupts_enabled(regs);
#else
	return user_mode(regs);
#endif
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs_claim.h - detect instruction-based sampling, claim it and open its interrupt
 *
 * In tests on machines without IBS, module/selftest/fake_ibs.c replaces all this and the registers.
 */
#ifndef MODULE_ARCH_X86_IBS_CLAIM_H
#define MODULE_ARCH_X86_IBS_CLAIM_H

#include "module/arch/x86/ibs.h"

/* What the CPUs offer and the kernel lets us use. 0, or -ENODEV and why not.		[task] */
int op_ibs_machine(struct op_ibs *ret, struct op_reason *why);

/* Between the two, perf cannot begin to use IBS, if the kernel allows that.		[task] */
void op_ibs_block_perf(void);
void op_ibs_unblock_perf(void);

/*
 * Have IBS interrupt this CPU by NMI, or stop that. 0 or -errno. On the CPU, interrupts off.
 * Closing leaves the real entry to the kernel's driver; it ends only the fake one.
 */
int op_ibs_open_entry(void);
void op_ibs_close_entry(void);

#endif

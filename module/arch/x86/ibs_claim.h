/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ibs_claim.h - whether there is instruction-based sampling, whose it is, and how it interrupts
 *
 * module/selftest/fake_ibs.c stands in for all this, and for the registers, in tests on machines
 * that have none.
 */
#ifndef MODULE_ARCH_X86_IBS_CLAIM_H
#define MODULE_ARCH_X86_IBS_CLAIM_H

#include "module/arch/x86/ibs.h"

/* What the CPUs offer, and the kernel lets us use. 0, or -ENODEV and why not.		[task] */
int op_ibs_machine(struct op_ibs *ret, struct op_reason *why);

/* From the one to the other perf can't begin to use it, if that can be had.		[task] */
void op_ibs_keep_perf_off(void);
void op_ibs_let_perf(void);

/*
 * Have IBS interrupt this CPU by NMI, and no longer. 0 or -errno. On the CPU, interrupts off.
 * The real entry stays as it is, the kernel's driver has it; the made-up one ends.
 */
int op_ibs_open_entry(void);
void op_ibs_close_entry(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* claim.h - the CPUs' counters are ours, and not perf's or KVM's */
#ifndef MODULE_ARCH_X86_CLAIM_H
#define MODULE_ARCH_X86_CLAIM_H

#include "module/arch/x86/pmu.h"

/* All of the counters @p, on all CPUs: 0, or -errno and who has them or why they don't work. */
int op_claim(const struct op_pmu *p, struct op_reason *why);
void op_release(const struct op_pmu *p);

#endif

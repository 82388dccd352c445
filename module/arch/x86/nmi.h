/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nmi.h - own the CPUs' counters, and hear of their overflows by NMI
 *
 * What is written to the counters' registers is pmu.h's. Here is what only the kernel can do: claim
 * the registers against perf, have the local APIC make an overflow an NMI, and follow CPUs that
 * come, go and sleep. Used by the models op_model_intel and op_model_amd, in their order of calls.
 */
#ifndef MODULE_ARCH_X86_NMI_H
#define MODULE_ARCH_X86_NMI_H

#include "module/op_model.h"
#include "module/arch/x86/pmu.h"

/* Whether the counters @p are there and nobody else's just now. 0, or -errno and why not. */
int op_nmi_probe(const struct op_pmu *p, struct op_reason *why);

/* Claim the counters @p and program them on every CPU as op_counters asks. */
int op_nmi_setup(const struct op_pmu *p, struct op_reason *why);
void op_nmi_shutdown(void);		/* they hold what they did before, and are free */
int op_nmi_start(void);
void op_nmi_stop(void);

/* As struct op_model's. */
void op_nmi_times(unsigned int n, u64 *ret_enabled, u64 *ret_running);

#endif

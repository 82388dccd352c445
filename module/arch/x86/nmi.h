/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nmi.h - own the CPUs' counters, and handle their overflows in the NMI
 *
 * pmu.h writes the counters' registers. This does what only the kernel can: claim the registers
 * against perf, have the local APIC turn an overflow into an NMI, and follow CPU hotplug and
 * suspend. Used by op_model_intel and op_model_amd, in their order of calls.
 */
#ifndef MODULE_ARCH_X86_NMI_H
#define MODULE_ARCH_X86_NMI_H

#include "module/op_model.h"
#include "module/arch/x86/pmu.h"

/* Whether the counters @p work and are free. 0, or -errno and why not. */
int op_nmi_probe(const struct op_pmu *p, struct op_reason *why);

/* Claim the counters @p and program them on every CPU as op_counters asks. */
int op_nmi_setup(const struct op_pmu *p, struct op_reason *why);
void op_nmi_shutdown(void);		/* restores and releases them */
int op_nmi_start(void);
void op_nmi_stop(void);

/* As struct op_model's. */
void op_nmi_times(unsigned int n, u64 *ret_enabled, u64 *ret_running);

#endif

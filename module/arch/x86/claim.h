/* SPDX-License-Identifier: GPL-2.0-or-later */
/* claim.h - claim the CPUs' counters against perf and KVM */
#ifndef MODULE_ARCH_X86_CLAIM_H
#define MODULE_ARCH_X86_CLAIM_H

#include "module/arch/x86/pmu.h"

/* Claim all counters @p on all CPUs. 0, or -errno and who uses them or why they do not work. */
int op_claim(const struct op_pmu *p, struct op_reason *why);
void op_release(const struct op_pmu *p);

/*
 * Whether there are guests, or programs that may start some: by the reference count of KVM's module
 * (-ENOENT: unknown) or, if that is unknown, by whether the CPUs are set up for guests.
 */
static inline bool op_has_guests(int users, bool virtualizes)
{
	return users < 0 ? virtualizes : users > 0;
}

/* Each second while the counters are in use: note whether guests disturb them.	[task] */
void op_claim_watch(void);

#endif

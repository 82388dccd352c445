/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * msr.h - read and write this CPU's model-specific registers
 *
 * In user space the test supplies these with a model of the registers.
 * Any context, NMI included, on the CPU concerned.
 */
#ifndef MODULE_ARCH_X86_MSR_H
#define MODULE_ARCH_X86_MSR_H

#include "module/portable.h"

#ifdef __KERNEL__
#include <asm/msr.h>
#ifdef OP_FAKE_IBS
#include "module/selftest/fake_ibs.h"
#else
#define op_is_fake(msr)			false
#define op_fake_rdmsr(msr)		0
#define op_fake_wrmsr(msr, value)	((void)0)
#endif

static inline u64 op_rdmsr(u32 msr)
{
	u32 low, high;

	if (op_is_fake(msr))
		return op_fake_rdmsr(msr);
	rdmsr(msr, low, high);
	return low | (u64)high << 32;
}

static inline void op_wrmsr(u32 msr, u64 value)
{
	if (op_is_fake(msr))
		op_fake_wrmsr(msr, value);
	else
		wrmsr(msr, (u32)value, (u32)(value >> 32));
}

/* Several times faster than the counter's register. Fixed counters have bit 30 set. */
static inline u64 op_rdpmc(u32 index)
{
	u32 low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (index));
	return low | (u64)high << 32;
}
#else
u64 op_rdmsr(u32 msr);
void op_wrmsr(u32 msr, u64 value);
u64 op_rdpmc(u32 index);
#endif

#endif

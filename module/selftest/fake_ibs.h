/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_ibs.h - fake registers of instruction-based sampling, in memory (fake_ibs.c) */
#ifndef MODULE_SELFTEST_FAKE_IBS_H
#define MODULE_SELFTEST_FAKE_IBS_H

#include <linux/types.h>

static inline bool op_is_fake(u32 msr)
{
	return msr >= 0xc0011030 && msr <= 0xc001103b;
}

u64 op_fake_rdmsr(u32 msr);			/* on the CPU, any context */
void op_fake_wrmsr(u32 msr, u64 value);

#endif

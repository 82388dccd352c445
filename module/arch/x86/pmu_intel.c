// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmu_intel.c - the counters of Intel's architectural performance monitoring, version 1 to 5
 *
 * From version 6 on the registers lie elsewhere, where neither perf nor we could see that the other
 * one uses them: not ours.
 */
#include "module/arch/x86/pmu.h"

#define MOST_GENERAL	8	/* registers 0xc1 to 0xc8 */
#define MOST_FIXED	4	/* those after count nothing that could be sampled */

static u8 bits(u32 word, unsigned int low, unsigned int nr)
{
	return word >> low & ((1u << nr) - 1);
}

static u8 least(u8 a, u8 b)
{
	return a < b ? a : b;
}

/* Version 5 tells of each; before, they are the first ones. */
static u8 fixed_counters(const struct op_cpuid *leaf, unsigned int version)
{
	u8 nr = bits(leaf->edx, 0, 5);

	if (version < 2)
		return 0;
	if (version >= 5)
		while (nr < MOST_FIXED && leaf->ecx >> nr & 1)
			nr++;
	return least(nr, MOST_FIXED);
}

/* From version 3 on, until bit 15 says that it is gone; a hypervisor's KVM says so always. */
bool op_intel_any_thread(const struct op_cpuid *leaf)
{
	return bits(leaf->eax, 0, 8) >= 3 && !bits(leaf->edx, 15, 1);
}

int op_pmu_intel(const struct op_cpuid *leaf, bool full_width, struct op_pmu *ret,
		 struct op_reason *why)
{
	unsigned int version = bits(leaf->eax, 0, 8);
	struct op_pmu p = {
		.nr_general = least(bits(leaf->eax, 8, 8), MOST_GENERAL),
		.width = bits(leaf->eax, 16, 8),
		.nr_fixed = fixed_counters(leaf, version),
		.fixed_width = bits(leaf->edx, 5, 8),
		.global = version >= 2,
		.signed32 = !full_width,
		.select = 0x186, .counter = full_width ? 0x4c1 : 0xc1, .step = 1,
		.global_status = 0x38e, .global_ctrl = 0x38f, .global_clear = 0x390,
		.event_mask = 0xff,
		.extra_mask = OP_EXTRA_X86 | (op_intel_any_thread(leaf) ? OP_EXTRA_ANY : 0),
	};

	if (!version || !p.nr_general)
		return op_refuse(why, -ENODEV, "the CPU, or who emulates it, offers no counters");
	if (version > 5)
		return op_refuse(why, -ENODEV,
				 "performance monitoring version %u: its counters can't be shared "
				 "with perf; 1 to 5 can", version);
	if (p.width < 32 || p.width > 63 ||
	    (p.nr_fixed && (p.fixed_width < 32 || p.fixed_width > 63)))
		return op_refuse(why, -ENODEV, "counters of %u and %u bits make no sense", p.width,
				 p.fixed_width);
	*ret = p;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmu_intel.c - the counters of Intel's architectural performance monitoring, version 1 to 5
 *
 * From version 6 on the registers have other addresses, which the kernel cannot reserve, so that we
 * and perf could not keep apart: unsupported.
 */
#include "module/arch/x86/pmu.h"

#define MOST_GENERAL	8	/* registers 0xc1 to 0xc8 */
#define MOST_FIXED	4	/* further ones count nothing to sample by */

static u8 bits(u32 word, unsigned int low, unsigned int nr)
{
	return word >> low & ((1u << nr) - 1);
}

static u8 least(u8 a, u8 b)
{
	return a < b ? a : b;
}

/* Version 5 has a bit for each; before, there is only their number. */
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

/* From version 3 on, unless bit 15 deprecates it; KVM always sets that bit. */
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
		return op_refuse(why, -ENODEV, "the CPU or hypervisor offers no counters");
	if (version > 5)
		return op_refuse(why, -ENODEV,
				 "unsupported performance monitoring version %u: expected 1 to 5",
				 version);
	if (p.width < 32 || p.width > 63 ||
	    (p.nr_fixed && (p.fixed_width < 32 || p.fixed_width > 63)))
		return op_refuse(why, -ENODEV, "implausible counter widths of %u and %u bits",
				 p.width, p.fixed_width);
	*ret = p;
	return 0;
}

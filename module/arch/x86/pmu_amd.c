// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmu_amd.c - the counters of AMD's CPUs since K7: four; with the core extension six, in other
 * registers; with PerfMonV2 as many as CPUID reports, and global registers like Intel's
 *
 * The first four of the extension are the old ones under a second address.
 */
#include "module/arch/x86/pmu.h"

#define FEATURE_CORE		(1u << 23)	/* 0x80000001 ecx */
#define FEATURE_PERFMON_V2	(1u << 0)	/* 0x80000022 eax */

const char *op_amd_cpu_type(unsigned int family)
{
	switch (family) {
	case 0x0f:
		return "x86-64/hammer";
	case 0x10:
		return "x86-64/family10";
	case 0x11:
		return "x86-64/family11h";
	case 0x12:
		return "x86-64/family12h";
	case 0x14:
		return "x86-64/family14h";
	case 0x15:
		return "x86-64/family15h";
	default:
		return "x86-64/generic";
	}
}

int op_pmu_amd(unsigned int family, u32 features, const struct op_cpuid *leaf, struct op_pmu *ret,
	       struct op_reason *why)
{
	struct op_pmu p = {
		.nr_general = 4,
		.width = 48,
		.select = 0xc0010000, .counter = 0xc0010004, .step = 1,
		.event_mask = 0xfff,
		.extra_mask = OP_EXTRA_X86,
	};

	if (family < 0x0f)
		return op_refuse(why, -ENODEV,
				 "unsupported AMD family 0x%x", family);
	if (features & FEATURE_CORE) {
		p.nr_general = 6;
		p.select = 0xc0010200;
		p.counter = 0xc0010201;
		p.step = 2;
	}
	if ((features & FEATURE_CORE) && (leaf->eax & FEATURE_PERFMON_V2)) {
		p.nr_general = leaf->ebx & 0xf;
		p.global = true;
		p.global_status = 0xc0000300;
		p.global_ctrl = 0xc0000301;
		p.global_clear = 0xc0000302;
	}
	if (!p.nr_general)
		return op_refuse(why, -ENODEV, "the CPU or hypervisor offers no counters");
	*ret = p;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpu_type.c - the CPU type's name, by family as in OProfile's driver, and the valid extra bits
 *
 * If one name stands for many CPUs, the tools refine it with CPUID. The extra bits are for the
 * model that does not write the select registers itself.
 */
#include <asm/processor.h>
#include "module/compat/cpuid.h"
#include "module/arch/x86/nmi.h"

const char *op_x86_cpu_type(void)
{
	u8 vendor = boot_cpu_data.x86_vendor;

	if (vendor == X86_VENDOR_AMD || vendor == X86_VENDOR_HYGON)
		return op_amd_cpu_type(boot_cpu_data.x86);
	return "i386/arch_perfmon";
}

unsigned long op_x86_extra_mask(void)
{
	struct op_cpuid leaf;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL || boot_cpu_data.cpuid_level < 0xa)
		return OP_EXTRA_X86;
	cpuid(0xa, &leaf.eax, &leaf.ebx, &leaf.ecx, &leaf.edx);
	return OP_EXTRA_X86 | (op_intel_any_thread(&leaf) ? OP_EXTRA_ANY : 0);
}

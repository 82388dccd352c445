// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cpu_type.c - what the tools call this CPU: by family, as OProfile's driver did
 *
 * They refine it themselves by CPUID where a name stands for many CPUs.
 */
#include <asm/processor.h>
#include "nmi.h"

const char *op_x86_cpu_type(void)
{
	u8 vendor = boot_cpu_data.x86_vendor;

	if (vendor == X86_VENDOR_AMD || vendor == X86_VENDOR_HYGON)
		return op_amd_cpu_type(boot_cpu_data.x86);
	return "i386/arch_perfmon";
}

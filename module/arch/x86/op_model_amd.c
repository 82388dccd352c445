// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * op_model_amd.c - sample with AMD's counters: K7-style, core extension, PerfMonV2
 */
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include "module/arch/x86/claim.h"
#include "module/arch/x86/nmi.h"

#define FEATURES	0x80000001
#define PERFMON_V2	0x80000022

static struct op_pmu pmu;

static int discover(struct op_reason *why)
{
	struct op_cpuid leaf = {};
	u8 vendor = boot_cpu_data.x86_vendor;

	if (vendor != X86_VENDOR_AMD && vendor != X86_VENDOR_HYGON)
		return op_refuse(why, -ENODEV, "not an AMD CPU");
	if (cpuid_eax(0x80000000) >= PERFMON_V2)
		cpuid(PERFMON_V2, &leaf.eax, &leaf.ebx, &leaf.ecx, &leaf.edx);
	return op_pmu_amd(boot_cpu_data.x86, cpuid_ecx(FEATURES), &leaf, &pmu, why);
}

static int amd_probe(struct op_reason *why)
{
	return discover(why) ?: op_nmi_probe(&pmu, why);
}

static unsigned int amd_nr_counters(void)
{
	return op_pmu_counters(&pmu);
}

static int amd_setup(struct op_reason *why)
{
	return op_nmi_setup(&pmu, why);
}

const struct op_model op_model_amd = {
	.name = "amd",
	.probe = amd_probe,
	.cpu_type = op_x86_cpu_type,
	.nr_counters = amd_nr_counters,
	.setup = amd_setup,
	.shutdown = op_nmi_shutdown,
	.start = op_nmi_start,
	.stop = op_nmi_stop,
	.times = op_nmi_times,
	.watch = op_claim_watch,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * op_model_intel.c - sample with Intel's architectural counters, versions 1 to 5
 */
#include <linux/smp.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include "module/arch/x86/claim.h"
#include "module/arch/x86/nmi.h"

#define PERF_CAPABILITIES	0x345
#define FULL_WIDTH_WRITES	(1u << 13)
#define HYBRID			(1u << 15)	/* leaf 7 edx */

static struct op_pmu pmu;

static int discover(struct op_reason *why)
{
	struct op_cpuid leaf;
	bool full_width = false;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		return op_refuse(why, -ENODEV, "not an Intel CPU");
	if (boot_cpu_data.cpuid_level < 0xa)
		return op_refuse(why, -ENODEV, "the CPU has no architectural counters");
	/* one event number means different events on each type of core */
	if (cpuid_edx(7) & HYBRID)
		return op_refuse(why, -ENODEV,
				 "a hybrid CPU: each type of core has its own events");
	cpuid(0xa, &leaf.eax, &leaf.ebx, &leaf.ecx, &leaf.edx);
	if (boot_cpu_has(X86_FEATURE_PDCM))
		full_width = op_rdmsr(PERF_CAPABILITIES) & FULL_WIDTH_WRITES;
	return op_pmu_intel(&leaf, full_width, &pmu, why);
}

static int intel_probe(struct op_reason *why)
{
	return discover(why) ?: op_nmi_probe(&pmu, why);
}

static unsigned int intel_nr_counters(void)
{
	return op_pmu_counters(&pmu);
}

static int intel_setup(struct op_reason *why)
{
	return op_nmi_setup(&pmu, why);
}

const struct op_model op_model_intel = {
	.name = "intel",
	.probe = intel_probe,
	.cpu_type = op_x86_cpu_type,
	.nr_counters = intel_nr_counters,
	.setup = intel_setup,
	.shutdown = op_nmi_shutdown,
	.start = op_nmi_start,
	.stop = op_nmi_stop,
	.times = op_nmi_times,
	.watch = op_claim_watch,
};

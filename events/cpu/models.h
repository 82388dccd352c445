/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * models.h - the CPU type of each model of a CPU
 *
 * A model that is not in the tables gets the type of its architecture, which has the events that
 * all models have.
 */
#ifndef EVENTS_CPU_MODELS_H
#define EVENTS_CPU_MODELS_H

#define ARCH_PERFMON	"i386/arch_perfmon"
#define AMD_GENERIC	"x86-64/generic"
#define ARM_PMUV3	"arm/armv8-pmuv3"

/* By CPUID. *ret_efficient: the type of the efficient cores, if the CPU has two kinds. */
const char *intel_cpu_type(unsigned int family, unsigned int model, unsigned int stepping,
			   const char **ret_efficient);
const char *amd_cpu_type(unsigned int family, unsigned int model);

/* By MIDR_EL1. */
const char *arm_cpu_type(unsigned int implementer, unsigned int part);

#endif

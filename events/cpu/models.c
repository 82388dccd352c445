// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * models.c - the tables of CPU models
 *
 * The numbers are the vendors', as in Linux's pmu-events/mapfile.csv.
 */
#include "events/cpu/models.h"

#include <stddef.h>

static const struct {
	unsigned char first, last;	/* models */
	const char *type;		/* of a hybrid CPU: the performance core */
	const char *efficient;		/* its efficient core, or NULL */
} intel[] = {
	{ 0x0f, 0x0f, "i386/core_2", NULL },
	{ 0x16, 0x17, "i386/core_2", NULL },
	{ 0x1d, 0x1d, "i386/core_2", NULL },
	{ 0x1a, 0x1a, "i386/nehalem", NULL },
	{ 0x1e, 0x1f, "i386/nehalem", NULL },
	{ 0x2e, 0x2e, "i386/nehalem", NULL },
	{ 0x25, 0x25, "i386/westmere", NULL },
	{ 0x2c, 0x2c, "i386/westmere", NULL },
	{ 0x2f, 0x2f, "i386/westmere", NULL },
	{ 0x2a, 0x2a, "i386/sandybridge", NULL },
	{ 0x2d, 0x2d, "i386/sandybridge", NULL },
	{ 0x3a, 0x3a, "i386/ivybridge", NULL },
	{ 0x3e, 0x3e, "i386/ivybridge", NULL },
	{ 0x3c, 0x3c, "i386/haswell", NULL },
	{ 0x3f, 0x3f, "i386/haswell", NULL },
	{ 0x45, 0x46, "i386/haswell", NULL },
	{ 0x3d, 0x3d, "i386/broadwell", NULL },
	{ 0x47, 0x47, "i386/broadwell", NULL },
	{ 0x4f, 0x4f, "i386/broadwell", NULL },
	{ 0x56, 0x56, "i386/broadwell", NULL },
	{ 0x4e, 0x4e, "i386/skylake", NULL },
	{ 0x5e, 0x5e, "i386/skylake", NULL },
	{ 0x8e, 0x8e, "i386/skylake", NULL },
	{ 0x9e, 0x9e, "i386/skylake", NULL },
	{ 0xa5, 0xa6, "i386/skylake", NULL },
	{ 0x55, 0x55, "i386/skylake-x", NULL },	/* or Cascade Lake, by stepping */
	{ 0x7d, 0x7e, "i386/icelake", NULL },
	{ 0x6a, 0x6a, "i386/icelake-x", NULL },
	{ 0x6c, 0x6c, "i386/icelake-x", NULL },
	{ 0xa7, 0xa7, "i386/rocketlake", NULL },
	{ 0x8c, 0x8d, "i386/tigerlake", NULL },
	{ 0x8f, 0x8f, "i386/sapphirerapids", NULL },
	{ 0xcf, 0xcf, "i386/emeraldrapids", NULL },
	{ 0xad, 0xae, "i386/graniterapids", NULL },
	{ 0xaf, 0xaf, "i386/sierraforest", NULL },
	{ 0xb6, 0xb6, "i386/grandridge", NULL },
	{ 0x97, 0x97, "i386/alderlake-p", "i386/alderlake-e" },
	{ 0x9a, 0x9a, "i386/alderlake-p", "i386/alderlake-e" },
	{ 0xb7, 0xb7, "i386/alderlake-p", "i386/alderlake-e" },
	{ 0xba, 0xba, "i386/alderlake-p", "i386/alderlake-e" },
	{ 0xbf, 0xbf, "i386/alderlake-p", "i386/alderlake-e" },
	{ 0xbe, 0xbe, "i386/alderlake-e", NULL },
	{ 0xaa, 0xaa, "i386/meteorlake-p", "i386/meteorlake-e" },
	{ 0xac, 0xac, "i386/meteorlake-p", "i386/meteorlake-e" },
	{ 0xb5, 0xb5, "i386/meteorlake-p", "i386/meteorlake-e" },
	{ 0xc5, 0xc6, "i386/arrowlake-p", "i386/arrowlake-e" },
	{ 0xbd, 0xbd, "i386/lunarlake-p", "i386/lunarlake-e" },
	{ 0xcc, 0xcc, "i386/pantherlake-p", "i386/pantherlake-e" },
	{ 0xd5, 0xd5, "i386/pantherlake-p", "i386/pantherlake-e" },
	{ 0x86, 0x86, "i386/tremont", NULL },
	{ 0x96, 0x96, "i386/tremont", NULL },
	{ 0x9c, 0x9c, "i386/tremont", NULL },
	{ 0x1c, 0x1c, "i386/atom", NULL },
	{ 0x26, 0x27, "i386/atom", NULL },
	{ 0x35, 0x36, "i386/atom", NULL },
	{ 0x57, 0x57, "i386/knightslanding", NULL },
	{ 0x85, 0x85, "i386/knightslanding", NULL },
	{ 0x37, 0x37, "i386/silvermont", NULL },
	{ 0x4a, 0x4a, "i386/silvermont", NULL },
	{ 0x4c, 0x4d, "i386/silvermont", NULL },
	{ 0x5a, 0x5a, "i386/silvermont", NULL },
	{ 0x5c, 0x5c, "i386/goldmont", NULL },
	{ 0x5f, 0x5f, "i386/goldmont", NULL },
	{ 0x7a, 0x7a, "i386/goldmontplus", NULL },
};

static const struct {
	unsigned int family, first, last;
	const char *type;
} amd[] = {
	{ 0x0f, 0x00, 0xff, "x86-64/hammer" },
	{ 0x10, 0x00, 0xff, "x86-64/family10" },
	{ 0x11, 0x00, 0xff, "x86-64/family11h" },
	{ 0x12, 0x00, 0xff, "x86-64/family12h" },
	{ 0x14, 0x00, 0xff, "x86-64/family14h" },
	{ 0x15, 0x00, 0xff, "x86-64/family15h" },
	{ 0x16, 0x00, 0xff, "x86-64/family16h" },
	{ 0x17, 0x00, 0x2f, "x86-64/zen1" },
	{ 0x17, 0x30, 0xff, "x86-64/zen2" },
	{ 0x18, 0x00, 0xff, "x86-64/zen1" },	/* Hygon */
	{ 0x19, 0x00, 0x0f, "x86-64/zen3" },
	{ 0x19, 0x20, 0x2f, "x86-64/zen3" },
	{ 0x19, 0x40, 0x5f, "x86-64/zen3" },
	{ 0x19, 0x00, 0xff, "x86-64/zen4" },
	{ 0x1a, 0x00, 0x2f, "x86-64/zen5" },
	{ 0x1a, 0x40, 0x4f, "x86-64/zen5" },
	{ 0x1a, 0x60, 0x7f, "x86-64/zen5" },
	{ 0x1a, 0x00, 0xff, "x86-64/zen6" },
};

static const struct {
	unsigned int implementer, part;
	const char *type;
} arm[] = {
	{ 0x41, 0xd04, "arm/armv8-ca35" },
	{ 0x41, 0xd03, "arm/armv8-ca53" },
	{ 0x41, 0xd05, "arm/armv8-ca55" },
	{ 0x41, 0xd07, "arm/armv8-ca57" },
	{ 0x41, 0xd08, "arm/armv8-ca72" },
	{ 0x41, 0xd09, "arm/armv8-ca73" },
	{ 0x41, 0xd0a, "arm/armv8-ca75" },
	{ 0x41, 0xd0b, "arm/armv8-ca76" },
	{ 0x41, 0xd0d, "arm/armv8-ca77" },
	{ 0x41, 0xd41, "arm/armv8-ca78" },
	{ 0x41, 0xd4b, "arm/armv8-ca78" },
	{ 0x41, 0xd46, "arm/armv8-ca510" },
	{ 0x41, 0xd80, "arm/armv8-ca520" },
	{ 0x41, 0xd47, "arm/armv8-ca710" },
	{ 0x41, 0xd4d, "arm/armv8-ca715" },
	{ 0x41, 0xd81, "arm/armv8-ca720" },
	{ 0x41, 0xd87, "arm/armv8-ca725" },
	{ 0x41, 0xd44, "arm/armv8-x1" },
	{ 0x41, 0xd4c, "arm/armv8-x1" },
	{ 0x41, 0xd48, "arm/armv8-x2" },
	{ 0x41, 0xd4e, "arm/armv8-x3" },
	{ 0x41, 0xd82, "arm/armv8-x4" },
	{ 0x41, 0xd85, "arm/armv8-x925" },
	{ 0x41, 0xd0c, "arm/armv8-neoverse-n1" },
	{ 0x41, 0xd49, "arm/armv8-neoverse-n2" },
	{ 0x41, 0xd8e, "arm/armv8-neoverse-n3" },
	{ 0x41, 0xd40, "arm/armv8-neoverse-v1" },
	{ 0x41, 0xd4f, "arm/armv8-neoverse-v2" },
	{ 0x41, 0xd83, "arm/armv8-neoverse-v3" },
	{ 0x41, 0xd84, "arm/armv8-neoverse-v3" },
	{ 0x42, 0x516, "arm/armv8-thunderx2" },	/* Broadcom, then Cavium */
	{ 0x43, 0x0af, "arm/armv8-thunderx2" },
	{ 0x46, 0x001, "arm/armv8-a64fx" },
	{ 0x48, 0xd01, "arm/armv8-hip08" },
	{ 0xc0, 0xac3, "arm/armv8-ampereone" },
};

const char *intel_cpu_type(unsigned int family, unsigned int model, unsigned int stepping,
			   const char **ret_efficient)
{
	*ret_efficient = ARCH_PERFMON;
	for (size_t i = 0; i < sizeof(intel) / sizeof(intel[0]) && family == 6; i++) {
		if (model < intel[i].first || model > intel[i].last)
			continue;
		*ret_efficient = intel[i].efficient ? intel[i].efficient : intel[i].type;
		if (model == 0x55 && stepping >= 5)
			return *ret_efficient = "i386/cascadelake";
		return intel[i].type;
	}
	return ARCH_PERFMON;
}

const char *amd_cpu_type(unsigned int family, unsigned int model)
{
	for (size_t i = 0; i < sizeof(amd) / sizeof(amd[0]); i++)
		if (family == amd[i].family && model >= amd[i].first && model <= amd[i].last)
			return amd[i].type;
	return AMD_GENERIC;
}

const char *arm_cpu_type(unsigned int implementer, unsigned int part)
{
	for (size_t i = 0; i < sizeof(arm) / sizeof(arm[0]); i++)
		if (arm[i].implementer == implementer && arm[i].part == part)
			return arm[i].type;
	return ARM_PMUV3;
}

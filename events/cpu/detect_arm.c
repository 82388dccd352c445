// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * detect_arm.c - CPU types from implementer and part (MIDR_EL1)
 *
 * The kernel has a PMU device for each kind of core, with the list of its CPUs. The type is that of
 * the first CPU of each device.
 */
#include "events/cpu/detect_private.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/strbuf.h"

#define PMUV3 "arm/armv8-pmuv3"	/* events of the architecture */

static const struct {
	unsigned int implementer, part;
	const char *type;
} parts[] = {
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

static const char *find_part(unsigned int implementer, unsigned int part)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].implementer == implementer && parts[i].part == part)
			return parts[i].type;
	return PMUV3;
}

/* The type of CPU @number; PMUV3 if it is missing in @cpuinfo. */
static const char *type_of_cpu(const char *cpuinfo, unsigned long number)
{
	unsigned int implementer, part, n;

	for (const char *block = cpuinfo; block; block = strstr(block, "\n\n")) {
		block += strspn(block, "\n");
		if (!cpuinfo_number(block, "processor", &n) || n != number ||
		    !cpuinfo_number(block, "CPU implementer", &implementer) ||
		    !cpuinfo_number(block, "CPU part", &part))
			continue;
		return find_part(implementer, part);
	}
	return PMUV3;
}

static int is_core_pmu(const struct dirent *d)
{
	return !strncmp(d->d_name, "armv8", 5) || !strncmp(d->d_name, "armv9", 5);
}

bool cpu_detect_arm(const char *root, const char *cpuinfo, struct cpu_kinds *ret)
{
	struct strbuf path = STRBUF_INIT;
	struct dirent **names = NULL;
	char cpus[256];
	int nr;

	if (!strstr(cpuinfo, "CPU implementer"))
		return false;
	strbuf_addf(&path, "%s/sys/bus/event_source/devices", root);
	nr = scandir(path.text, &names, is_core_pmu, alphasort);
	for (int i = 0; i < nr; i++) {
		cpu_pmu_read(root, names[i]->d_name, cpus, sizeof(cpus));
		cpu_kinds_add(ret, type_of_cpu(cpuinfo, strtoul(cpus, NULL, 10)), names[i]->d_name,
			      nr > 1 ? cpus : "", 0);
		free(names[i]);
	}
	free(names);
	strbuf_free(&path);
	return true;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * detect.c - detect CPU types from /proc/cpuinfo and /sys
 */
#include "events/cpu/detect.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "events/cpu/models.h"
#include "libutil/file.h"
#include "libutil/strbuf.h"

#define CPUINFO_MAX (16u << 20)

/* The number after "@key :" in the block of /proc/cpuinfo at @text. */
static bool cpuinfo_number(const char *text, const char *key, unsigned int *ret)
{
	const char *end = strstr(text, "\n\n");

	for (const char *line = text; line && (!end || line < end); line = strchr(line, '\n')) {
		const char *value;

		line += *line == '\n';
		if (strncmp(line, key, strlen(key)))
			continue;
		value = line + strlen(key);
		value += strspn(value, " \t");
		if (*value != ':')
			continue;
		*ret = (unsigned int)strtoul(value + 1, NULL, 0);
		return true;
	}
	return false;
}

/* Whether the PMU device exists. Reads its list of CPUs into @cpus, "" if the file is missing. */
static bool read_pmu(const char *root, const char *pmu, char *cpus, size_t size)
{
	struct strbuf path = STRBUF_INIT;
	bool found;

	strbuf_addf(&path, "%s/sys/bus/event_source/devices/%s", root, pmu);
	found = file_is_dir(path.text);
	strbuf_add(&path, "/cpus");
	if (file_read_line(path.text, cpus, size))
		*cpus = '\0';
	strbuf_free(&path);
	return found;
}

/* Append a kind, unless @kinds is full. @nr_counters 0: the type's own number. */
static void add_kind(struct cpu_kinds *kinds, const char *type, const char *pmu, const char *cpus,
		     unsigned int nr_counters)
{
	struct cpu_kind *k = &kinds->kind[kinds->nr];

	if (kinds->nr == CPU_KINDS_MAX)
		return;
	k->type = cpu_type_by_name(type);
	snprintf(k->pmu, sizeof(k->pmu), "%s", pmu);
	snprintf(k->cpus, sizeof(k->cpus), "%s", cpus);
	k->nr_counters = nr_counters ? nr_counters : k->type->nr_counters;
	kinds->nr++;
}

/* ---- x86 ---- */

static void add_intel(const char *root, const char *type, const char *efficient,
		      struct cpu_kinds *ret)
{
	struct arch_perfmon pmu = { 0 };
	char cpus[256];

	if (!*root)
		arch_perfmon_read(&pmu);
	/* on a hybrid machine CPUID describes only the core it runs on */
	if (read_pmu(root, "cpu_core", cpus, sizeof(cpus)))
		add_kind(ret, type, "cpu_core", cpus, 0);
	if (read_pmu(root, "cpu_atom", cpus, sizeof(cpus)))
		add_kind(ret, efficient, "cpu_atom", cpus, 0);
	if (read_pmu(root, "cpu_lowpower", cpus, sizeof(cpus)))
		add_kind(ret, ARCH_PERFMON, "cpu_lowpower", cpus, 0);
	if (!ret->nr && (read_pmu(root, "cpu", cpus, sizeof(cpus)) || pmu.version))
		add_kind(ret, type, "cpu", "", pmu.nr_counters);
}

/* False if @cpuinfo, all of /proc/cpuinfo, belongs to another architecture. */
static bool detect_x86(const char *root, const char *cpuinfo, struct cpu_kinds *ret)
{
	unsigned int family, model, stepping = 0;
	const char *type, *efficient;
	char cpus[256];

	if (!strstr(cpuinfo, "vendor_id") || !cpuinfo_number(cpuinfo, "cpu family", &family) ||
	    !cpuinfo_number(cpuinfo, "model", &model))
		return false;
	cpuinfo_number(cpuinfo, "stepping", &stepping);
	if (!strstr(cpuinfo, "AuthenticAMD") && !strstr(cpuinfo, "HygonGenuine")) {
		type = intel_cpu_type(family, model, stepping, &efficient);
		add_intel(root, type, efficient, ret);
	} else if (read_pmu(root, "cpu", cpus, sizeof(cpus))) {
		add_kind(ret, amd_cpu_type(family, model), "cpu", "", 0);
	}
	return true;
}

/* ---- Arm ---- */

/* The type of CPU @number; that of the architecture if it is missing in @cpuinfo. */
static const char *type_of_cpu(const char *cpuinfo, unsigned long number)
{
	unsigned int implementer, part, n;

	for (const char *block = cpuinfo; block; block = strstr(block, "\n\n")) {
		block += strspn(block, "\n");
		if (!cpuinfo_number(block, "processor", &n) || n != number ||
		    !cpuinfo_number(block, "CPU implementer", &implementer) ||
		    !cpuinfo_number(block, "CPU part", &part))
			continue;
		return arm_cpu_type(implementer, part);
	}
	return ARM_PMUV3;
}

static int is_core_pmu(const struct dirent *d)
{
	return !strncmp(d->d_name, "armv8", 5) || !strncmp(d->d_name, "armv9", 5);
}

/*
 * The kernel has a PMU device for each kind of core, with the list of its CPUs. The type is that of
 * the first CPU of each device.
 */
static bool detect_arm(const char *root, const char *cpuinfo, struct cpu_kinds *ret)
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
		read_pmu(root, names[i]->d_name, cpus, sizeof(cpus));
		add_kind(ret, type_of_cpu(cpuinfo, strtoul(cpus, NULL, 10)), names[i]->d_name,
			 nr > 1 ? cpus : "", 0);
		free(names[i]);
	}
	free(names);
	strbuf_free(&path);
	return true;
}

/* ---- all ---- */

void cpu_detect(const char *root, struct cpu_kinds *ret)
{
	struct strbuf path = STRBUF_INIT;
	char *cpuinfo = NULL;

	memset(ret, 0, sizeof(*ret));
	strbuf_addf(&path, "%s/proc/cpuinfo", root);
	if (!file_read_all(path.text, CPUINFO_MAX, &cpuinfo, NULL) &&
	    !detect_x86(root, cpuinfo, ret))
		detect_arm(root, cpuinfo, ret);
	if (!ret->nr) {
		add_kind(ret, "timer", "", "", 0);
		ret->kind[0].nr_counters = 0;
	}
	free(cpuinfo);
	strbuf_free(&path);
}

void arch_perfmon_read(struct arch_perfmon *ret)
{
	memset(ret, 0, sizeof(*ret));
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a, b, c, d;

	if (!__get_cpuid_count(0xa, 0, &a, &b, &c, &d) || !(a & 0xff))
		return;
	ret->version = a & 0xff;
	ret->nr_counters = a >> 8 & 0xff;
	ret->width = a >> 16 & 0xff;
	/* events beyond the length of the vector are missing, too */
	ret->missing = b | (a >> 24 < 32 ? ~0u << (a >> 24) : 0);
	if (ret->version > 1)
		ret->nr_fixed = d & 0x1f;
#endif
}

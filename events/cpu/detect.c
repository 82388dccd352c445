// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * detect.c - detect CPU types from /proc/cpuinfo and /sys
 */
#include "events/cpu/detect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "events/cpu/detect_private.h"
#include "libutil/file.h"
#include "libutil/strbuf.h"

#define CPUINFO_MAX (16u << 20)

bool cpuinfo_number(const char *text, const char *key, unsigned int *ret)
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

bool cpu_pmu_read(const char *root, const char *pmu, char *cpus, size_t size)
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

void cpu_kinds_add(struct cpu_kinds *kinds, const char *type, const char *pmu, const char *cpus,
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

void cpu_detect(const char *root, struct cpu_kinds *ret)
{
	struct strbuf path = STRBUF_INIT;
	char *cpuinfo = NULL;

	memset(ret, 0, sizeof(*ret));
	strbuf_addf(&path, "%s/proc/cpuinfo", root);
	if (!file_read_all(path.text, CPUINFO_MAX, &cpuinfo, NULL) &&
	    !cpu_detect_x86(root, cpuinfo, ret))
		cpu_detect_arm(root, cpuinfo, ret);
	if (!ret->nr) {
		cpu_kinds_add(ret, "timer", "", "", 0);
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

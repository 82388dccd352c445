// SPDX-License-Identifier: GPL-2.0-or-later
/* sysfs.c - read lists of CPUs, and the type, CPUs and format of PMUs */
#include "daemon/collect/perf/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"

static int take_cpu(const char **at, unsigned int *ret)
{
	unsigned int n = 0;
	const char *c = *at;

	for (; *c >= '0' && *c <= '9'; c++) {
		n = 10 * n + (unsigned int)(*c - '0');
		if (n >= COUNTS_MAX_CPUS)
			return -ERANGE;
	}
	if (c == *at)
		return -EINVAL;
	*at = c;
	*ret = n;
	return 0;
}

int perf_cpus_parse(const char *text, struct perf_cpu_set *ret)
{
	struct perf_cpu_set set = { 0 };
	unsigned int first, last;
	int err;

	for (;; text++) {
		err = take_cpu(&text, &first);
		if (err)
			return err;
		last = first;
		if (*text == '-') {
			text++;
			err = take_cpu(&text, &last);
			if (err)
				return err;
		}
		if (last < first)
			return -EINVAL;
		for (unsigned int cpu = first; cpu <= last; cpu++)
			set.has[cpu] = true;
		if (last >= set.end)
			set.end = last + 1;
		if (*text != ',')
			break;
	}
	if (*text && *text != '\n')
		return -EINVAL;
	*ret = set;
	return 0;
}

int perf_cpus_read(const char *path, struct perf_cpu_set *ret)
{
	char line[4096];
	int err = file_read_line(path, line, sizeof(line));

	return err ? err : perf_cpus_parse(line, ret);
}

static char *pmu_path(const char *root, const char *pmu, const char *file)
{
	return xasprintf("%s" PERF_PMU_DIR "/%s/%s", root, pmu, file);
}

int perf_pmu_type(const char *root, const char *pmu, uint32_t *ret)
{
	char *path = pmu_path(root, pmu, "type");
	uint64_t type;
	int err = file_read_u64(path, &type);

	free(path);
	if (!err && type > UINT32_MAX)
		err = -EINVAL;
	if (!err)
		*ret = (uint32_t)type;
	return err;
}

void perf_pmu_cpus(const char *root, const char *pmu, struct perf_cpu_set *ret)
{
	char *path = pmu_path(root, pmu, "cpus");

	if (perf_cpus_read(path, ret))
		ret->end = 0;
	free(path);
}

int perf_pmu_set_bit(const char *root, const char *pmu, const char *name, uint64_t *config)
{
	char *file = xasprintf("format/%s", name), *path = pmu_path(root, pmu, file), text[64];
	int err = file_read_line(path, text, sizeof(text));
	unsigned int bit;

	free(file);
	free(path);
	if (err || sscanf(text, "config:%u", &bit) != 1 || bit > 63)
		return -ENOENT;
	*config |= UINT64_C(1) << bit;
	return 0;
}

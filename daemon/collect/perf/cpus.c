// SPDX-License-Identifier: GPL-2.0-or-later
/* cpus.c - which CPUs are online */
#include "daemon/collect/perf/cpus.h"

#include <errno.h>
#include <stdlib.h>

#include "libutil/file.h"

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

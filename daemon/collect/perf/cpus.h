/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus.h - lists of CPUs as /sys writes them: "0-3,8" */
#ifndef DAEMON_COLLECT_PERF_CPUS_H
#define DAEMON_COLLECT_PERF_CPUS_H

#include <stdbool.h>
#include "libdb/session/session.h"

struct perf_cpu_set {
	unsigned int end;		/* highest CPU + 1 */
	bool has[COUNTS_MAX_CPUS];
};

/* -EINVAL: not such a list, or none in it. CPUs from COUNTS_MAX_CPUS on: -ERANGE. */
int perf_cpus_parse(const char *text, struct perf_cpu_set *ret);
int perf_cpus_read(const char *path, struct perf_cpu_set *ret);

#endif

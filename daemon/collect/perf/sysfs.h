/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysfs.h - read CPUs and PMUs from /sys */
#ifndef DAEMON_COLLECT_PERF_SYSFS_H
#define DAEMON_COLLECT_PERF_SYSFS_H

#include <stdbool.h>
#include <stdint.h>
#include "libdb/session/session.h"

struct perf_cpu_set {
	unsigned int end;		/* highest CPU + 1 */
	bool has[COUNTS_MAX_CPUS];
};

/* A list like "0-3,8". -EINVAL: malformed or empty. -ERANGE: a CPU from COUNTS_MAX_CPUS on. */
int perf_cpus_parse(const char *text, struct perf_cpu_set *ret);
int perf_cpus_read(const char *path, struct perf_cpu_set *ret);

/* Properties of the PMU @pmu on the machine whose /sys is below @root ("": this one). */

#define PERF_PMU_DIR	"/sys/bus/event_source/devices"

/* Its perf_event_attr.type. -ENOENT, -EINVAL. */
int perf_pmu_type(const char *root, const char *pmu, uint32_t *ret);
/* Its CPUs; end is 0 if it is on all of them. */
void perf_pmu_cpus(const char *root, const char *pmu, struct perf_cpu_set *ret);
/* Set the bit of perf_event_attr.config named @name in its format. -ENOENT. */
int perf_pmu_set_bit(const char *root, const char *pmu, const char *name, uint64_t *config);

#endif

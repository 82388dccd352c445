/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups.h - paths of the control groups that were made while we watched, by their ids
 *
 * So that samples of a container are known that was gone before anybody looked [PC-92].
 */
#ifndef DAEMON_COLLECT_PERF_CGROUPS_H
#define DAEMON_COLLECT_PERF_CGROUPS_H

#include <stdint.h>

#define PERF_CGROUPS_MAX	16384	/* when more are made all are forgotten */

struct perf_cgroups;

struct perf_cgroups *perf_cgroups_new(void);
void perf_cgroups_free(struct perf_cgroups *g);		/* NULL is fine */

/* The group @id was made; @path is copied. */
void perf_cgroups_add(struct perf_cgroups *g, uint64_t id, const char *path);

/* NULL: not known. Good until the next call of perf_cgroups_add(). */
const char *perf_cgroups_find(const struct perf_cgroups *g, uint64_t id);

#endif

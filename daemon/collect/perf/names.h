/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - paths of control groups and names of tasks, from records */
#ifndef DAEMON_COLLECT_PERF_NAMES_H
#define DAEMON_COLLECT_PERF_NAMES_H

#include <stdint.h>
#include "daemon/collect/perf/records.h"

/*
 * Control groups created since open, by id, so that samples of a removed container still have its
 * name [PC-92].
 */
#define PERF_CGROUPS_MAX	16384	/* when one more is created, all are dropped */

struct perf_cgroups;

struct perf_cgroups *perf_cgroups_new(void);
void perf_cgroups_free(struct perf_cgroups *g);		/* NULL is fine */

/* @path is copied. */
void perf_cgroups_add(struct perf_cgroups *g, uint64_t id, const char *path);

/* NULL: unknown. Good until the next call of perf_cgroups_add(). */
const char *perf_cgroups_find(const struct perf_cgroups *g, uint64_t id);

/* Names of tasks that started or renamed themselves since open; others are unknown [PC-93]. */
#define PERF_COMMS_MAX	65536	/* slots, by tid; a later task replaces an earlier one */

struct perf_comms;

struct perf_comms *perf_comms_new(void);
void perf_comms_free(struct perf_comms *c);	/* NULL is fine */

/* A change: EXEC, COMM or FORK. Others are ignored. */
void perf_comms_change(struct perf_comms *c, const struct perf_record *r);

/* "": unknown. Good until the next change. */
const char *perf_comms_find(const struct perf_comms *c, uint32_t tid);

#endif

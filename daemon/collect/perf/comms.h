/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comms.h - what the tasks of the machine call themselves, as far as records told it
 *
 * Of a task that was there before, and has had the same name since, nothing is known [PC-93].
 */
#ifndef DAEMON_COLLECT_PERF_COMMS_H
#define DAEMON_COLLECT_PERF_COMMS_H

#include <stdint.h>
#include "daemon/collect/perf/records.h"

#define PERF_COMMS_MAX	65536	/* tasks; whoever comes to a place takes it */

struct perf_comms;

struct perf_comms *perf_comms_new(void);
void perf_comms_free(struct perf_comms *c);	/* NULL is fine */

/* A change: EXEC, COMM or FORK. Others are ignored. */
void perf_comms_change(struct perf_comms *c, const struct perf_record *r);

/* "": not known. Good until the next change. */
const char *perf_comms_find(const struct perf_comms *c, uint32_t tid);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.h - why a perf event could not be opened, and what can be done about it */
#ifndef DAEMON_COLLECT_PERF_EXPLAIN_H
#define DAEMON_COLLECT_PERF_EXPLAIN_H

#include "daemon/collect/perf/counters.h"

/* Sets @e for @err of perf_event_open(2) on @cpu and returns @err. @c: NULL if no event counts. */
int perf_explain(int err, const struct perf_counter *c, unsigned int cpu, struct op_error *e);

#endif

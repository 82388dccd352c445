/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open.h - perf_event_open(2) for the two types of event of a CPU's ring, and its errors
 *
 * Both calls return a descriptor or -errno. Features that the kernel refuses are cleared in the
 * argument, so that each is tried once.
 */
#ifndef DAEMON_COLLECT_PERF_OPEN_H
#define DAEMON_COLLECT_PERF_OPEN_H

#include "daemon/collect/perf/events.h"

/* Mappings, exec, fork and exit; enabled. */
int perf_open_mappings(unsigned int cpu, struct perf_event_setup *setup);

/* What @c asks for; disabled. */
int perf_open_sampling(unsigned int cpu, const struct perf_event_setup *setup,
		       struct perf_counter *c);

/* Nothing: it carries what the BPF program writes for an event of sampling. */
int perf_open_output(unsigned int cpu, const struct perf_event_setup *setup);

/*
 * Explain in @e what @err of perf_event_open(2) on @cpu means and what to do; returns @err.
 * @c: NULL if no event counts.
 */
int perf_open_error(int err, const struct perf_counter *c, unsigned int cpu, struct op_error *e);

#endif

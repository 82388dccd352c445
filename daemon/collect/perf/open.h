/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open.h - perf_event_open(2) for the two kinds of event that a CPU's ring is fed by
 *
 * Both return a descriptor or -errno. What the kernel does not take is lowered in what is passed,
 * so that it is asked for but once.
 */
#ifndef DAEMON_COLLECT_PERF_OPEN_H
#define DAEMON_COLLECT_PERF_OPEN_H

#include "daemon/collect/perf/events.h"

/* Mappings, exec, fork and exit; it runs at once. */
int perf_open_mappings(unsigned int cpu, struct perf_event_setup *setup);

/* What @c asks for; it waits to be enabled. */
int perf_open_sampling(unsigned int cpu, const struct perf_event_setup *setup,
		       struct perf_counter *c);

#endif

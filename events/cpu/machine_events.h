/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_events.h - what one kind of CPU of a machine can really count
 */
#ifndef EVENTS_CPU_MACHINE_EVENTS_H
#define EVENTS_CPU_MACHINE_EVENTS_H

#include "events/cpu/detect.h"
#include "events/table/table.h"

/*
 * The table of @kind's type for the counters that it has, without the architectural events that
 * CPUID says are missing; where the type is an architecture's and no CPU's own, the events that
 * the kernel names are added. Of this machine (@root "") an event may then be asked for by
 * libpfm4's name too. @root as cpu_detect()'s. Errors: event_table_load()'s.
 */
int machine_events_load(const char *root, const struct cpu_kind *kind, struct event_table **ret,
			struct op_error *e);

#endif

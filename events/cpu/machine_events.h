/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_events.h - the events that one kind of CPU of a machine can count
 */
#ifndef EVENTS_CPU_MACHINE_EVENTS_H
#define EVENTS_CPU_MACHINE_EVENTS_H

#include "events/cpu/detect.h"
#include "events/table/table.h"

/*
 * Load the table of @kind's type for its number of counters, without the architectural events that
 * CPUID reports missing, and with the kernel's events if the type is that of an architecture. On
 * this machine (@root "") events may also be requested by libpfm4's names. @root and errors as in
 * cpu_detect() and event_table_load().
 */
int machine_events_load(const char *root, const struct cpu_kind *kind, struct event_table **ret,
			struct op_error *e);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_events.h - the events that the running kernel names for a CPU
 *
 * Where no table is for a CPU, the kernel's list in sysfs is: on Arm it holds exactly the events
 * that PMCEID says are there.
 */
#ifndef EVENTS_CPU_KERNEL_EVENTS_H
#define EVENTS_CPU_KERNEL_EVENTS_H

#include "libutil/strbuf.h"

/*
 * Append the events of @root/sys/bus/event_source/devices/@pmu/events as lines of an "events" and
 * a "unit_masks" file. Those that need more than an event select are left out. Names keep their
 * spelling ("cpu-cycles"). Nothing is appended where there is no such folder.
 */
void kernel_events_read(const char *root, const char *pmu, struct strbuf *events,
			struct strbuf *masks);

#endif

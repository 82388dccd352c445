/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_events.h - the events that the running kernel lists for a CPU
 *
 * For CPUs without a table. On Arm the kernel's list in sysfs has exactly the events that the CPU's
 * PMCEID registers announce.
 */
#ifndef EVENTS_CPU_KERNEL_EVENTS_H
#define EVENTS_CPU_KERNEL_EVENTS_H

#include "libutil/strbuf.h"

/*
 * Append the events of @root/sys/bus/event_source/devices/@pmu/events as lines of an "events" and
 * a "unit_masks" file, except those that need more than an event select. Names keep their spelling
 * ("cpu-cycles"). Appends nothing if the folder is missing.
 */
void kernel_events_read(const char *root, const char *pmu, struct strbuf *events,
			struct strbuf *masks);

#endif

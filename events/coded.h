/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coded.h - events by their raw code, for what no table has
 */
#ifndef EVENTS_CODED_H
#define EVENTS_CODED_H

#include "events/table/table.h"

#define EVENT_CODED_MIN 6000 /* least count: it may happen as often as cycles */

/*
 * The event that "r01c2" is (encode.h): one mask, which is its default, on any counter.
 * NULL: @name is no raw code, or has bits that the CPU has not (event_config_unknown()). It lives
 * as long as @table, which keeps it; not while another thread asks for one. Not for timers.
 */
const struct event *event_table_coded(const struct event_table *table, const char *name);

/*
 * The same for a code that was found elsewhere, under @name; a '.' in it becomes '_', for names
 * of events are parts of file names.
 */
const struct event *event_table_add_coded(const struct event_table *table, const char *name,
					  uint64_t config);

#endif

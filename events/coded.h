/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coded.h - events by raw code, for what is missing in the tables
 */
#ifndef EVENTS_CODED_H
#define EVENTS_CODED_H

#include "events/table/table.h"

#define EVENT_CODED_MIN 6000 /* minimum count: it may be as frequent as cycles */

/*
 * The event of a raw code such as "r01c2" (encode.h), with one mask, on any counter. NULL:
 * not a raw code, or one with bits that the CPU does not have (event_config_unknown()), or the type
 * is a timer. Owned by @table. Not thread-safe.
 */
const struct event *event_table_coded(const struct event_table *table, const char *name);

/*
 * The same for a known code, under @name. A '.' in it becomes '_', because event names are parts of
 * file names.
 */
const struct event *event_table_add_coded(const struct event_table *table, const char *name,
					  uint64_t config);

#endif

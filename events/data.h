/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data.h - where event tables lie, and what they say of a profiled event
 *
 * For programs that do not program counters: reports and listings.
 */
#ifndef EVENTS_DATA_H
#define EVENTS_DATA_H

#include "events/table/table.h"

/*
 * The data folder, with CPU-TYPE/events below it: $OPROFILE_EVENTS_DIR; else share/oprofile
 * beside the folder of the running program; else the one of make install. Malloc'd. [EV-1]
 */
char *event_data_dir(void);

/* event_table_load() from the data folder, with the type's own number of counters. */
int event_table_open(const struct cpu_type *type, struct event_table **ret, struct op_error *e);

/* Texts live as long as the table, or are constant; none is NULL. */
struct event_description {
	const char *name;      /* the table's first name for the code; the asked one if unknown */
	const char *desc;      /* "" if unknown */
	const char *mask_desc; /* "multiple flags" if no single mask has the value; "" unknown */
};

/*
 * For "Counted NAME events (DESC) with a unit mask of 0x41 (MASK DESC) count N". @table may be
 * NULL. The event is looked for by @name, of either case, then by @code; @by_code reverses that,
 * as the original does.
 */
void event_describe(const struct event_table *table, const char *name, uint64_t code,
		    uint32_t unit_mask, bool by_code, struct event_description *ret);

#endif

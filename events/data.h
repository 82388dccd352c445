/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data.h - find the event tables, and describe a profiled event
 *
 * For programs that do not program counters: reports and listings.
 */
#ifndef EVENTS_DATA_H
#define EVENTS_DATA_H

#include "events/table/table.h"

/*
 * The folder that holds CPU-TYPE/events: $OPROFILE_EVENTS_DIR; else share/oprofile beside the
 * folder of the running program; else that of make install. The caller frees it. [EV-1]
 */
char *event_data_dir(void);

/* event_table_load() from that folder, with the type's own number of counters. */
int event_table_open(const struct cpu_type *type, struct event_table **ret, struct op_error *e);

/* Strings live as long as the table or this, or are constant; none is NULL. */
struct event_description {
	const char *name;      /* the table's first name of the code; the given one if unknown */
	const char *desc;      /* "" if unknown */
	/* "A, B" for a combination of bits, "multiple flags" for another one; "" if unknown */
	char mask_desc[160];
};

/*
 * For "Counted NAME events (DESC) with a unit mask of 0x41 (MASK DESC) count N". @table may be
 * NULL. Searches by @name, ignoring case, then by @code; with @by_code in reverse order, and with
 * "multiple flags" for all combinations that are not listed, as OProfile does.
 */
void event_describe(const struct event_table *table, const char *name, uint64_t code,
		    uint32_t unit_mask, bool by_code, struct event_description *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - the events of one CPU type: names, codes, unit masks, counters
 *
 * Read from DIR/CPU-TYPE/{events,unit_masks}, text in OProfile's syntax; doc/howto-add-a-cpu.md
 * has the rules [EV-n]. A table is checked as a whole when it is loaded; the first error,
 * "FILE:LINE:COLUMN: ...", is in struct op_error and no table is returned.
 * A loaded table does not change, so threads may share it.
 */
#ifndef EVENTS_TABLE_TABLE_H
#define EVENTS_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "events/cpu/type.h"
#include "libutil/error.h"

#define EVENT_COUNTERS_MAX 64 /* counters are bits of a word */
#define EVENT_NAME_MAX_LEN 63 /* of an event or a unit mask */

/*
 * Bits of an Intel event select beside the unit mask, as OProfile numbers them [EV-15].
 * EXTRA_NONE means only that the mask has a name, and is set in every mask that has one.
 */
#define EXTRA_EDGE (1u << 18)
#define EXTRA_PEBS (1u << 19)
#define EXTRA_ANY (1u << 21)
#define EXTRA_NONE (1u << 22)
#define EXTRA_INV (1u << 23)
#define EXTRA_CMASK_SHIFT 24

enum mask_kind {
	MASKS_MANDATORY, /* one mask, always used */
	MASKS_BITMASK,	 /* masks may be or-ed */
	MASKS_EXCLUSIVE, /* one of several */
};

struct unit_mask {
	uint32_t value;
	uint32_t extra; /* EXTRA_*, 0 for a mask without a name */
	char *name;	/* NULL: by number only */
	char *desc;
};

struct mask_set {
	char *name;
	enum mask_kind kind;
	uint32_t default_value;
	const struct unit_mask *default_mask; /* NULL: default_value is an OR of several */
	bool default_is_name;		      /* the table gives the default by name */
	struct unit_mask *masks;
	size_t nr;
};

struct event {
	char *name, *desc;
	uint64_t code;
	uint64_t counters;	      /* bit n: counter n can hold it; 0 when @ext */
	uint32_t min_count;	      /* least events per sample */
	char *ext;		      /* "ibs_op": the feature that counts it; or NULL */
	int filter;		      /* bit of CPUID 0xA EBX: missing if set; or -1 */
	const struct mask_set *masks; /* never NULL */
};

struct event_table {
	const struct cpu_type *type;
	unsigned int nr_counters;
	struct event *events; /* in the file's order; included ones at their include line */
	size_t nr;
	struct event_store *store; /* owns their strings and masks */
};

/*
 * Load @type's table from below @dir. @nr_counters: counters of the CPU, for events with
 * "counters:cpuid"; 0: the type's own number. -ENOENT: no table. -EINVAL: malformed.
 * -EFBIG: a file is larger than TABLE_FILE_MAX.
 */
int event_table_load(const char *dir, const struct cpu_type *type, unsigned int nr_counters,
		     struct event_table **ret, struct op_error *e);

/* The same from NUL-terminated text, which remains the caller's. -ENOENT: an include: line. */
int event_table_parse(const char *events, const char *unit_masks, const struct cpu_type *type,
		      unsigned int nr_counters, struct event_table **ret, struct op_error *e);

struct event_table *event_table_free(struct event_table *table); /* accepts and returns NULL */

/*
 * By name; or NULL. CPU_CLK_UNHALTED is found in every table: if the vendor names cycles
 * differently, it is that event [EV-30].
 */
const struct event *event_table_find(const struct event_table *table, const char *name);

/* The event with this code whose unit masks admit @unit_mask, or NULL [EV-31]. */
const struct event *event_table_find_code(const struct event_table *table, uint64_t code,
					  uint32_t unit_mask);

/* Whether every counter of the table can hold it ("counter: all"). */
bool event_fits_all(const struct event_table *table, const struct event *event);

#endif

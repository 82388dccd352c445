/* SPDX-License-Identifier: GPL-2.0-or-later */
/* add.h - two runs become one profile, and parts of a profile one of another type */
#ifndef FEEDBACK_XPROF_ADD_H
#define FEEDBACK_XPROF_ADD_H

#include "feedback/xprof/xprof.h"

/*
 * What @base has and what @more, a later run, has [XP-31]: counters are added where an object is
 * the same in both; an object that was compiled again has only those of @more. Both have one type.
 * *ret_nr_reset: how many these were.
 */
struct xprof *xprof_add(const struct xprof *base, const struct xprof *more,
			uint32_t *ret_nr_reset);

/* The same with no string but those in use, in the order of their first use [XP-29]. */
struct xprof *xprof_pack(const struct xprof *x);

/* A copy without its source sections [XP-32]: what is run time data. */
struct xprof *xprof_make_tcovd(const struct xprof *x);

/* Object @at alone, its counters declared, without counts [XP-9]. */
struct xprof *xprof_make_objfd(const struct xprof *x, uint32_t at);

/* Source lines only, from the tuples of @x and how often their blocks ran [XP-22]. */
struct xprof *xprof_make_tcovsd(const struct xprof *x);

/* A block on a source line. */
struct xprof_source_entry {
	uint32_t file, line, column, name, path, block;	/* strings of the profile it goes to */
	uint32_t run;				/* of one run said once, of several added */
	uint64_t count;
};

/* Add the source sections that @entries make, which are sorted by this, to @x, which has none. */
void xprof_add_source_entries(struct xprof *x, struct xprof_source_entry *entries, size_t nr);

#endif

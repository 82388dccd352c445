/* SPDX-License-Identifier: GPL-2.0-or-later */
/* add.h - add profiles, and make profiles of another type */
#ifndef FEEDBACK_XPROF_ADD_H
#define FEEDBACK_XPROF_ADD_H

#include "feedback/xprof/xprof.h"

/*
 * The sum of @base and @more, the profile of a later run of the same type [XP-31]. Counters are
 * added if an object is the same in both; if it was recompiled, the sum has only those of @more.
 * *ret_nr_reset: recompiled objects. The caller frees the result.
 */
struct xprof *xprof_add(const struct xprof *base, const struct xprof *more,
			uint32_t *ret_nr_reset);

/* A copy with only the strings in use, in the order of their first use [XP-29]. */
struct xprof *xprof_pack(const struct xprof *x);

/* A copy without source sections [XP-32]. */
struct xprof *xprof_make_tcovd(const struct xprof *x);

/* Only object @at, with its counters declared but without counts [XP-9]. */
struct xprof *xprof_make_objfd(const struct xprof *x, uint32_t at);

/* Only source sections, from the tuples of @x and the counts of their blocks [XP-22]. */
struct xprof *xprof_make_tcovsd(const struct xprof *x);

/* A block on a source line. */
struct xprof_source_entry {
	uint32_t file, line, column, name, path, block;	/* strings of the target profile */
	uint32_t run;	/* counts of different runs are added; in one run a block counts once */
	uint64_t count;
};

/* Sort @entries and add source sections of them to @x, which has none. */
void xprof_add_source_entries(struct xprof *x, struct xprof_source_entry *entries, size_t nr);

#endif

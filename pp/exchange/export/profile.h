/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - a session as a struct profile, which any format can be written from
 *
 *	sample files + stack stores -> stacks (stacks.c)
 *	images at addresses (images.c), names and lines (symbols.c)
 *
 * The sample files have the numbers: the sum over all samples is opreport's, whatever the stack
 * store has lost or has too much of. Rules: doc/export.md [EX-n].
 */
#ifndef PP_EXCHANGE_EXPORT_PROFILE_H
#define PP_EXCHANGE_EXPORT_PROFILE_H

#include <stdbool.h>
#include "formats/profile/profile.h"
#include "libutil/error.h"
#include "pp/binary/demangle_name.h"
#include "pp/select/collect.h"
#include "pp/select/notices.h"

struct export_baseline;

struct export_options {
	const struct export_baseline *since;	/* only what came later; NULL: all */
	const char *cache_dir;		/* of line tables, or NULL */
	enum demangle_style demangle;
	bool symbols;			/* else places have no lines at all */
	bool inlines;			/* source lines, and the functions inlined there */
};

/*
 * All samples of the files of @c, which needs no arrangement. What is left out or not found is told
 * in @notices. -ENOENT: no samples. -EIO: none of the files can be read. @e says which.
 * *ret is new, for profile_free().
 */
int export_profile(struct collection *c, const struct export_options *options,
		   struct profile **ret, struct notices *notices, struct op_error *e);

#endif

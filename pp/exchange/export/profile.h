/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - make a struct profile, from which any format can be written, from a session
 *
 *	sample files + stack stores -> stacks (stacks.c)
 *	images at addresses (images.c), names and lines (symbols.c)
 *
 * Counts come from the sample files: the sum over all samples equals opreport's, even if the stack
 * store has lost some. Rules: doc/export.md [EX-n].
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
	const struct export_baseline *since;	/* export only later samples; NULL: all */
	const char *cache_dir;		/* of line tables, or NULL */
	const struct profile_spec *spec;	/* what of the sessions @c is; NULL: any part */
	enum demangle_style demangle;
	bool symbols;			/* else places have no lines at all */
	bool merge_unnamed;		/* functions without a name: by section */
	bool inlines;			/* source lines, and the functions inlined there */
};

/*
 * Export all samples of the files of @c, which needs no arrangement. *ret is new, for
 * profile_free(). -ENOENT: no samples. -EIO: none of the files can be read. The reason is in @e;
 * @notices names omitted and missing parts.
 */
int export_profile(struct collection *c, const struct export_options *options,
		   struct profile **ret, struct notices *notices, struct op_error *e);

/* After a collect() that found no samples: the empty profile that was imported, or NULL. [IM-10] */
struct profile *export_empty(struct collection *c, struct notices *notices);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcov_listing.h - print a source with execution counts: doc/xprof.md [XP-38] */
#ifndef FEEDBACK_GCOV_TCOV_LISTING_H
#define FEEDBACK_GCOV_TCOV_LISTING_H

#include <stdio.h>
#include "feedback/xprof/xprof.h"
#include "libutil/error.h"

struct tcov_options {
	bool all;		/* counts on all lines, not only on the first lines of blocks */
	uint32_t top;		/* lines in the table of the most executed lines */
};

/*
 * Print the source @file (a string of @x), whose text is in @path. @counts: from
 * xprof_block_counts(). -errno: @path cannot be read.
 */
int tcov_listing_print(const struct xprof *x, const uint64_t *counts, uint32_t file,
		       const char *path, const struct tcov_options *options, FILE *out,
		       struct op_error *e);

#endif

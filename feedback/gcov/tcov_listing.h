/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcov_listing.h - a source with how often its lines ran: doc/xprof.md [XP-38] */
#ifndef FEEDBACK_GCOV_TCOV_LISTING_H
#define FEEDBACK_GCOV_TCOV_LISTING_H

#include <stdio.h>
#include "feedback/xprof/xprof.h"
#include "libutil/error.h"

struct tcov_options {
	bool all;		/* a count for each line, not only where a block begins */
	uint32_t top;		/* lines in the table of those that ran most */
};

/*
 * Print the source @file (a string of @x), whose text is in @path; @counts are of all blocks of @x.
 * -errno: it cannot be read.
 */
int tcov_listing_print(const struct xprof *x, const uint64_t *counts, uint32_t file,
		       const char *path, const struct tcov_options *options, FILE *out,
		       struct op_error *e);

#endif

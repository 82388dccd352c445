/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_counts.h - execution counts of source lines */
#ifndef FEEDBACK_XPROF_LINE_COUNTS_H
#define FEEDBACK_XPROF_LINE_COUNTS_H

#include "feedback/xprof/xprof.h"

struct xprof_line_count {
	uint32_t line;
	bool begins_block;	/* the first line of a block in this source */
	uint64_t count;		/* [XP-23] */
};

/*
 * The *ret_nr lines with code of the source @file (a string of @x), in order; the caller frees the
 * array. Blocks with unknown counts count as 0.
 */
struct xprof_line_count *xprof_line_counts(const struct xprof *x, uint32_t file, size_t *ret_nr);

#endif

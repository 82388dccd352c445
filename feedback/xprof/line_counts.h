/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_counts.h - how often each line of a source ran */
#ifndef FEEDBACK_XPROF_LINE_COUNTS_H
#define FEEDBACK_XPROF_LINE_COUNTS_H

#include "feedback/xprof/xprof.h"

struct xprof_line_count {
	uint32_t line;
	bool begins_block;	/* some block's first line in this source */
	uint64_t count;		/* [XP-23] */
};

/*
 * Lines of the source @file (a string of @x) that have code, in order; malloc'd, *ret_nr of them.
 * Blocks whose count is not known do not count.
 */
struct xprof_line_count *xprof_line_counts(const struct xprof *x, uint32_t file, size_t *ret_nr);

#endif

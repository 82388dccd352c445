/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - two profiles become one list of rows with their changes
 *
 * Shares are compared, not samples: two runs never have the same number. Rules: doc/pp-spec.md
 * [DF-1]..[DF-4].
 */
#ifndef PP_REPORT_DIFF_H
#define PP_REPORT_DIFF_H

#include "pp/report/symbols.h"
#include "pp/select/arrange.h"

/* -EINVAL with @e set: the columns of the two are not the same. */
int diff_check(const struct arrangement *first, const struct arrangement *second,
	       struct op_error *e);

/*
 * Match the rows and move those that are only in @first to @second, which has the changes then and
 * is freed first.
 * Totals of both are there and stay. @exact, as in the original: image and application must be
 * the same; else rows that have no partner are matched by image and name, then by the image's
 * base name and name.
 */
void diff_rows(struct row_list *first, struct row_list *second, bool exact);

/* Drop rows of which no class changed by @percent or more. */
void diff_threshold(struct row_list *rows, double percent);

#endif

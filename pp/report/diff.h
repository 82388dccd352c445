/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - join the rows of two profiles into one list with their changes
 *
 * Shares are compared, not samples: two runs never have the same number of samples. Rules:
 * doc/pp-spec.md [DF-1]..[DF-4].
 */
#ifndef PP_REPORT_DIFF_H
#define PP_REPORT_DIFF_H

#include "pp/report/symbols.h"
#include "pp/select/arrange.h"

/* -EINVAL with @e set: the two have different columns. */
int diff_check(const struct arrangement *first, const struct arrangement *second, bool compat,
	       struct op_error *e);

/*
 * Match the rows and move those that are only in @first to @second, which gets the changes and must
 * be freed before @first. Totals must have been computed and do not change.
 * @compat, as in the original: image and application must be equal. Else the remaining rows are
 * matched by image and name, then by the image's base name and name.
 */
void diff_rows(struct row_list *first, struct row_list *second, bool compat);

/* Drop rows that changed by @percent or more in no class, or, as in the original, in the first. */
void diff_threshold(struct row_list *rows, double percent, bool first_class_only);

#endif

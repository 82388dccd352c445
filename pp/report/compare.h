/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.h - the rows of two profiles that differ by more than chance
 *
 * Shares are compared. A change counts if its interval excludes 0, at a level that holds for all
 * rows of a column together. Rules: doc/opdiff.md [DS-1]..[DS-8].
 */
#ifndef PP_REPORT_COMPARE_H
#define PP_REPORT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "pp/report/share_interval.h"
#include "pp/report/symbols.h"

enum compare_sort {
	COMPARE_SURE,		/* by how much it changed at least */
	COMPARE_CHANGE,
	COMPARE_FIRST,		/* share in the first, second profile */
	COMPARE_SECOND,
	COMPARE_SYMBOL,
	COMPARE_IMAGE,
};

struct compare_options {
	double risk;			/* that any row is reported as changed and is not */
	double threshold;		/* percent: drop rows below it in both profiles */
	bool all;			/* keep rows that did not change */
	enum compare_sort sort;
	bool reverse;
};

struct compared_row {
	const struct symbol_row *row;
	uint64_t counts[2];
	double change;			/* of the share, as are these: in percent of all samples */
	struct interval interval;
	int direction;			/* -1, 1: it changed; 0: that may be chance */
};

/* Of one class. */
struct comparison {
	struct compared_row *rows;
	size_t nr;			/* to be shown */
	uint64_t totals[2];
	size_t nr_rows;			/* with samples in either profile */
	size_t nr_changed, nr_few;	/* of them; nr_few: too few samples to show any change */
};

/*
 * @first and @second have been through diff_rows(). *ret refers to their rows and is the caller's
 * to free.
 */
void comparison_make(const struct row_list *first, const struct row_list *second, size_t class,
		     const struct compare_options *options, struct comparison *ret);
void comparison_free(struct comparison *c);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h - samples of images or functions over time, from the history: opreport --timeline
 *
 *	history -> stacks (stack/list.c) -> rows -> samples in each period (periods.c)
 *
 * Memory: a number for each row and period. Rules: doc/pp-spec.md [TL-1]..[TL-5].
 */
#ifndef PP_REPORT_TIMELINE_H
#define PP_REPORT_TIMELINE_H

#include "pp/report/periods.h"
#include "pp/report/stack/report.h"

struct timeline_row {
	const struct stack_symbol *symbol;
	uint64_t total;
	const uint64_t *samples;	/* of each period */
};

/* Rows of one class. */
struct timeline_class {
	struct timeline_row *rows;	/* most samples first */
	size_t nr;
	uint64_t total;
	uint64_t *samples;		/* of all rows, of each period */
};

struct timeline {
	struct stack_report report;	/* owns the symbols */
	struct stack_list stacks;
	struct periods periods;
	struct timeline_class *classes;
	size_t nr_classes;
	uint64_t *storage;
};

/*
 * Make the timeline of @c, which is a range of the history, with @max_periods at most. @options has
 * the order STACKS_LEAVES or STACKS_LEAF_IMAGES. Errors as of stacks_make(). Free *ret.
 */
int timeline_make(struct collection *c, const struct stacks_options *options, size_t max_periods,
		  struct timeline *ret, struct notices *notices, struct op_error *e);
void timeline_free(struct timeline *t);

#endif

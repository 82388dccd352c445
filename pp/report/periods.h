/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * periods.h - when the stacks of a range of the history had their samples
 *
 * The range is divided into periods, and its slices, which were read once as one profile, are read
 * again, one by one. So memory does not depend on how many slices there are. Rules: doc/pp-spec.md
 * [TL-2], [TL-5].
 */
#ifndef PP_REPORT_PERIODS_H
#define PP_REPORT_PERIODS_H

#include <stddef.h>
#include <stdint.h>
#include "pp/report/stack/list.h"
#include "pp/select/collect.h"
#include "pp/select/notices.h"

#define PERIODS_MAX	1000
#define PERIODS_NO_ROW	UINT32_MAX

struct periods {
	int64_t begin_ns;		/* of the first one; CLOCK_REALTIME */
	int64_t end_ns;			/* of the last one, or the end of time */
	int64_t period_ns;
	size_t nr;
	uint64_t *covered_ns;		/* of each: how much of it has slices */
};

/* Where samples go: row_of[origin] (pp/report/stack/list.h), or PERIODS_NO_ROW. */
struct period_rows {
	uint32_t *row_of;
	size_t nr_origins;
	uint64_t *samples;		/* of each row, periods.nr of them */
};

/* No stack has a row yet; row_of is the caller's to fill in and free, samples to set. */
struct period_rows period_rows_new(const struct stack_list *stacks);

/* Before the stacks of @c are read: keep what periods_add() needs. */
void periods_prepare(struct collection *c);

/* Divide the range that @c is, all of whose sessions are of the history, into @max or fewer. */
void periods_make(const struct collection *c, size_t max, struct periods *ret);
void periods_free(struct periods *p);

/*
 * Add the samples of each slice of @range to @rows, and the slices' lengths to @p. @stacks: of the
 * whole range; if events took turns, their scaled counts are divided as the samples are. What
 * cannot be read again is missing, with a notice.
 */
void periods_add(const struct collection *c, const struct time_range *range, struct periods *p,
		 const struct period_rows *rows, const struct stack_list *stacks,
		 struct notices *notices);

#endif

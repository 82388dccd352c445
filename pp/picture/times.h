/* SPDX-License-Identifier: GPL-2.0-or-later */
/* times.h - when the nodes of a picture had their samples: the page's time axis [PI-19] */
#ifndef PP_PICTURE_TIMES_H
#define PP_PICTURE_TIMES_H

#include <stdbool.h>
#include "pp/picture/data.h"
#include "pp/report/periods.h"
#include "pp/report/stack/list.h"

#define PICTURE_PERIODS		120	/* at most; of a heat map: */
#define PICTURE_CELLS		PERIODS_MAX
#define PICTURE_TIMES		400000	/* numbers other than 0, at most */

struct picture_times {
	struct periods periods;		/* nr 0: there is no time axis */
	unsigned int column;		/* periods in a column of the heat map; 0: there is none */
	size_t nr_rows;
	uint64_t *samples;		/* of each node, class and period */
};

/*
 * Make *ret of the nodes that @p has after a cut, whose only profile is @c with @stacks, as
 * picture_add_stacks() left them. There are fewer periods if these have too many numbers. Memory: a
 * number for each node, class and period.
 */
void picture_times_make(const struct picture *p, const struct collection *c,
			const struct time_range *range, const struct stack_list *stacks,
			bool is_heatmap, struct picture_times *ret, struct notices *notices);
void picture_times_free(struct picture_times *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.h - where rows and columns are on the screen */
#ifndef LIVE_TOP_LINES_H
#define LIVE_TOP_LINES_H

#include "live/top/model.h"

#define TOP_FIRST_ROW		2	/* below the title and the head of the columns */
#define TOP_LINES_AROUND	3	/* these, and the keys */

/* Percent of all samples since the mark, less those before it. */
double top_change_of(const struct top_model *m, const struct top_row *row);

/* The order that a column at @x stands for; false: there is none. */
bool top_column_at(const struct top_model *m, unsigned int x, enum top_sort *ret);

#endif

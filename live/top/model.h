/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model.h - what optop shows: rows of a view, their order, and what keys and the mouse do
 *
 * It knows neither samples nor a terminal: view.c fills in the rows, screen.c draws the lines.
 * Rules: doc/optop.md [OT-n].
 */
#ifndef LIVE_TOP_MODEL_H
#define LIVE_TOP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/strbuf.h"
#include "libutil/table.h"

enum top_view {
	TOP_IMAGES, TOP_SYMBOLS, TOP_PROCESSES, TOP_CGROUPS, TOP_STACKS,
	NR_TOP_VIEWS,			/* those that keys choose; the others are entered: */
	TOP_CALLERS = NR_TOP_VIEWS,	/* of the function entered, and so on outwards */
	TOP_FRAMES,			/* of the stack entered, innermost first */
	TOP_SOURCE,			/* lines of the function entered */
};

enum top_sort { TOP_BY_NOW, TOP_BY_SAMPLES, TOP_BY_CHANGE, TOP_BY_NAME, NR_TOP_SORTS };

/* Keys that are no characters. */
enum top_key {
	TOP_UP = 256, TOP_DOWN, TOP_PAGE_UP, TOP_PAGE_DOWN, TOP_HOME, TOP_END,
};
#define TOP_ENTER	'\n'
#define TOP_ESCAPE	27
#define TOP_BACKSPACE	127

struct top_row {
	uint64_t key;			/* hash: what the row stands for */
	const char *name, *detail;	/* live until the next rows; detail: or NULL */
	double now;			/* samples, recent ones most */
	uint64_t since, before;		/* samples since the mark, and from the mark before it */
	uint32_t order;			/* of views with an order of their own */
};

/* A view, and the rows that led there. */
struct top_level {
	enum top_view view;
	uint64_t key;			/* of the row of the level above that was entered */
	char *title;			/* its name */
	uint64_t selected;		/* key of the row */
	size_t index, first;		/* of the row, and of the first line shown */
	bool is_chosen;			/* by the user: follow the row when the order changes */
};

#define TOP_LEVELS	64
#define TOP_TEXT	80		/* of a filter, bytes */

struct top_model {
	struct top_level levels[TOP_LEVELS];
	size_t nr_levels;		/* at least 1 */
	unsigned int width, height;
	enum top_sort sort;
	bool is_reverse, is_frozen, has_mark, is_typing, is_help, is_over;
	char filter[TOP_TEXT];
	/* for the title; set by who fills in the rows */
	char event[64];
	uint64_t lost;
	double seconds, rate;		/* since the mark; samples per second */
	char message[160];		/* in place of the keys, until the next key */
	/* rows: all, in order those that the filter selects */
	struct top_row *rows;
	size_t nr, room, nr_shown;
	struct hash_table by_key;
	double now;			/* of all samples that are shown: what percentages are of */
	uint64_t since, before;
};

enum top_change {
	TOP_SAME_ROWS,			/* only the lines may differ */
	TOP_OTHER_ROWS,			/* the rows must be made anew */
	TOP_MARK, TOP_NO_MARK,		/* begin to count anew; count all again */
	TOP_NEXT_EVENT,
};

void top_model_init(struct top_model *m, unsigned int width, unsigned int height);
void top_model_free(struct top_model *m);

static inline struct top_level *top_level(const struct top_model *m)
{
	return (struct top_level *)&m->levels[m->nr_levels - 1];
}

/*
 * Make rows: begin, then a row for each key and the sums of all samples, then end, which selects
 * and sorts the rows.
 */
void top_rows_begin(struct top_model *m);
/* The row of @key; new, without a name: *ret_is_new. Valid until the next call. */
struct top_row *top_row(struct top_model *m, uint64_t key, bool *ret_is_new);
void top_rows_end(struct top_model *m);

/* What a key does. */
enum top_change top_key(struct top_model *m, int key);
/* A click on line @y, column @x, both from 0. The second one on a row enters it. */
enum top_change top_click(struct top_model *m, unsigned int x, unsigned int y);

/*
 * Append the @height lines of the screen, each with a letter in front that says how it looks, and a
 * newline at its end: 't' the title, 'h' the head of the columns, 's' the selected row, 'b' a row
 * with many samples, ' ' another one, 'k' the keys.
 */
void top_print(const struct top_model *m, struct strbuf *to);

#endif

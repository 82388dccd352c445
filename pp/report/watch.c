// SPDX-License-Identifier: GPL-2.0-or-later
/* watch.c - count the days against which a row grew */
#include "pp/report/watch.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

/* Rows of other comparisons are others, of another boot even; names stay. */
static struct watched_row *row_of(struct watch *w, const struct symbol_row *row, size_t class)
{
	const char *image = image_common_name(row->image);

	for (size_t i = 0; i < w->nr; i++)
		if (w->rows[i].class == class && !strcmp(w->rows[i].image, image) &&
		    !strcmp(w->rows[i].symbol, row->shown))
			return &w->rows[i];
	xgrow(w->rows, w->nr, w->room);
	w->rows[w->nr] = (struct watched_row){ .image = xstrdup(image),
					       .symbol = xstrdup(row->shown), .class = class };
	return &w->rows[w->nr++];
}

static double share(const struct comparison *c, const struct compared_row *r, size_t which)
{
	return c->totals[which] ? 100 * (double)r->counts[which] / (double)c->totals[which] : 0;
}

static void add_rows(struct watch *w, const struct comparison *c, size_t class)
{
	for (size_t i = 0; i < c->nr; i++) {
		const struct compared_row *r = &c->rows[i];
		struct watched_row *row;

		if (r->direction <= 0)
			continue;
		row = row_of(w, r->row, class);
		if (row->nr_days > w->nr_days)
			continue;	/* two functions of one name: the first counts */
		row->nr_days++;
		row->now = share(c, r, 1);
		if (share(c, r, 0) > row->most)
			row->most = share(c, r, 0);
	}
}

void watch_add_day(struct watch *w, const struct comparison *comparisons, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		add_rows(w, &comparisons[i], i);
	w->nr_days++;
}

static int compare_rows(const void *a, const void *b)
{
	const struct watched_row *x = a, *y = b;
	double dx = x->now - x->most, dy = y->now - y->most;
	int order;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	order = strcmp(x->symbol, y->symbol);
	return order ? order : strcmp(x->image, y->image);
}

void watch_end(struct watch *w, double above)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->nr; i++) {
		struct watched_row row = w->rows[i];

		if (row.nr_days == w->nr_days && row.now - row.most > above) {
			w->rows[kept++] = row;
			continue;
		}
		free(row.image);
		free(row.symbol);
	}
	w->nr = kept;
	if (kept)
		qsort(w->rows, kept, sizeof(*w->rows), compare_rows);
}

void watch_free(struct watch *w)
{
	for (size_t i = 0; i < w->nr; i++) {
		free(w->rows[i].image);
		free(w->rows[i].symbol);
	}
	free(w->rows);
	*w = (struct watch){ .nr = 0 };
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.c - an interval for each row, at a level that holds for all rows together
 *
 * With thousands of rows some change by chance, so the risk is divided among them (Bonferroni).
 * Rows with so few samples that no split of them between the profiles would be significant get no
 * part of it (Tarone 1990): the long tail of a profile would hide changes of the others [DS-5].
 */
#include "pp/report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

static double share(uint64_t n, uint64_t total)
{
	return total ? (double)n / (double)total : 0;
}

/* Would it be a change if all @n samples were in one profile, whichever it is? */
static bool can_show(uint64_t n, const uint64_t totals[2], double risk)
{
	uint64_t a = n < totals[0] ? n : totals[0], b = n < totals[1] ? n : totals[1];

	return share_change_chance(a, totals[0], n - a, totals[1]) <= risk ||
	       share_change_chance(n - b, totals[0], b, totals[1]) <= risk;
}

/* The least number of samples that can show a change. */
static uint64_t find_fewest(const uint64_t totals[2], double risk)
{
	uint64_t low = 0, high = 16;	/* low cannot, high can */

	while (high < totals[0] + totals[1] && !can_show(high, totals, risk)) {
		low = high;
		high *= 2;
	}
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (can_show(middle, totals, risk))
			high = middle;
		else
			low = middle;
	}
	return high;
}

static size_t count_from(const struct comparison *c, uint64_t samples)
{
	size_t nr = 0;

	for (size_t i = 0; i < c->nr; i++)
		nr += c->rows[i].counts[0] + c->rows[i].counts[1] >= samples;
	return nr;
}

/* The risk of each row: divide by the smallest number of parts that is enough for all takers. */
static double divide_risk(struct comparison *c, double risk)
{
	size_t low = 0, high = c->nr ? c->nr : 1;	/* low is too small, high is not */

	while (high - low > 1) {
		size_t parts = low + (high - low) / 2;

		if (count_from(c, find_fewest(c->totals, risk / (double)parts)) <= parts)
			high = parts;
		else
			low = parts;
	}
	c->nr_few = c->nr - count_from(c, find_fewest(c->totals, risk / (double)high));
	return risk / (double)high;
}

/* Counts of the row in the first profile, or NULL (diff.h). */
static const uint64_t *first_counts(const struct symbol_row *row)
{
	return row->diff->partner ? row->diff->partner->counts
	     : row->diff->in_first ? row->counts : NULL;
}

static void add_rows(const struct row_list *second, size_t class, struct comparison *c)
{
	c->rows = xcalloc(second->nr + 1, sizeof(*c->rows));
	for (size_t i = 0; i < second->nr; i++) {
		const struct symbol_row *row = second->rows[i];
		const uint64_t *first = first_counts(row);
		struct compared_row r = { .row = row };

		r.counts[0] = first ? first[class] : 0;
		r.counts[1] = row->diff->in_second ? row->counts[class] : 0;
		if (r.counts[0] || r.counts[1])
			c->rows[c->nr++] = r;
	}
	c->nr_rows = c->nr;
}

static void judge_row(struct comparison *c, struct compared_row *r, double risk)
{
	struct interval i = share_change_interval(r->counts[0], c->totals[0], r->counts[1],
						  c->totals[1], risk);

	r->change = 100 * (share(r->counts[1], c->totals[1]) - share(r->counts[0], c->totals[0]));
	r->interval = (struct interval){ 100 * i.low, 100 * i.high };
	if (share_change_chance(r->counts[0], c->totals[0], r->counts[1], c->totals[1]) <= risk)
		r->direction = i.low > 0 ? 1 : i.high < 0 ? -1 : 0;
	c->nr_changed += r->direction != 0;
}

/* By how much the share changed at least. */
static double sure_change(const struct compared_row *r)
{
	return r->direction > 0 ? r->interval.low : r->direction < 0 ? -r->interval.high : 0;
}

static const struct sort_context {
	const struct comparison *comparison;
	const struct compare_options *options;
} *sorting;				/* qsort() has no argument for its callback */

static double sort_value(const struct compared_row *r, enum compare_sort sort)
{
	const struct comparison *c = sorting->comparison;

	switch (sort) {
	case COMPARE_SURE:
		return sure_change(r);
	case COMPARE_FIRST:
		return share(r->counts[0], c->totals[0]);
	case COMPARE_SECOND:
		return share(r->counts[1], c->totals[1]);
	default:
		return fabs(r->change);
	}
}

static int compare_by(const struct compared_row *a, const struct compared_row *b,
		      enum compare_sort sort)
{
	double x, y;

	if (sort == COMPARE_SYMBOL)
		return strcmp(a->row->shown, b->row->shown);
	if (sort == COMPARE_IMAGE)
		return strcmp(a->row->image->name, b->row->image->name);
	/* to a millionth of a percent: values that are equal in theory differ in the last bits */
	x = rint(1e6 * sort_value(a, sort));
	y = rint(1e6 * sort_value(b, sort));
	return x > y ? -1 : x < y;
}

/* By --sort; then the larger change, then by name. */
static int compare_entries(const void *a, const void *b)
{
	enum compare_sort keys[] = { sorting->options->sort, COMPARE_CHANGE, COMPARE_SYMBOL,
				     COMPARE_IMAGE };
	const struct compared_row *x = a, *y = b;
	int order = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !order; i++)
		order = compare_by(x, y, keys[i]);
	if (!order)
		order = x->row->serial < y->row->serial ? -1 : x->row->serial > y->row->serial;
	return sorting->options->reverse ? -order : order;
}

static void drop_rows(struct comparison *c, const struct compare_options *o)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->nr; i++) {
		const struct compared_row *r = &c->rows[i];
		double a = share(r->counts[0], c->totals[0]), b = share(r->counts[1], c->totals[1]);

		if ((o->all || r->direction) && 100 * fmax(a, b) >= o->threshold)
			c->rows[kept++] = *r;
	}
	c->nr = kept;
}

void comparison_make(const struct row_list *first, const struct row_list *second, size_t class,
		     const struct compare_options *options, struct comparison *ret)
{
	struct comparison c = { .totals = { first->totals[class], second->totals[class] } };
	struct sort_context context = { &c, options };
	double risk;

	add_rows(second, class, &c);
	risk = divide_risk(&c, options->risk);
	for (size_t i = 0; i < c.nr; i++)
		judge_row(&c, &c.rows[i], risk);
	drop_rows(&c, options);
	sorting = &context;
	if (c.nr)
		qsort(c.rows, c.nr, sizeof(*c.rows), compare_entries);
	sorting = NULL;
	*ret = c;
}

void comparison_free(struct comparison *c)
{
	free(c->rows);
	*c = (struct comparison){ 0 };
}

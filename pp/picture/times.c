// SPDX-License-Identifier: GPL-2.0-or-later
/* times.c - the stacks of each node, looked up in the slices of the history */
#include "pp/picture/times.h"

#include <stdlib.h>

#include "libutil/count.h"
#include "libutil/xalloc.h"

static struct period_rows make_rows(const struct picture *p, const struct stack_list *stacks)
{
	struct period_rows rows = period_rows_new(stacks);

	for (size_t i = 0; i < stacks->nr; i++) {
		const struct counted_stack *s = &stacks->stacks[i];
		uint32_t node = p->moved[s->node];

		if (node != PICTURE_NONE)
			rows.row_of[s->origin] = (uint32_t)(node * p->nr_classes + s->class);
	}
	return rows;
}

/* Merge each two neighboring periods. */
static void halve(struct picture_times *t)
{
	const size_t nr = t->periods.nr, half = (nr + 1) / 2;
	uint64_t *to = t->samples;

	for (size_t row = 0; row < t->nr_rows; row++)
		for (size_t i = 0; i < half; i++) {
			uint64_t sum = t->samples[row * nr + 2 * i];

			if (2 * i + 1 < nr)
				count_add(&sum, t->samples[row * nr + 2 * i + 1]);
			*to++ = sum;
		}
	for (size_t i = 0; i < half; i++) {
		t->periods.covered_ns[i] = t->periods.covered_ns[2 * i];
		if (2 * i + 1 < nr)
			count_add(&t->periods.covered_ns[i], t->periods.covered_ns[2 * i + 1]);
	}
	t->periods.nr = half;
	t->periods.period_ns *= 2;
}

static size_t nr_numbers(const struct picture_times *t)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->nr_rows * t->periods.nr; i++)
		nr += t->samples[i] != 0;
	return nr;
}

/* Columns of a length that divides an hour, if a period is a minute: more columns than rows. */
static unsigned int column_of(size_t nr)
{
	static const unsigned int lengths[] = { 30, 20, 15, 12, 10, 6, 5, 4, 3, 2 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		if ((size_t)lengths[i] * lengths[i] * 3 / 2 <= nr)
			return lengths[i];
	return 1;
}

void picture_times_make(const struct picture *p, const struct collection *c,
			const struct time_range *range, const struct stack_list *stacks,
			bool is_heatmap, struct picture_times *ret, struct notices *notices)
{
	struct picture_times t = { .nr_rows = p->tree.nr * p->nr_classes };
	struct period_rows rows = make_rows(p, stacks);

	periods_make(c, is_heatmap ? PICTURE_CELLS : PICTURE_PERIODS, &t.periods);
	t.samples = xcalloc(t.nr_rows * t.periods.nr + 1, sizeof(*t.samples));
	rows.samples = t.samples;
	periods_add(c, range, &t.periods, &rows, stacks, notices);
	free(rows.row_of);
	while (t.periods.nr > 1 && t.periods.period_ns < INT64_MAX / 2 &&
	       nr_numbers(&t) > PICTURE_TIMES)
		halve(&t);
	if (is_heatmap)
		t.column = column_of(t.periods.nr);
	*ret = t;
}

void picture_times_free(struct picture_times *t)
{
	periods_free(&t->periods);
	free(t->samples);
	*t = (struct picture_times){ .nr_rows = 0 };
}

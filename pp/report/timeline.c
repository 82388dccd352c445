// SPDX-License-Identifier: GPL-2.0-or-later
/* timeline.c - a row for each innermost function or image of a range, and its periods */
#include "pp/report/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/count.h"
#include "libutil/xalloc.h"
#include "pp/report/stack/list.h"

struct maker {
	struct timeline *t;
	struct period_rows rows;	/* symbol * nr_classes + class, then one for each class */
	size_t nr_rows;
};

static void make_rows(struct maker *m)
{
	const struct timeline *t = m->t;

	m->rows = period_rows_new(&t->stacks);
	for (size_t i = 0; i < t->stacks.nr; i++) {
		const struct counted_stack *s = &t->stacks.stacks[i];
		uint32_t symbol = t->stacks.nodes[s->node].key;

		m->rows.row_of[s->origin] = (uint32_t)(symbol * t->nr_classes + s->class);
	}
	m->nr_rows = t->report.nr_symbols * t->nr_classes;
	m->rows.samples = xcalloc((m->nr_rows + t->nr_classes) * t->periods.nr + 1,
				  sizeof(*m->rows.samples));
}

/* --- */

static int compare_rows(const void *a, const void *b)
{
	const struct timeline_row *x = a, *y = b;
	int order;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	order = strcmp(x->symbol->name, y->symbol->name);
	return order ? order : x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static void make_class(const struct maker *m, size_t class, double threshold)
{
	const struct timeline *t = m->t;
	struct timeline_class *c = &t->classes[class];
	size_t kept = 0;

	c->rows = xcalloc(t->report.nr_symbols + 1, sizeof(*c->rows));
	c->samples = m->rows.samples + (m->nr_rows + class) * t->periods.nr;
	for (size_t i = 0; i < t->report.nr_symbols; i++) {
		const uint64_t *samples = m->rows.samples +
					  (i * t->nr_classes + class) * t->periods.nr;
		struct timeline_row row = { &t->report.symbols[i], 0, samples };

		for (size_t k = 0; k < t->periods.nr; k++) {
			count_add(&row.total, samples[k]);
			count_add(&c->samples[k], samples[k]);
		}
		count_add(&c->total, row.total);
		if (row.total)
			c->rows[c->nr++] = row;
	}
	for (size_t i = 0; i < c->nr; i++)
		if (100.0 * (double)c->rows[i].total >= threshold * (double)c->total)
			c->rows[kept++] = c->rows[i];
	c->nr = kept;
	qsort(c->rows, c->nr, sizeof(*c->rows), compare_rows);
}

int timeline_make(struct collection *c, const struct stacks_options *options, size_t max_periods,
		  struct timeline *ret, struct notices *notices, struct op_error *e)
{
	struct timeline *t = ret;
	struct maker m = { .t = t };
	int err;

	*t = (struct timeline){ .nr_classes = c->arrangement.nr_classes };
	periods_prepare(c);
	err = stacks_read(c, options, &t->report, &t->stacks, notices, e);
	if (err)
		return err;
	periods_make(c, max_periods, &t->periods);
	make_rows(&m);
	periods_add(c, &options->spec->time, &t->periods, &m.rows, &t->stacks,
		    notices);
	t->storage = m.rows.samples;
	t->classes = xcalloc(t->nr_classes + 1, sizeof(*t->classes));
	for (size_t i = 0; i < t->nr_classes; i++)
		make_class(&m, i, options->threshold);
	free(m.rows.row_of);
	return 0;
}

void timeline_free(struct timeline *t)
{
	for (size_t i = 0; t->classes && i < t->nr_classes; i++)
		free(t->classes[i].rows);
	free(t->classes);
	free(t->storage);
	periods_free(&t->periods);
	stack_list_free(&t->stacks);
	stacks_free(&t->report);
	*t = (struct timeline){ .nr_classes = 0 };
}

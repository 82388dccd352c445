// SPDX-License-Identifier: GPL-2.0-or-later
/* timeline.c - rows for the stacks of a range, then a second pass over its slices */
#include "pp/report/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "libdb/history/block.h"
#include "libutil/clock.h"
#include "libutil/count.h"
#include "libutil/xalloc.h"
#include "pp/report/stack/list.h"
#include "pp/select/history.h"

#define NO_ROW	UINT32_MAX

struct maker {
	struct timeline *t;
	const struct time_range *range;
	struct notices *notices;
	uint32_t *row_of;	/* of each origin (stack/list.h): symbol * nr_classes + class */
	size_t nr_origins;
	uint64_t *samples;	/* of each row, nr_periods */
	size_t nr_rows;
};

/* --- periods --- */

static void add_slice(const struct history_slice *s, int64_t *begin, int64_t *end, int64_t *longest)
{
	if (s->begin_ns < *begin)
		*begin = s->begin_ns;
	if (s->end_ns > *end)
		*end = s->end_ns;
	if (s->end_ns - s->begin_ns > *longest)
		*longest = s->end_ns - s->begin_ns;
}

static int64_t divide_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

/* As many as fit, but none shorter than a slice, of whole seconds: so they have no false gaps. */
static void make_periods(struct timeline *t, const struct collection *c, size_t max_periods)
{
	int64_t begin = INT64_MAX, end = 0, longest = 0;
	const int64_t second = (int64_t)NS_PER_SECOND;

	for (size_t i = 0; i < c->sessions.nr; i++) {
		const struct session_history *h = c->sessions.sessions[i].history;

		for (size_t k = 0; k < h->nr; k++)
			for (size_t s = 0; s < h->segments[k].nr_slices; s++)
				add_slice(&h->segments[k].slices[s], &begin, &end, &longest);
	}
	if (max_periods > TIMELINE_PERIODS_MAX)
		max_periods = TIMELINE_PERIODS_MAX;
	t->begin_ns = begin;
	t->period_ns = divide_up(end - begin, (int64_t)max_periods);
	if (t->period_ns < longest)
		t->period_ns = longest;
	t->period_ns = divide_up(t->period_ns, second) * second;
	if (!t->period_ns)
		t->period_ns = second;
	t->nr_periods = (size_t)divide_up(end - begin, t->period_ns);
	if (!t->nr_periods)
		t->nr_periods = 1;
	t->covered_ns = xcalloc(t->nr_periods, sizeof(*t->covered_ns));
}

static size_t period_of(const struct timeline *t, const struct history_slice *s)
{
	int64_t middle = s->begin_ns + (s->end_ns - s->begin_ns) / 2;
	int64_t i = (middle - t->begin_ns) / t->period_ns;

	return i < 0 ? 0 : (size_t)i < t->nr_periods ? (size_t)i : t->nr_periods - 1;
}

/* --- samples --- */

/* The origins of a segment's counts, NO_ROW for those that are in no stack; malloc'd. */
static uint32_t *make_origins(const struct stack_snapshot *s, uint32_t *next)
{
	uint32_t *origins = xcalloc((size_t)s->nr_counts + 1, sizeof(*origins));

	for (uint32_t i = 0; i < s->nr_counts; i++)
		origins[i] = session_history_has(s, i) ? (*next)++ : NO_ROW;
	return origins;
}

static void add_block(const struct maker *m, const struct history_block *b, const uint32_t *origins,
		      uint32_t nr_origins)
{
	const size_t period = period_of(m->t, &b->slice);

	count_add(&m->t->covered_ns[period], (uint64_t)(b->slice.end_ns - b->slice.begin_ns));
	for (size_t i = 0; i < b->nr_deltas; i++) {
		const struct history_delta *d = &b->deltas[i];
		uint32_t origin = d->count < nr_origins ? origins[d->count] : NO_ROW;
		uint32_t row = origin < m->nr_origins ? m->row_of[origin] : NO_ROW;

		if (row != NO_ROW)
			count_add(&m->samples[row * m->t->nr_periods + period], d->samples);
	}
}

/* Slices that were written since the first pass have times after those of the segment. */
static bool is_known(const struct history_segment *s, const struct history_slice *slice)
{
	return s->nr_slices && slice->end_ns <= s->slices[s->nr_slices - 1].end_ns;
}

static void add_segment(const struct maker *m, const struct session_history *h, size_t i,
			uint32_t *next_origin)
{
	const struct history_segment *s = &h->segments[i];
	uint32_t *origins = make_origins(&s->stacks, next_origin);
	struct history_reader r;
	struct op_error e = { "" };
	int err = history_reader_open(&r, h->paths[i], &e);

	while (!err && (err = history_reader_next(&r, &e)) > 0) {
		const struct history_slice *slice = &r.block.slice;

		err = 0;
		if (history_slice_is_within(slice->begin_ns, slice->end_ns, m->range->from_ns,
					    m->range->to_ns) && is_known(s, slice))
			add_block(m, &r.block, origins, s->stacks.nr_counts);
	}
	if (err)
		notice_add(m->notices, "the timeline lacks a segment of the history: %s", e.text);
	history_reader_free(&r);
	free(origins);
}

static void make_rows(struct maker *m)
{
	const struct timeline *t = m->t;

	for (size_t i = 0; i < t->stacks.nr; i++)
		if (t->stacks.stacks[i].origin >= m->nr_origins)
			m->nr_origins = t->stacks.stacks[i].origin + (size_t)1;
	m->row_of = xcalloc(m->nr_origins + 1, sizeof(*m->row_of));
	memset(m->row_of, 0xff, m->nr_origins * sizeof(*m->row_of));
	for (size_t i = 0; i < t->stacks.nr; i++) {
		const struct counted_stack *s = &t->stacks.stacks[i];

		m->row_of[s->origin] = (uint32_t)(t->stacks.nodes[s->node].key * t->nr_classes +
						  s->class);
	}
	m->nr_rows = t->report.nr_symbols * t->nr_classes;
	m->samples = xcalloc((m->nr_rows + t->nr_classes) * t->nr_periods + 1, sizeof(*m->samples));
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
	c->samples = m->samples + (m->nr_rows + class) * t->nr_periods;
	for (size_t i = 0; i < t->report.nr_symbols; i++) {
		const uint64_t *samples = m->samples + (i * t->nr_classes + class) * t->nr_periods;
		struct timeline_row row = { &t->report.symbols[i], 0, samples };

		for (size_t k = 0; k < t->nr_periods; k++) {
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
	struct maker m = { .t = t, .range = &options->spec->time, .notices = notices };
	uint32_t next_origin = 0;
	int err;

	*t = (struct timeline){ .nr_classes = c->arrangement.nr_classes };
	err = stacks_read(c, options, &t->report, &t->stacks, notices, e);
	if (err)
		return err;
	make_periods(t, c, max_periods);
	make_rows(&m);
	for (size_t i = 0; i < c->sessions.nr; i++) {
		const struct session_history *h = c->sessions.sessions[i].history;

		for (size_t k = 0; k < h->nr; k++)
			add_segment(&m, h, k, &next_origin);
	}
	t->storage = m.samples;
	t->classes = xcalloc(t->nr_classes + 1, sizeof(*t->classes));
	for (size_t i = 0; i < t->nr_classes; i++)
		make_class(&m, i, options->threshold);
	free(m.row_of);
	return 0;
}

void timeline_free(struct timeline *t)
{
	for (size_t i = 0; t->classes && i < t->nr_classes; i++)
		free(t->classes[i].rows);
	free(t->classes);
	free(t->storage);
	free(t->covered_ns);
	stack_list_free(&t->stacks);
	stacks_free(&t->report);
	*t = (struct timeline){ .nr_classes = 0 };
}

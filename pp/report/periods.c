// SPDX-License-Identifier: GPL-2.0-or-later
/* periods.c - a second pass over the slices of a history */
#include "pp/report/periods.h"

#include <stdlib.h>

#include "libdb/history/block.h"
#include "libutil/clock.h"
#include "libutil/count.h"
#include "libutil/xalloc.h"
#include "pp/select/event_scale.h"
#include "pp/select/history.h"

struct pass {
	struct periods *periods;
	const struct time_range *range;
	const struct period_rows *rows;
	struct notices *notices;
};

static int64_t divide_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

/* As many as fit, but none shorter than a slice, of whole seconds: so they have no false gaps. */
void periods_make(const struct collection *c, size_t max, struct periods *ret)
{
	struct periods p = { .nr = 0 };
	int64_t begin = INT64_MAX, end = 0, longest = 0;
	const int64_t second = (int64_t)NS_PER_SECOND;

	for (size_t i = 0; i < c->sessions.nr; i++) {
		const struct session_history *h = c->sessions.sessions[i].history;

		if (h->begin_ns < begin)
			begin = h->begin_ns;
		if (h->end_ns > end)
			end = h->end_ns;
		if (h->longest_ns > longest)
			longest = h->longest_ns;
	}
	if (max > PERIODS_MAX)
		max = PERIODS_MAX;
	if (begin > end)
		begin = end;	/* no slice */
	p.begin_ns = begin;
	p.period_ns = divide_up(end - begin, (int64_t)max);
	if (p.period_ns < longest)
		p.period_ns = longest;
	if (p.period_ns < INT64_MAX - second)	/* a damaged file may have any times */
		p.period_ns = divide_up(p.period_ns, second) * second;
	if (!p.period_ns)
		p.period_ns = second;
	p.nr = (size_t)divide_up(end - begin, p.period_ns);
	if (!p.nr)
		p.nr = 1;
	if (__builtin_mul_overflow((int64_t)p.nr, p.period_ns, &p.end_ns) ||
	    __builtin_add_overflow(p.begin_ns, p.end_ns, &p.end_ns))
		p.end_ns = INT64_MAX;
	p.covered_ns = xcalloc(p.nr, sizeof(*p.covered_ns));
	*ret = p;
}

static size_t period_of(const struct periods *p, const struct history_slice *s)
{
	int64_t middle = s->begin_ns + (s->end_ns - s->begin_ns) / 2;
	int64_t i = (middle - p->begin_ns) / p->period_ns;

	return i < 0 ? 0 : (size_t)i < p->nr ? (size_t)i : p->nr - 1;
}

/* @first_origin: of the session's stacks. */
static void add_block(const struct pass *pass, const struct history_block *b,
		      const struct history_places *places, uint32_t first_origin)
{
	const struct period_rows *rows = pass->rows;
	const size_t period = period_of(pass->periods, &b->slice);

	count_add(&pass->periods->covered_ns[period],
		  (uint64_t)(b->slice.end_ns - b->slice.begin_ns));
	for (size_t i = 0; i < b->nr_deltas; i++) {
		const struct history_delta *d = &b->deltas[i];
		uint32_t place = d->count < places->nr ? places->ids[d->count] : STACK_NONE;
		size_t origin = (size_t)first_origin + place;
		uint32_t row = place != STACK_NONE && origin < rows->nr_origins ?
			       rows->row_of[origin] : PERIODS_NO_ROW;

		if (row != PERIODS_NO_ROW)
			count_add(&rows->samples[row * pass->periods->nr + period], d->samples);
	}
}

static void add_segment(const struct pass *pass, const struct session_history *h, size_t i,
			uint32_t first_origin)
{
	struct history_reader r;
	struct op_error e = { "" };
	int err = history_reader_open(&r, h->segments[i], &e);

	while (!err && (err = history_reader_next(&r, &e)) > 0) {
		const struct history_slice *slice = &r.block.slice;

		err = 0;
		/* more may have been written since the first pass */
		if (slice->end_ns <= h->end_ns &&
		    history_slice_is_within(slice->begin_ns, slice->end_ns, pass->range->from_ns,
					    pass->range->to_ns))
			add_block(pass, &r.block, &h->places[i], first_origin);
	}
	if (err)
		notice_add(pass->notices, "the times lack a segment of the history: %s", e.text);
	history_reader_free(&r);
}

struct period_rows period_rows_new(const struct stack_list *stacks)
{
	struct period_rows rows = { .nr_origins = 0 };

	for (size_t i = 0; i < stacks->nr; i++)
		if (stacks->stacks[i].origin >= rows.nr_origins)
			rows.nr_origins = stacks->stacks[i].origin + (size_t)1;
	rows.row_of = xcalloc(rows.nr_origins + 1, sizeof(*rows.row_of));
	for (size_t i = 0; i < rows.nr_origins; i++)
		rows.row_of[i] = PERIODS_NO_ROW;
	return rows;
}

void periods_prepare(struct collection *c)
{
	for (size_t i = 0; i < c->sessions.nr; i++)
		c->sessions.sessions[i].history->keeps_places = true;
}

static bool is_multiplexed(const struct collection *c)
{
	for (size_t i = 0; i < c->sessions.nr; i++) {
		const struct event_times *times = &c->sessions.sessions[i].times;

		for (size_t k = 0; k < times->nr; k++)
			if (event_is_multiplexed(&times->event[k]))
				return true;
	}
	return false;
}

/* Of a row, so that its sum is @total [ME-1]. */
static void scale_row(uint64_t *samples, size_t nr, uint64_t total)
{
	struct event_scale scale = { .enabled = total };

	for (size_t i = 0; i < nr; i++)
		count_add(&scale.running, samples[i]);
	for (size_t i = 0; i < nr; i++)
		samples[i] = event_scale_next(&scale, samples[i]);
}

static void scale_rows(const struct periods *p, const struct period_rows *rows,
		       const struct stack_list *stacks)
{
	uint64_t *totals;
	size_t nr = 0;

	for (size_t i = 0; i < rows->nr_origins; i++)
		if (rows->row_of[i] != PERIODS_NO_ROW && rows->row_of[i] >= nr)
			nr = rows->row_of[i] + (size_t)1;
	totals = xcalloc(nr + 1, sizeof(*totals));
	for (size_t i = 0; i < stacks->nr; i++) {
		uint32_t row = rows->row_of[stacks->stacks[i].origin];

		if (row != PERIODS_NO_ROW)
			count_add(&totals[row], stacks->stacks[i].count);
	}
	for (size_t row = 0; row < nr; row++)
		scale_row(rows->samples + row * p->nr, p->nr, totals[row]);
	free(totals);
}

void periods_add(const struct collection *c, const struct time_range *range, struct periods *p,
		 const struct period_rows *rows, const struct stack_list *stacks,
		 struct notices *notices)
{
	const struct pass pass = { p, range, rows, notices };
	uint32_t first_origin = 0;

	for (size_t i = 0; i < c->sessions.nr; i++) {
		const struct session_history *h = c->sessions.sessions[i].history;

		for (size_t k = 0; k < h->nr && h->places; k++)
			add_segment(&pass, h, k, first_origin);
		first_origin += h->nr_counts;
	}
	if (is_multiplexed(c))
		scale_rows(p, rows, stacks);
}

void periods_free(struct periods *p)
{
	free(p->covered_ns);
	*p = (struct periods){ .nr = 0 };
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* merge.c - fewer and longer slices in place of many short ones */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/history/block.h"
#include "libutil/count.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

/* Slices that become one. */
struct merged {
	int64_t period;			/* which one since the epoch */
	struct history_slice slice;
	struct history_number *numbers;	/* sorted by name */
	size_t nr_numbers, room_numbers;
	struct history_sums sums;
	uint32_t used;			/* of the log, up to the last slice */
	bool is_empty;
};

struct merger {
	struct history_reader *from;
	const bool *stop;
	struct merged merged;
	struct history_order order;
	struct stack_packer *packer;
	struct history_names names;
	struct strbuf out;
};

static void add_number(struct merged *m, const struct history_number *n)
{
	size_t i = 0;

	while (i < m->nr_numbers && strcmp(m->numbers[i].name, n->name) < 0)
		i++;
	if (i < m->nr_numbers && !strcmp(m->numbers[i].name, n->name)) {
		count_add(&m->numbers[i].value, n->value);
		return;
	}
	xgrow(m->numbers, m->nr_numbers, m->room_numbers);
	memmove(m->numbers + i + 1, m->numbers + i, (m->nr_numbers - i) * sizeof(*m->numbers));
	m->numbers[i] = *n;
	m->nr_numbers++;
}

static void add_slice(struct merged *m, const struct history_reader *r, int64_t period)
{
	const struct history_slice *s = &r->block.slice;

	if (m->is_empty)
		m->slice = *s;
	if (s->begin_ns < m->slice.begin_ns)
		m->slice.begin_ns = s->begin_ns;
	if (s->end_ns > m->slice.end_ns)
		m->slice.end_ns = s->end_ns;
	for (size_t i = 0; i < s->nr_numbers; i++)
		add_number(m, &s->numbers[i]);
	history_sums_add(&m->sums, r);
	m->period = period;
	m->used = r->log.have;
	m->is_empty = false;
}

static int compare_deltas(const void *a, const void *b)
{
	uint32_t x = ((const struct history_delta *)a)->count;
	uint32_t y = ((const struct history_delta *)b)->count;

	return x < y ? -1 : x > y;
}

static int write_merged(struct merger *g)
{
	const struct stack_log from = { .records = g->from->log.records, .have = g->merged.used };
	struct stack_log log = { .have = g->merged.used };
	struct merged *m = &g->merged;
	struct history_block b = { .slice = m->slice };
	int err;

	history_order(&g->order, &from);
	log.records = g->order.records;
	b.slice.numbers = m->numbers;
	b.slice.nr_numbers = m->nr_numbers;
	b.deltas = xcalloc(m->sums.nr + 1, sizeof(*b.deltas));
	for (size_t i = 0; i < m->sums.nr; i++)
		if (m->sums.samples[i])
			b.deltas[b.nr_deltas++] = (struct history_delta){
				g->order.counts[g->from->counts[i]], m->sums.samples[i] };
	qsort(b.deltas, b.nr_deltas, sizeof(*b.deltas), compare_deltas);
	err = history_encode(&b, g->packer, &log, &g->names, &g->out);
	free(b.deltas);
	if (m->sums.nr)
		memset(m->sums.samples, 0, m->sums.nr * sizeof(*m->sums.samples));
	m->nr_numbers = 0;
	m->is_empty = true;
	return err;
}

/* -EPROTO with the reason in @e; other errors without. */
static int merge(struct merger *g, int64_t slice_ns, struct op_error *e)
{
	int more, err = 0;

	while (!err && (more = history_reader_next(g->from, e)) > 0) {
		const struct history_slice *s = &g->from->block.slice;
		int64_t period = (s->begin_ns + (s->end_ns - s->begin_ns) / 2) / slice_ns;

		if (g->stop && __atomic_load_n(g->stop, __ATOMIC_RELAXED))
			return -ECANCELED;
		if (!g->merged.is_empty && period != g->merged.period)
			err = write_merged(g);
		add_slice(&g->merged, g->from, period);
	}
	if (!err)
		err = more;
	if (!err && (g->from->cut || g->from->damaged))
		err = op_error_set(e, -EPROTO, "'%s' is damaged; its slices are not merged",
				   g->from->path);
	if (!err && !g->merged.is_empty)
		err = write_merged(g);
	return err;
}

int history_segment_merge(const char *path, int64_t slice_ns, const bool *stop, struct op_error *e)
{
	struct op_error why = { "" };
	struct history_reader r;
	struct merger g = { .from = &r, .stop = stop, .packer = stack_packer_new(),
			    .merged = { .is_empty = true }, .out = STRBUF_INIT };
	int err = history_reader_open(&r, path, &why);

	history_put_header(&g.out);
	if (!err)
		err = g.packer ? merge(&g, slice_ns, &why) : -ENOMEM;
	if (!err)
		err = file_write_durable(path, g.out.text, g.out.len, 0644);
	if (err && why.text[0])
		op_error_set(e, err, "%s", why.text);
	else if (err)
		op_error_set(e, err, "cannot merge slices of '%s': %s", path, strerror(-err));
	history_reader_free(&r);
	history_order_free(&g.order);
	stack_packer_free(g.packer);
	history_names_free(&g.names);
	free(g.merged.numbers);
	free(g.merged.sums.samples);
	strbuf_free(&g.out);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* merge.c - fewer and longer slices in place of many short ones */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/history/block.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

/* Slices that become one. */
struct merged {
	int64_t period;			/* which one since the epoch */
	struct history_slice slice;
	struct history_number *numbers;	/* sorted by name */
	size_t nr_numbers, room_numbers;
	uint64_t *samples;		/* by count of the log */
	size_t nr_samples;
	uint32_t used;			/* of the log, up to the last slice */
	bool is_empty;
};

struct merger {
	struct history_reader *from;
	struct merged merged;
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
		if (__builtin_add_overflow(m->numbers[i].value, n->value, &m->numbers[i].value))
			m->numbers[i].value = UINT64_MAX;
		return;
	}
	xgrow(m->numbers, m->nr_numbers, m->room_numbers);
	memmove(m->numbers + i + 1, m->numbers + i, (m->nr_numbers - i) * sizeof(*m->numbers));
	m->numbers[i] = *n;
	m->nr_numbers++;
}

static void add_samples(struct merged *m, const struct history_reader *r)
{
	if (r->nr_counts > m->nr_samples) {
		m->samples = xrealloc_array(m->samples, r->nr_counts, sizeof(*m->samples));
		memset(m->samples + m->nr_samples, 0,
		       (r->nr_counts - m->nr_samples) * sizeof(*m->samples));
		m->nr_samples = r->nr_counts;
	}
	for (size_t i = 0; i < r->block.nr_deltas; i++) {
		uint64_t *sum = &m->samples[r->block.deltas[i].count];

		if (__builtin_add_overflow(*sum, r->block.deltas[i].samples, sum))
			*sum = UINT64_MAX;
	}
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
	add_samples(m, r);
	m->period = period;
	m->used = r->log.have;
	m->is_empty = false;
}

static int write_merged(struct merger *g)
{
	const struct stack_log log = { .records = g->from->log.records, .have = g->merged.used };
	struct merged *m = &g->merged;
	struct history_block b = { .slice = m->slice };
	int err;

	b.slice.numbers = m->numbers;
	b.slice.nr_numbers = m->nr_numbers;
	b.deltas = xcalloc(m->nr_samples + 1, sizeof(*b.deltas));
	for (size_t i = 0; i < m->nr_samples; i++)
		if (m->samples[i])
			b.deltas[b.nr_deltas++] = (struct history_delta){ (uint32_t)i,
									  m->samples[i] };
	err = history_encode(&b, g->packer, &log, &g->names, &g->out);
	free(b.deltas);
	if (m->nr_samples)
		memset(m->samples, 0, m->nr_samples * sizeof(*m->samples));
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

		if (!g->merged.is_empty && period != g->merged.period)
			err = write_merged(g);
		add_slice(&g->merged, g->from, period);
	}
	if (!err)
		err = more;
	if (!err && !g->merged.is_empty)
		err = write_merged(g);
	return err;
}

int history_segment_merge(const char *path, int64_t slice_ns, struct op_error *e)
{
	struct history_header h = { .byte_order = HISTORY_BYTE_ORDER, .version = HISTORY_VERSION };
	struct op_error why = { "" };
	struct history_reader r;
	struct merger g = { .from = &r, .packer = stack_packer_new(),
			    .merged = { .is_empty = true }, .out = STRBUF_INIT };
	int err = history_reader_open(&r, path, &why);

	memcpy(h.magic, HISTORY_MAGIC, sizeof(h.magic));
	strbuf_add_bytes(&g.out, &h, sizeof(h));
	if (!err)
		err = g.packer ? merge(&g, slice_ns, &why) : -ENOMEM;
	if (!err)
		err = file_write_atomic(path, g.out.text, g.out.len, 0640);
	if (err && why.text[0])
		op_error_set(e, err, "%s", why.text);
	else if (err)
		op_error_set(e, err, "cannot merge slices of '%s': %s", path, strerror(-err));
	history_reader_free(&r);
	stack_packer_free(g.packer);
	history_names_free(&g.names);
	free(g.merged.numbers);
	free(g.merged.samples);
	strbuf_free(&g.out);
	return err;
}

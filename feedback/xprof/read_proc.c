/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read_proc.c - profile feedback text: a procedure and its lists
 *
 * A list is read line by line, and its length compared with what was said only then: no number in
 * the text is ever an amount of memory. Records that have ids are brought into their order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/reader.h"
#include "libutil/xalloc.h"

struct said {			/* at the head of the procedure */
	uint32_t counters, vp_sites, vp_records, id, blocks, edges, srcmap_ops;
};

static void note_id(struct xprof_reader *r, uint32_t at, uint32_t id)
{
	xgrow(r->ids, at, r->ids_room);
	r->ids[at] = id;
}

/* Ids are 1 to @nr, each once [XP-6]: then bring @items, and the lines they stand in, in order. */
static int order_by_id(struct xprof_reader *r, const char *what, uint32_t nr, void *items,
		       size_t size, uint32_t *lines)
{
	char *copy = xmalloc((size_t)nr * size + 1);
	uint32_t *old_lines = xmalloc((size_t)nr * sizeof(*lines) + 1);
	bool *seen = xcalloc((size_t)nr + 1, sizeof(*seen));
	int err = 0;

	memcpy(copy, items, (size_t)nr * size);
	memcpy(old_lines, lines, (size_t)nr * sizeof(*lines));
	for (uint32_t i = 0; i < nr && !err; i++) {
		uint32_t id = r->ids[i];

		if (!id || id > nr || seen[id]) {
			err = xprof_lines_fail(&r->lines, old_lines[i], "%s %u %s [XP-6]", what, id,
					       id && id <= nr ? "is there already"
							      : "is outside of what PROC has");
			break;
		}
		seen[id] = true;
		memcpy((char *)items + (size_t)(id - 1) * size, copy + (size_t)i * size, size);
		lines[id - 1] = old_lines[i];
	}
	free(copy);
	free(old_lines);
	free(seen);
	return err;
}

static int wrong_number(struct xprof_reader *r, uint32_t line, const char *what, uint32_t said,
			uint64_t found)
{
	return xprof_lines_fail(&r->lines, line, "PROC has %u %s, %llu follow [XP-6]", said, what,
				(unsigned long long)found);
}

static int malformed(struct xprof_reader *r, const char *form)
{
	return xprof_lines_fail(&r->lines, r->lines.number, "the form is '%s' [XP-18]", form);
}

static int read_counters(struct xprof_reader *r, const struct said *said, uint32_t head)
{
	struct xprof *x = r->x;
	uint32_t first = x->nr_counters, nr = 0, id;
	uint64_t value;

	for (; span_len(&r->lines.line) && *r->lines.line.at >= '0' && *r->lines.line.at <= '9';
	     xprof_lines_next(&r->lines), nr++) {
		struct span field = span_first(&r->lines.line);

		if (!span_u32(field, &id) || !span_u64(r->lines.line, &value))
			return malformed(r, "<counter id> <value>");
		if (x->type == XPROF_OBJFD && value)
			return xprof_lines_fail(&r->lines, r->lines.number,
						"objfd has no counts but 0 [XP-9]");
		*xprof_add_counters(x) = value;
		xprof_note_place(r, XPROF_ARRAY_counters, x->nr_counters);
		note_id(r, nr, id);
	}
	if (nr != said->counters && !(x->type == XPROF_OBJFD && !nr))
		return wrong_number(r, head, "counters", said->counters, nr);
	if (nr && order_by_id(r, "counter", nr, x->counters + first, sizeof(*x->counters),
			      r->places.at[XPROF_ARRAY_counters] + first))
		return -EPROTO;
	if (x->type == XPROF_OBJFD)
		x->nr_counters = first;		/* they are known to be 0 */
	return 0;
}

static int read_values(struct xprof_reader *r, const struct said *said, uint32_t head)
{
	uint32_t nr_values = r->x->objects[r->x->nr_objects - 1].nr_values;
	uint64_t nr = 0, wanted = (uint64_t)said->vp_records * nr_values;
	int err = 0;

	if (said->vp_records && !nr_values)
		return xprof_lines_fail(&r->lines, head, "value records, where those of OBJFILE "
					"have no values [XP-12]");
	for (; !err && xprof_lines_begins(&r->lines, "VP_"); nr++)
		err = xprof_read_value(r);
	if (!err && nr != wanted)
		err = xprof_lines_fail(&r->lines, head, "PROC has %u value records of %u lines, "
				       "%llu lines follow [XP-6]", said->vp_records, nr_values,
				       (unsigned long long)nr);
	return err;
}

static int read_blocks(struct xprof_reader *r, const struct said *said, uint32_t head)
{
	struct xprof *x = r->x;
	uint32_t first = x->nr_blocks, nr = 0, id, counter;

	for (; xprof_lines_is_record(&r->lines, 'B'); xprof_lines_next(&r->lines), nr++) {
		struct span *line = &r->lines.line, field;

		span_skip(line, 'B');
		field = span_first(line);
		if (!span_number(&field, &id) || !span_skip(&field, ':') || span_len(&field) ||
		    !span_u32(*line, &counter))
			return malformed(r, "B<block id>: <counter id>");
		xprof_add_blocks(x)->counter = counter;
		xprof_note_place(r, XPROF_ARRAY_blocks, x->nr_blocks);
		note_id(r, nr, id);
	}
	if (nr != said->blocks)
		return wrong_number(r, head, "blocks", said->blocks, nr);
	return nr ? order_by_id(r, "block", nr, x->blocks + first, sizeof(*x->blocks),
				r->places.at[XPROF_ARRAY_blocks] + first) : 0;
}

static bool parse_block(struct span field, uint32_t *ret)
{
	return span_skip(&field, 'B') && span_u32(field, ret);
}

static int read_edges(struct xprof_reader *r, const struct said *said, uint32_t head)
{
	struct xprof *x = r->x;
	uint32_t first = x->nr_edges, nr = 0, id;

	for (; xprof_lines_is_record(&r->lines, 'E'); xprof_lines_next(&r->lines), nr++) {
		struct span *line = &r->lines.line, field, counter, from;
		struct xprof_edge *e = xprof_add_edges(x);

		xprof_note_place(r, XPROF_ARRAY_edges, x->nr_edges);
		span_skip(line, 'E');
		field = span_first(line);
		counter = span_first(line);
		from = span_first(line);
		if (!span_number(&field, &id) || (span_skip(&field, ':') && span_len(&field)) ||
		    span_len(&field) || !span_u32(counter, &e->counter) ||
		    !parse_block(from, &e->from) || !parse_block(*line, &e->to))
			return malformed(r, "E<edge id> <counter id> B<from id> B<to id>");
		note_id(r, nr, id);
	}
	if (nr != said->edges)
		return wrong_number(r, head, "edges", said->edges, nr);
	return nr ? order_by_id(r, "edge", nr, x->edges + first, sizeof(*x->edges),
				r->places.at[XPROF_ARRAY_edges] + first) : 0;
}

static int read_tuple(struct xprof_reader *r)
{
	struct xprof_tuple *t = xprof_add_tuples(r->x);
	struct span *line = &r->lines.line, id, block, where;

	xprof_note_place(r, XPROF_ARRAY_tuples, r->x->nr_tuples);
	span_skip(line, 'S');
	id = span_first(line);
	block = span_first(line);
	where = span_first(line);
	if (!span_number(&id, &t->id) || !span_skip(&id, ':') || span_len(&id) ||
	    !parse_block(block, &t->block) || !span_number(&where, &t->line) ||
	    (span_skip(&where, ':') && (!span_number(&where, &t->column) || !t->column)) ||
	    span_len(&where))
		return malformed(r, "S<tuple id>: B<block id> <line>[:<column>] [<file>]");
	if (span_len(line) && xprof_read_name(r, *line, &r->last_file))
		return -EPROTO;
	t->file = r->last_file;
	if (!t->file)
		return xprof_lines_fail(&r->lines, r->lines.number, "the first tuple of an OBJFILE "
					"must say its file [XP-11]");
	return 0;
}

struct numbered_tuple {
	struct xprof_tuple tuple;
	uint32_t line;
};

static int compare_tuples(const void *a, const void *b)
{
	const struct numbered_tuple *x = a, *y = b;

	if (x->tuple.id != y->tuple.id)
		return x->tuple.id < y->tuple.id ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Ids may have holes, so they are sorted. What is there twice xprof_check() tells. */
static void order_tuples(struct xprof_reader *r, uint32_t first)
{
	uint32_t nr = r->x->nr_tuples - first, *lines = r->places.at[XPROF_ARRAY_tuples] + first;
	struct numbered_tuple *all = xcalloc((size_t)nr + 1, sizeof(*all));

	for (uint32_t i = 0; i < nr; i++)
		all[i] = (struct numbered_tuple){ r->x->tuples[first + i], lines[i] };
	qsort(all, nr, sizeof(*all), compare_tuples);
	for (uint32_t i = 0; i < nr; i++) {
		r->x->tuples[first + i] = all[i].tuple;
		lines[i] = all[i].line;
	}
	free(all);
}

static int read_tuples(struct xprof_reader *r)
{
	uint32_t first = r->x->nr_tuples;
	int err = 0;

	while (!err && xprof_lines_is_record(&r->lines, 'S')) {
		err = read_tuple(r);
		xprof_lines_next(&r->lines);
	}
	if (!err && r->x->nr_tuples > first)
		order_tuples(r, first);
	return err;
}

static int read_head(struct xprof_reader *r, struct xprof_proc *p, struct said *ret)
{
	uint32_t n[7], name = 0;
	int err = xprof_read_last(r, "PROC", n, 7);

	if (err)
		return err;
	if (!span_hex(span_last(&r->lines.line), &p->signature))
		return xprof_lines_fail(&r->lines, r->lines.number, "PROC: the signature is not 0x "
					"and up to 16 hexadecimal digits [XP-16]");
	err = xprof_read_name(r, r->lines.line, &name);
	*ret = (struct said){ n[0], n[1], n[2], n[3], n[4], n[5], n[6] };
	p->name = name;
	p->nr_counters = n[0];
	p->nr_vp_sites = n[1];
	p->nr_vp_records = n[2];
	p->id = n[3];
	p->nr_blocks = n[4];
	p->nr_edges = n[5];
	p->nr_srcmap_ops = n[6];
	return err;
}

int xprof_read_proc(struct xprof_reader *r)
{
	uint32_t head = r->lines.number;
	struct xprof_proc *p = xprof_begin_proc(r->x);
	struct said said = { 0 };
	int err;

	xprof_note_place(r, XPROF_ARRAY_procs, r->x->nr_procs);
	err = read_head(r, p, &said);
	if (err)
		return err;
	xprof_lines_next(&r->lines);
	err = xprof_read_stats(r, &p->has, &p->max, &p->sum);
	if (!err)
		err = read_counters(r, &said, head);
	if (!err)
		err = read_values(r, &said, head);
	if (!err)
		err = read_blocks(r, &said, head);
	if (!err)
		err = read_edges(r, &said, head);
	if (!err)
		err = read_tuples(r);
	p->nr_tuples = r->x->nr_tuples - p->first_tuple;
	return err;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read.c - read profile feedback text
 *
 * Lists are read line by line and their lengths compared with the declared ones afterwards, so no
 * number in the text decides how much memory is allocated. Records with ids are sorted by id.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/lines.h"
#include "feedback/xprof/text.h"
#include "feedback/xprof/value.h"
#include "formats/format.h"
#include "libutil/xalloc.h"

struct reader {
	struct xprof_lines lines;
	struct xprof *x;
	struct xprof_places places;
	struct xprof_index index;	/* made after the last section */
	uint32_t minor;			/* version */
	uint32_t nr_objects, nr_programs, nr_proc_names, nr_sources;	/* declared in the header */
	uint32_t last_file;		/* of the previous tuple of the object, or 0 */
	uint32_t *ids;			/* of the records of the current list */
	uint32_t ids_room;
};

/* --- names, numbers and line numbers, for all records --- */

/* Remember that the last element of @array, which has @nr now, is in the current line. */
static void record_line(struct reader *r, enum xprof_array array, uint32_t nr)
{
	struct xprof_places *p = &r->places;

	while (p->room[array] < nr) {
		p->room[array] = p->room[array] < 16 ? 16 : p->room[array] * 2;
		p->lines[array] = xrealloc_array(p->lines[array], p->room[array],
						 sizeof(*p->lines[array]));
	}
	p->lines[array][nr - 1] = r->lines.number;
}

/* Intern the name or path @s [XP-4]. */
static int read_name(struct reader *r, struct span s, uint32_t *ret)
{
	const char *fault = xprof_name_fault(s.at, span_len(&s));

	if (fault)
		return xprof_lines_fail(&r->lines, r->lines.number, "%s", fault);
	*ret = xprof_intern_n(r->x, s.at, span_len(&s));
	return 0;
}

/* Split the name of a procedure from the path of its object [XP-10]; needs the index. */
static int split_ref(struct reader *r, uint32_t line, struct span text, uint32_t *ret_name,
		     uint32_t *ret_path)
{
	size_t len = span_len(&text), colon = xprof_index_split(&r->index, text.at, len);
	const char *fault;

	if (colon == len)
		return xprof_lines_fail(&r->lines, line, "expected NAME:PATH of a procedure, got "
					"'%.*s'", span_short(&text), text.at);
	fault = xprof_name_fault(text.at, colon);
	if (!fault)
		fault = xprof_name_fault(text.at + colon + 1, len - colon - 1);
	if (fault)
		return xprof_lines_fail(&r->lines, line, "invalid NAME:PATH of a procedure: %s",
					fault);
	*ret_name = xprof_intern_n(r->x, text.at, colon);
	*ret_path = xprof_intern_n(r->x, text.at + colon + 1, len - colon - 1);
	return 0;
}

/* Parse @nr decimal fields at the end of the line; ret[nr - 1] is the last one [XP-4]. */
static int read_last_numbers(struct reader *r, const char *what, uint32_t *ret, size_t nr)
{
	for (size_t i = nr; i-- > 0; ) {
		struct span field = span_last(&r->lines.line);

		if (!span_u32(field, &ret[i]))
			return xprof_lines_fail(&r->lines, r->lines.number,
						"invalid number '%.*s' in %s: expected 0 to %u",
						span_short(&field), field.at, what, UINT32_MAX);
	}
	return 0;
}

/* The signature, now the last field of the line [XP-16]. */
static int read_signature(struct reader *r, const char *what, uint64_t *ret)
{
	struct span field = span_last(&r->lines.line);

	if (!span_hex(field, ret))
		return xprof_lines_fail(&r->lines, r->lines.number, "invalid signature '%.*s' in "
					"%s: expected 0x and 1 to 16 hexadecimal digits",
					span_short(&field), field.at, what);
	return 0;
}

/* "max N" and "sum N" [XP-14]. */
static int read_stats(struct reader *r, uint32_t *has, uint64_t *max, uint64_t *sum)
{
	for (;;) {
		bool is_max = xprof_lines_begins(&r->lines, "max ") ||
			      xprof_lines_begins(&r->lines, "max\t");
		uint32_t bit = is_max ? XPROF_HAS_MAX : XPROF_HAS_SUM;
		const char *word = is_max ? "max" : "sum";

		if (!is_max && !xprof_lines_begins(&r->lines, "sum ") &&
		    !xprof_lines_begins(&r->lines, "sum\t"))
			return 0;
		xprof_lines_skip(&r->lines, word);
		if (*has & bit)
			return xprof_lines_fail(&r->lines, r->lines.number, "duplicate %s", word);
		if (!span_u64(r->lines.line, is_max ? max : sum))
			return xprof_lines_fail(&r->lines, r->lines.number, "invalid %s '%.*s': "
						"expected a number below 2^64", word,
						span_short(&r->lines.line), r->lines.line.at);
		*has |= bit;
		xprof_lines_next(&r->lines);
	}
}

static int fail_expected(struct reader *r, const char *form)
{
	return xprof_lines_fail(&r->lines, r->lines.number, "expected '%s'", form);
}

/* The record in line @line declares a wrong number of records [XP-6]. */
static int fail_count(struct reader *r, uint32_t line, const char *record, const char *what,
		      uint32_t declared, uint32_t found)
{
	return xprof_lines_fail(&r->lines, line, "%s declares %u %s, found %u", record, declared,
				what, found);
}

/* --- a procedure --- */

struct declared {			/* by the PROC line */
	uint32_t counters, vp_records, blocks, edges;
};

static void add_id(struct reader *r, uint32_t at, uint32_t id)
{
	xgrow(r->ids, at, r->ids_room);
	r->ids[at] = id;
}

/* Sort @items and their line numbers by id. Ids must be 1 to @nr, each once [XP-6]. */
static int sort_by_id(struct reader *r, const char *what, uint32_t nr, void *items, size_t size,
		      uint32_t *lines)
{
	char *copy = xmalloc((size_t)nr * size + 1);
	uint32_t *old_lines = xmalloc((size_t)nr * sizeof(*lines) + 1);
	bool *seen = xcalloc((size_t)nr + 1, sizeof(*seen));
	int err = 0;

	memcpy(copy, items, (size_t)nr * size);
	memcpy(old_lines, lines, (size_t)nr * sizeof(*lines));
	for (uint32_t i = 0; i < nr && !err; i++) {
		uint32_t id = r->ids[i];

		if (!id || id > nr) {
			err = xprof_lines_fail(&r->lines, old_lines[i], "%s %u out of range: "
					       "expected 1 to %u", what, id, nr);
		} else if (seen[id]) {
			err = xprof_lines_fail(&r->lines, old_lines[i], "duplicate %s %u", what,
					       id);
		} else {
			seen[id] = true;
			memcpy((char *)items + (size_t)(id - 1) * size, copy + (size_t)i * size,
			       size);
			lines[id - 1] = old_lines[i];
		}
	}
	free(copy);
	free(old_lines);
	free(seen);
	return err;
}

static int read_counters(struct reader *r, const struct declared *declared, uint32_t head)
{
	struct xprof *x = r->x;
	uint32_t first = x->nr_counters, nr = 0, id;
	uint64_t value;

	for (; span_len(&r->lines.line) && *r->lines.line.at >= '0' && *r->lines.line.at <= '9';
	     xprof_lines_next(&r->lines), nr++) {
		struct span field = span_first(&r->lines.line);

		if (!span_u32(field, &id) || !span_u64(r->lines.line, &value))
			return fail_expected(r, "<counter id> <value>");
		if (x->type == XPROF_OBJFD && value)	/* [XP-9] */
			return xprof_lines_fail(&r->lines, r->lines.number,
						"invalid count: all counts of type objfd are 0");
		*xprof_add_counters(x) = value;
		record_line(r, XPROF_ARRAY_counters, x->nr_counters);
		add_id(r, nr, id);
	}
	if (nr != declared->counters && !(x->type == XPROF_OBJFD && !nr))
		return fail_count(r, head, "PROC", "counters", declared->counters, nr);
	if (nr && sort_by_id(r, "counter", nr, x->counters + first, sizeof(*x->counters),
			     r->places.lines[XPROF_ARRAY_counters] + first))
		return -EPROTO;
	x->procs[x->nr_procs - 1].is_declared = nr != declared->counters;
	return 0;
}

static bool find_value_type(struct span word, uint32_t *ret)
{
	for (int i = 0; i < NR_XPROF_VALUE_TYPES; i++)
		if (span_len(&word) == strlen(xprof_value_names[i]) &&
		    !memcmp(word.at, xprof_value_names[i], span_len(&word))) {
			*ret = i;
			return true;
		}
	return false;
}

/* One line of a value record [XP-12]. */
static int read_value(struct reader *r)
{
	struct xprof_value *v = xprof_add_values(r->x);
	struct span *line = &r->lines.line, type = span_first(line), expr = span_first(line);
	struct span count = span_first(line);

	record_line(r, XPROF_ARRAY_values, r->x->nr_values);
	if (!find_value_type(type, &v->type) || !span_u32(expr, &v->expr) ||
	    !span_u64(count, &v->count))
		return fail_expected(r, "VP_<type> <expression id> <count> [<value>]");
	if (!v->count && span_len(line))
		return xprof_lines_fail(&r->lines, r->lines.number,
					"unexpected value: the count is 0");
	if (v->count && v->type != XPROF_PROC &&
	    !xprof_value_parse(v->type, line->at, span_len(line), &v->value))
		return xprof_lines_fail(&r->lines, r->lines.number, "invalid %s '%.*s'",
					xprof_value_names[v->type], span_short(line), line->at);
	if (v->type == XPROF_PROC && span_len(line) && read_name(r, *line, &v->name))
		return -EPROTO;
	xprof_lines_next(&r->lines);
	return 0;
}

static int read_values(struct reader *r, const struct declared *declared, uint32_t head)
{
	uint32_t nr_values = r->x->objects[r->x->nr_objects - 1].nr_values;
	uint64_t nr = 0, expected = (uint64_t)declared->vp_records * nr_values;
	int err = 0;

	if (declared->vp_records && !nr_values)		/* [XP-12] */
		return xprof_lines_fail(&r->lines, head, "PROC declares value records, but OBJFILE "
					"declares records without values");
	for (; !err && xprof_lines_begins(&r->lines, "VP_"); nr++)
		err = read_value(r);
	if (!err && nr != expected)			/* [XP-6] */
		err = xprof_lines_fail(&r->lines, head, "PROC declares %u value records of %u "
				       "lines, found %llu lines", declared->vp_records, nr_values,
				       (unsigned long long)nr);
	return err;
}

static int read_blocks(struct reader *r, const struct declared *declared, uint32_t head)
{
	struct xprof *x = r->x;
	uint32_t first = x->nr_blocks, nr = 0, id, counter;

	for (; xprof_lines_is_record(&r->lines, 'B'); xprof_lines_next(&r->lines), nr++) {
		struct span *line = &r->lines.line, field;

		span_skip(line, 'B');
		field = span_first(line);
		if (!span_number(&field, &id) || !span_skip(&field, ':') || span_len(&field) ||
		    !span_u32(*line, &counter))
			return fail_expected(r, "B<block id>: <counter id>");
		xprof_add_blocks(x)->counter = counter;
		record_line(r, XPROF_ARRAY_blocks, x->nr_blocks);
		add_id(r, nr, id);
	}
	if (nr != declared->blocks)
		return fail_count(r, head, "PROC", "blocks", declared->blocks, nr);
	return nr ? sort_by_id(r, "block", nr, x->blocks + first, sizeof(*x->blocks),
			       r->places.lines[XPROF_ARRAY_blocks] + first) : 0;
}

static bool parse_block(struct span field, uint32_t *ret)
{
	return span_skip(&field, 'B') && span_u32(field, ret);
}

static int read_edges(struct reader *r, const struct declared *declared, uint32_t head)
{
	struct xprof *x = r->x;
	uint32_t first = x->nr_edges, nr = 0, id;

	for (; xprof_lines_is_record(&r->lines, 'E'); xprof_lines_next(&r->lines), nr++) {
		struct span *line = &r->lines.line, field, counter, from;
		struct xprof_edge *e = xprof_add_edges(x);

		record_line(r, XPROF_ARRAY_edges, x->nr_edges);
		span_skip(line, 'E');
		field = span_first(line);
		counter = span_first(line);
		from = span_first(line);
		if (!span_number(&field, &id) || (span_skip(&field, ':') && span_len(&field)) ||
		    span_len(&field) || !span_u32(counter, &e->counter) ||
		    !parse_block(from, &e->from) || !parse_block(*line, &e->to))
			return fail_expected(r, "E<edge id> <counter id> B<from id> B<to id>");
		add_id(r, nr, id);
	}
	if (nr != declared->edges)
		return fail_count(r, head, "PROC", "edges", declared->edges, nr);
	return nr ? sort_by_id(r, "edge", nr, x->edges + first, sizeof(*x->edges),
			       r->places.lines[XPROF_ARRAY_edges] + first) : 0;
}

static int read_tuple(struct reader *r)
{
	struct xprof_tuple *t = xprof_add_tuples(r->x);
	struct span *line = &r->lines.line, id, block, where;

	record_line(r, XPROF_ARRAY_tuples, r->x->nr_tuples);
	span_skip(line, 'S');
	id = span_first(line);
	block = span_first(line);
	where = span_first(line);
	if (!span_number(&id, &t->id) || !span_skip(&id, ':') || span_len(&id) ||
	    !parse_block(block, &t->block) || !span_number(&where, &t->line) ||
	    (span_skip(&where, ':') && (!span_number(&where, &t->column) || !t->column)) ||
	    span_len(&where))
		return fail_expected(r, "S<tuple id>: B<block id> <line>[:<column>] [<file>]");
	if (span_len(line) && read_name(r, *line, &r->last_file))
		return -EPROTO;
	t->file = r->last_file;
	if (!t->file)		/* [XP-11] */
		return xprof_lines_fail(&r->lines, r->lines.number, "missing file: the first tuple "
					"of an OBJFILE must name it");
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

/* Some ids may be missing, so tuples are sorted. xprof_check() reports duplicate ids. */
static void sort_tuples(struct reader *r, uint32_t first)
{
	uint32_t nr = r->x->nr_tuples - first, *lines = r->places.lines[XPROF_ARRAY_tuples] + first;
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

static int read_tuples(struct reader *r)
{
	uint32_t first = r->x->nr_tuples;
	int err = 0;

	while (!err && xprof_lines_is_record(&r->lines, 'S')) {
		err = read_tuple(r);
		xprof_lines_next(&r->lines);
	}
	if (!err && r->x->nr_tuples > first)
		sort_tuples(r, first);
	return err;
}

static int read_proc_head(struct reader *r, struct xprof_proc *p, struct declared *ret)
{
	uint32_t n[7] = { 0 }, name = 0;
	int err = read_last_numbers(r, "PROC", n, r->minor < XPROF_MINOR ? 4 : 7);

	if (!err)
		err = read_signature(r, "PROC", &p->signature);
	if (err)
		return err;
	err = read_name(r, r->lines.line, &name);
	*ret = (struct declared){
		.counters = n[0], .vp_records = n[2], .blocks = n[4], .edges = n[5],
	};
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

static int read_proc(struct reader *r)
{
	uint32_t head = r->lines.number;
	struct xprof_proc *p = xprof_begin_proc(r->x);
	struct declared declared = { 0 };
	int err;

	record_line(r, XPROF_ARRAY_procs, r->x->nr_procs);
	err = read_proc_head(r, p, &declared);
	if (err)
		return err;
	xprof_lines_next(&r->lines);
	err = read_stats(r, &p->has, &p->max, &p->sum);
	if (!err)
		err = read_counters(r, &declared, head);
	if (!err)
		err = read_values(r, &declared, head);
	if (!err)
		err = read_blocks(r, &declared, head);
	if (!err)
		err = read_edges(r, &declared, head);
	if (!err)
		err = read_tuples(r);
	p->nr_tuples = r->x->nr_tuples - p->first_tuple;
	return err;
}

/* --- objects, programs and source files --- */

static int read_object_head(struct reader *r, struct xprof_object *o, uint32_t *ret_nr_procs,
			    uint32_t *ret_nr_sources)
{
	uint32_t numbers[4];
	int err = r->minor < XPROF_MINOR ? 0 : read_last_numbers(r, "OBJFILE", ret_nr_sources, 1);

	if (!err)
		err = read_signature(r, "OBJFILE", &o->signature);
	if (!err)
		err = read_last_numbers(r, "OBJFILE", numbers, 4);
	if (err)
		return err;
	*ret_nr_procs = numbers[0];
	o->sec = numbers[1];
	o->usec = numbers[2];
	o->nr_values = numbers[3];
	return 0;
}

static int read_object(struct reader *r)
{
	uint32_t nr_procs = 0, nr_sources = 0, found, line = r->lines.number, path = 0;
	struct xprof_object *o = xprof_begin_object(r->x);
	int err;

	record_line(r, XPROF_ARRAY_objects, r->x->nr_objects);
	r->last_file = 0;
	err = read_object_head(r, o, &nr_procs, &nr_sources);
	if (!err)
		err = read_name(r, r->lines.line, &path);
	if (err)
		return err;
	o->path = path;
	xprof_lines_next(&r->lines);
	err = read_stats(r, &o->has, &o->max, &o->sum);
	while (!err && xprof_lines_skip(&r->lines, "PROC:"))
		err = read_proc(r);
	if (err)
		return err;
	if (o->nr_procs != nr_procs)
		return fail_count(r, line, "OBJFILE", "procedures", nr_procs, o->nr_procs);
	found = xprof_nr_source_files(r->x, o);
	o->nr_sources = nr_sources;
	if (found > nr_sources)		/* [XP-7] */
		return fail_count(r, line, "OBJFILE", "source files", nr_sources, found);
	return 0;
}

static int read_objref(struct reader *r)
{
	struct xprof_ref *ref = xprof_add_refs(r->x);
	uint32_t path = 0;
	int err;

	record_line(r, XPROF_ARRAY_refs, r->x->nr_refs);
	err = read_name(r, r->lines.line, &path);
	ref->object = path;		/* until find_objects() */
	xprof_lines_next(&r->lines);
	return err;
}

static int read_comdat(struct reader *r)
{
	uint32_t both = 0;
	int err = read_name(r, r->lines.line, &both);

	xprof_add_comdats(r->x)->name = both;	/* until split_refs() */
	record_line(r, XPROF_ARRAY_comdats, r->x->nr_comdats);
	xprof_lines_next(&r->lines);
	return err;
}

static int read_program(struct reader *r)
{
	uint32_t numbers[2], line = r->lines.number, path = 0;
	struct xprof_program *p = xprof_begin_program(r->x);
	int err;

	record_line(r, XPROF_ARRAY_programs, r->x->nr_programs);
	err = read_last_numbers(r, "PROGRAM", numbers, 2);
	if (!err)
		err = read_name(r, r->lines.line, &path);
	if (err)
		return err;
	p->path = path;
	xprof_lines_next(&r->lines);
	err = read_stats(r, &p->has, &p->max, &p->sum);
	for (; !err && xprof_lines_skip(&r->lines, "OBJREF:"); p->nr_refs++)
		err = read_objref(r);
	for (; !err && xprof_lines_skip(&r->lines, "COMDAT_PROC:"); p->nr_comdats++)
		err = read_comdat(r);
	if (err)
		return err;
	if (p->nr_refs != numbers[0])
		return fail_count(r, line, "PROGRAM", "object files", numbers[0], p->nr_refs);
	if (p->nr_comdats != numbers[1])
		return fail_count(r, line, "PROGRAM", "comdat procedures", numbers[1],
				  p->nr_comdats);
	return 0;
}

static int read_block_ref(struct reader *r)
{
	struct span *line = &r->lines.line, id, count;
	struct xprof_block_ref *b;
	uint32_t block, both = 0;
	uint64_t n;
	int err;

	span_skip(line, 'B');
	id = span_first(line);
	count = span_first(line);
	if (!span_u32(id, &block) || !span_u64(count, &n))
		return fail_expected(r, "B<block id> <count> <name>:<path>");
	err = read_name(r, *line, &both);
	b = xprof_add_block_refs(r->x);
	record_line(r, XPROF_ARRAY_block_refs, r->x->nr_block_refs);
	*b = (struct xprof_block_ref){ .count = n, .block = block, .name = both };
	xprof_lines_next(&r->lines);
	return err;
}

static int read_source_line(struct reader *r)
{
	uint32_t nr, line = r->lines.number;
	struct xprof_line *l = xprof_begin_line(r->x);
	struct span *where = &r->lines.line;
	int err = read_last_numbers(r, "SRCLINE", &nr, 1);

	if (err)
		return err;
	record_line(r, XPROF_ARRAY_lines, r->x->nr_lines);
	if (!span_number(where, &l->line) || !l->line ||
	    (span_skip(where, ':') && (!span_number(where, &l->column) || !l->column)) ||
	    span_len(where))		/* [XP-15] */
		return xprof_lines_fail(&r->lines, line, "expected LINE or LINE:COLUMN in SRCLINE, "
					"both positive");
	xprof_lines_next(&r->lines);
	for (; !err && xprof_lines_is_record(&r->lines, 'B'); l->nr_block_refs++)
		err = read_block_ref(r);
	if (!err && l->nr_block_refs != nr)
		return fail_count(r, line, "SRCLINE", "blocks", nr, l->nr_block_refs);
	if (!err && !nr)
		return xprof_lines_fail(&r->lines, line, "SRCLINE without blocks");
	return err;
}

static int read_source(struct reader *r)
{
	uint32_t nr = 0, line = r->lines.number, path = 0;
	struct xprof_source *s = xprof_begin_source(r->x);
	int err;

	record_line(r, XPROF_ARRAY_sources, r->x->nr_sources);
	err = read_last_numbers(r, "SRCFILE", &nr, 1);
	if (!err)
		err = read_name(r, r->lines.line, &path);
	if (err)
		return err;
	s->path = path;
	xprof_lines_next(&r->lines);
	while (!err && xprof_lines_skip(&r->lines, "SRCLINE:"))
		err = read_source_line(r);
	if (!err && s->nr_lines != nr)
		return fail_count(r, line, "SRCFILE", "lines", nr, s->nr_lines);
	return err;
}

/* --- the header, and the sections in their order --- */

static int read_type(struct reader *r, struct span word)
{
	for (int i = XPROF_FEEDBACK + 1; i < NR_XPROF_TYPES; i++)
		if (span_len(&word) == strlen(xprof_type_names[i]) &&
		    !memcmp(word.at, xprof_type_names[i], span_len(&word))) {
			r->x->type = i;
			return 0;
		}
	return xprof_lines_fail(&r->lines, r->lines.number, "unknown type '%.*s': expected objfd, "
				"tcovd or tcovsd", span_short(&word), word.at);
}

static int read_version(struct reader *r)
{
	struct span version = span_first(&r->lines.line);
	uint32_t major, minor;

	if (!span_number(&version, &major) || !span_skip(&version, '.') ||
	    !span_u32(version, &minor))
		return xprof_lines_fail(&r->lines, r->lines.number, "expected a version number");
	if (major != XPROF_MAJOR || (minor != XPROF_MINOR && minor != XPROF_OLD_MINOR))
		return xprof_lines_fail(&r->lines, r->lines.number, "unsupported version %u.%u: "
					"expected %u.%u or %u.%u", major, minor, XPROF_MAJOR,
					XPROF_OLD_MINOR, XPROF_MAJOR, XPROF_MINOR);
	r->minor = minor;		/* [XP-17] */
	return 0;
}

/* [XP-3] */
static int read_header(struct reader *r)
{
	uint32_t *numbers[] = {
		&r->nr_objects, &r->nr_programs, &r->nr_proc_names, &r->nr_sources
	};
	size_t nr;
	int err;

	xprof_lines_next(&r->lines);
	if (!xprof_lines_skip(&r->lines, "PROFILE-FEEDBACK-DATA:"))
		return xprof_lines_fail(&r->lines, r->lines.number, "not a profile feedback text: "
					"expected 'PROFILE-FEEDBACK-DATA:'");
	err = read_version(r);
	nr = r->minor < XPROF_MINOR ? 3 : 4;
	for (size_t i = 0; !err && i < nr; i++)
		if (!span_u32(span_first(&r->lines.line), numbers[i]))
			err = xprof_lines_fail(&r->lines, r->lines.number, "expected %zu numbers "
					       "below 2^32 after the version", nr);
	if (!err && span_len(&r->lines.line))
		err = read_type(r, r->lines.line);
	return err;
}

/* Split @name, interned as NAME:PATH, which needs all objects [XP-10]. */
static int split_name(struct reader *r, uint32_t line, uint32_t *name, uint32_t *path)
{
	char *copy = xstrdup(xprof_text(r->x, *name));	/* strings may move */
	struct span text = { copy, copy + strlen(copy) };
	int err = split_ref(r, line, text, name, path);

	free(copy);
	return err;
}

static int split_refs(struct reader *r)
{
	uint32_t *const *lines = r->places.lines;
	struct xprof *x = r->x;
	int err = 0;

	for (uint32_t i = 0; !err && i < x->nr_values; i++)
		if (x->values[i].name)
			err = split_name(r, lines[XPROF_ARRAY_values][i], &x->values[i].name,
					 &x->values[i].path);
	for (uint32_t i = 0; !err && i < x->nr_comdats; i++)
		err = split_name(r, lines[XPROF_ARRAY_comdats][i], &x->comdats[i].name,
				 &x->comdats[i].path);
	for (uint32_t i = 0; !err && i < x->nr_block_refs; i++)
		err = split_name(r, lines[XPROF_ARRAY_block_refs][i], &x->block_refs[i].name,
				 &x->block_refs[i].path);
	return err;
}

/* A program refers to objects that are defined before it [XP-15]. */
static int find_objects(struct reader *r)
{
	struct xprof *x = r->x;

	for (uint32_t i = 0; i < x->nr_refs; i++) {
		uint32_t line = r->places.lines[XPROF_ARRAY_refs][i], path = x->refs[i].object;
		uint32_t object = xprof_index_object(&r->index, path);
		const char *text = xprof_text(x, path);

		if (object == UINT32_MAX || r->places.lines[XPROF_ARRAY_objects][object] > line)
			return xprof_lines_fail(&r->lines, line, "unknown object file '%.40s'%s",
						text, object == UINT32_MAX ? ""
						: ": it is defined after the program");
		x->refs[i].object = object;
	}
	return 0;
}

/* In any order: only references of programs must come after what they refer to [XP-1]. */
static int read_sections(struct reader *r)
{
	int err = 0;

	while (!err && !r->lines.is_end) {
		if (xprof_lines_skip(&r->lines, "OBJFILE:"))
			err = read_object(r);
		else if (xprof_lines_skip(&r->lines, "PROGRAM:"))
			err = read_program(r);
		else if (xprof_lines_skip(&r->lines, "SRCFILE:"))
			err = read_source(r);
		else
			err = xprof_lines_fail(&r->lines, r->lines.number, "unexpected '%.*s': "
					       "expected OBJFILE, PROGRAM or SRCFILE",
					       span_short(&r->lines.line), r->lines.line.at);
	}
	xprof_index_make(r->x, &r->index);
	if (!err)
		err = find_objects(r);
	return err ? err : split_refs(r);
}

static int check_header(struct reader *r, uint32_t line)
{
	const struct xprof *x = r->x;
	const struct {
		const char *what;
		uint32_t declared, found;
	} counts[] = {
		{ "object files", r->nr_objects, x->nr_objects },
		{ "programs", r->nr_programs, x->nr_programs },
		/* version 4.3 declares none */
		{ "source files", r->minor < XPROF_MINOR ? x->nr_sources : r->nr_sources,
		  x->nr_sources },
	};
	uint32_t names = xprof_nr_proc_names(x);

	for (size_t i = 0; i < 3; i++)
		if (counts[i].declared != counts[i].found)
			return fail_count(r, line, "the header", counts[i].what,
					  counts[i].declared, counts[i].found);
	if (!x->nr_objects && !x->nr_programs && !x->nr_sources)	/* [XP-1] */
		return xprof_lines_fail(&r->lines, line, "no section after the header");
	if (x->type == XPROF_OBJFD && x->nr_objects != 1)		/* [XP-9] */
		return xprof_lines_fail(&r->lines, line, "expected one object file in type objfd, "
					"got %u", x->nr_objects);
	if (names != r->nr_proc_names)					/* [XP-7] */
		format_warn(r->lines.warnings, "%s:%u: the header declares %u procedure names, "
			    "found %u", r->lines.path, line, r->nr_proc_names, names);
	return 0;
}

static int read_all(struct reader *r, const struct xprof_options *options, struct op_error *e)
{
	uint32_t header;
	int err = read_header(r);

	if (err)
		return err;
	header = r->lines.number;
	xprof_lines_next(&r->lines);
	err = read_sections(r);
	if (!err)
		err = check_header(r, header);
	return err ? err : xprof_check(r->x, &r->places, options, e);
}

int xprof_text_read(const char *path, const char *text, size_t size,
		    const struct xprof_options *options, struct xprof **ret, struct op_error *e)
{
	struct reader r = {
		.lines = {
			.path = path, .at = text, .end = text + size,
			.warnings = options->warnings, .e = e,
		},
		.places = { .path = path },
		.x = xprof_new(XPROF_FEEDBACK),
	};
	int err;

	if (size >= UINT32_MAX)
		err = op_error_set(e, -EFBIG, "'%s' is larger than 4 GiB", path);
	else
		err = read_all(&r, options, e);
	for (int i = 0; i < NR_XPROF_ARRAYS; i++)
		free(r.places.lines[i]);
	xprof_index_free(&r.index);
	free(r.ids);
	if (err)
		xprof_free(r.x);
	else
		*ret = r.x;
	return err;
}

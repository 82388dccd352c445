/* SPDX-License-Identifier: GPL-2.0-or-later */
/* read_sections.c - profile feedback text: objects, programs and source files */
#include "feedback/xprof/reader.h"

static int read_object_head(struct xprof_reader *r, struct xprof_object *o, uint32_t *ret_nr_procs,
			    uint32_t *ret_nr_sources)
{
	uint32_t numbers[4];
	struct span signature;
	int err = xprof_read_last(r, "OBJFILE", ret_nr_sources, 1);

	if (err)
		return err;
	signature = span_last(&r->lines.line);
	if (!span_hex(signature, &o->signature))
		return xprof_lines_fail(&r->lines, r->lines.number, "OBJFILE: the signature is not "
					"0x and up to 16 hexadecimal digits [XP-16]");
	err = xprof_read_last(r, "OBJFILE", numbers, 4);
	if (err)
		return err;
	*ret_nr_procs = numbers[0];
	o->sec = numbers[1];
	o->usec = numbers[2];
	o->nr_values = numbers[3];
	return 0;
}

int xprof_read_object(struct xprof_reader *r)
{
	uint32_t nr_procs = 0, nr_sources = 0, found, line = r->lines.number, path = 0;
	struct xprof_object *o = xprof_begin_object(r->x);
	int err;

	xprof_note_place(r, XPROF_ARRAY_objects, r->x->nr_objects);
	r->last_file = 0;
	err = read_object_head(r, o, &nr_procs, &nr_sources);
	if (!err)
		err = xprof_read_name(r, r->lines.line, &path);
	if (err)
		return err;
	o->path = path;
	xprof_lines_next(&r->lines);
	err = xprof_read_stats(r, &o->has, &o->max, &o->sum);
	while (!err && xprof_lines_skip(&r->lines, "PROC:"))
		err = xprof_read_proc(r);
	if (err)
		return err;
	if (o->nr_procs != nr_procs)
		return xprof_lines_fail(&r->lines, line, "OBJFILE has %u procedures, %u follow "
					"[XP-6]", nr_procs, o->nr_procs);
	found = xprof_nr_source_files(r->x, o);
	if (found != nr_sources)
		return xprof_lines_fail(&r->lines, line, "OBJFILE has %u source files, its tuples "
					"name %u [XP-7]", nr_sources, found);
	return 0;
}

static int read_objref(struct xprof_reader *r)
{
	struct xprof_ref *ref = xprof_add_refs(r->x);
	const struct span *path = &r->lines.line;

	xprof_note_place(r, XPROF_ARRAY_refs, r->x->nr_refs);
	ref->object = xprof_index_path(&r->index, path->at, span_len(path));
	if (ref->object == UINT32_MAX)
		return xprof_lines_fail(&r->lines, r->lines.number, "there is no OBJFILE of this "
					"path [XP-15]");
	xprof_lines_next(&r->lines);
	return 0;
}

static int read_comdat(struct xprof_reader *r)
{
	uint32_t name, path;
	struct xprof_comdat *c;
	int err = xprof_split_ref(r, r->lines.number, r->lines.line, &name, &path);

	if (err)
		return err;
	c = xprof_add_comdats(r->x);
	xprof_note_place(r, XPROF_ARRAY_comdats, r->x->nr_comdats);
	*c = (struct xprof_comdat){ name, path };
	xprof_lines_next(&r->lines);
	return 0;
}

int xprof_read_program(struct xprof_reader *r)
{
	uint32_t numbers[2], line = r->lines.number, path = 0;
	struct xprof_program *p = xprof_begin_program(r->x);
	int err;

	xprof_note_place(r, XPROF_ARRAY_programs, r->x->nr_programs);
	err = xprof_read_last(r, "PROGRAM", numbers, 2);
	if (!err)
		err = xprof_read_name(r, r->lines.line, &path);
	if (err)
		return err;
	p->path = path;
	xprof_lines_next(&r->lines);
	err = xprof_read_stats(r, &p->has, &p->max, &p->sum);
	for (; !err && xprof_lines_skip(&r->lines, "OBJREF:"); p->nr_refs++)
		err = read_objref(r);
	for (; !err && xprof_lines_skip(&r->lines, "COMDAT_PROC:"); p->nr_comdats++)
		err = read_comdat(r);
	if (err)
		return err;
	if (p->nr_refs != numbers[0])
		return xprof_lines_fail(&r->lines, line, "PROGRAM has %u object files, %u follow "
					"[XP-6]", numbers[0], p->nr_refs);
	if (p->nr_comdats != numbers[1])
		return xprof_lines_fail(&r->lines, line, "PROGRAM has %u comdat procedures, %u "
					"follow [XP-6]", numbers[1], p->nr_comdats);
	return 0;
}

static int read_block_ref(struct xprof_reader *r)
{
	struct span *line = &r->lines.line, id, count;
	struct xprof_block_ref *b;
	uint32_t block, name, path;
	uint64_t n;
	int err;

	span_skip(line, 'B');
	id = span_first(line);
	count = span_first(line);
	if (!span_u32(id, &block) || !span_u64(count, &n))
		return xprof_lines_fail(&r->lines, r->lines.number, "a block of a source line is "
					"'B<id> <count> <name>:<path>' [XP-15]");
	err = xprof_split_ref(r, r->lines.number, *line, &name, &path);
	if (err)
		return err;
	b = xprof_add_block_refs(r->x);
	xprof_note_place(r, XPROF_ARRAY_block_refs, r->x->nr_block_refs);
	*b = (struct xprof_block_ref){ .count = n, .block = block, .name = name, .path = path };
	xprof_lines_next(&r->lines);
	return 0;
}

static int read_source_line(struct xprof_reader *r)
{
	uint32_t nr, line = r->lines.number;
	struct xprof_line *l = xprof_begin_line(r->x);
	struct span *where = &r->lines.line;
	int err = xprof_read_last(r, "SRCLINE", &nr, 1);

	if (err)
		return err;
	xprof_note_place(r, XPROF_ARRAY_lines, r->x->nr_lines);
	if (!span_number(where, &l->line) || !l->line ||
	    (span_skip(where, ':') && (!span_number(where, &l->column) || !l->column)) ||
	    span_len(where))
		return xprof_lines_fail(&r->lines, line, "SRCLINE is followed by LINE or "
					"LINE:COLUMN, both positive [XP-15]");
	xprof_lines_next(&r->lines);
	for (; !err && xprof_lines_is_record(&r->lines, 'B'); l->nr_block_refs++)
		err = read_block_ref(r);
	if (!err && (l->nr_block_refs != nr || !nr))
		return xprof_lines_fail(&r->lines, line, "SRCLINE has %u blocks, %u follow; at "
					"least one must [XP-6]", nr, l->nr_block_refs);
	return err;
}

int xprof_read_source(struct xprof_reader *r)
{
	uint32_t nr = 0, line = r->lines.number, path = 0;
	struct xprof_source *s = xprof_begin_source(r->x);
	int err;

	xprof_note_place(r, XPROF_ARRAY_sources, r->x->nr_sources);
	err = xprof_read_last(r, "SRCFILE", &nr, 1);
	if (!err)
		err = xprof_read_name(r, r->lines.line, &path);
	if (err)
		return err;
	s->path = path;
	xprof_lines_next(&r->lines);
	while (!err && xprof_lines_skip(&r->lines, "SRCLINE:"))
		err = read_source_line(r);
	if (!err && s->nr_lines != nr)
		return xprof_lines_fail(&r->lines, line, "SRCFILE has %u lines, %u follow [XP-6]",
					nr, s->nr_lines);
	return err;
}

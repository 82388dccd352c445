/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write.c - write the canonical profile feedback text [XP-5] */
#include <inttypes.h>

#include "feedback/xprof/text.h"
#include "feedback/xprof/value.h"

static void write_stats(FILE *out, uint32_t has, uint64_t max, uint64_t sum)
{
	if (has & XPROF_HAS_MAX)
		fprintf(out, "max %" PRIu64 "\n", max);
	if (has & XPROF_HAS_SUM)
		fprintf(out, "sum %" PRIu64 "\n", sum);
}

static void write_value(const struct xprof *x, const struct xprof_value *v, FILE *out)
{
	fprintf(out, "%s %u %" PRIu64, xprof_value_names[v->type], v->expr, v->count);
	if (v->type == XPROF_PROC && v->name) {
		fprintf(out, " %s:%s", xprof_text(x, v->name), xprof_text(x, v->path));
	} else if (v->type != XPROF_PROC && v->count) {
		putc(' ', out);
		xprof_value_write(v, out);
	}
	putc('\n', out);
}

static void write_tuples(const struct xprof *x, const struct xprof_proc *p, FILE *out)
{
	uint32_t file = 0;

	for (uint32_t i = 0; i < p->nr_tuples; i++) {
		const struct xprof_tuple *t = &x->tuples[p->first_tuple + i];

		fprintf(out, "S%u: B%u %u", t->id, t->block, t->line);
		if (t->column)
			fprintf(out, ":%u", t->column);
		if (t->file != file)
			fprintf(out, " %s", xprof_text(x, t->file));
		putc('\n', out);
		file = t->file;
	}
}

static void write_proc(const struct xprof *x, const struct xprof_object *o,
		       const struct xprof_proc *p, FILE *out)
{
	fprintf(out, "PROC: %s 0x%" PRIx64 " %u %u %u %u %u %u %u\n", xprof_text(x, p->name),
		p->signature, p->nr_counters, p->nr_vp_sites, p->nr_vp_records, p->id,
		p->nr_blocks, p->nr_edges, p->nr_srcmap_ops);
	write_stats(out, p->has, p->max, p->sum);
	for (uint32_t i = 1; !p->is_declared && i <= p->nr_counters; i++)
		fprintf(out, "%u %" PRIu64 "\n", i, xprof_counter(x, p, i));
	for (uint64_t i = 0; i < xprof_nr_values(o, p); i++)
		write_value(x, &x->values[p->first_value + i], out);
	for (uint32_t i = 0; i < p->nr_blocks; i++)
		fprintf(out, "B%u: %u\n", i + 1, x->blocks[p->first_block + i].counter);
	for (uint32_t i = 0; i < p->nr_edges; i++) {
		const struct xprof_edge *e = &x->edges[p->first_edge + i];

		fprintf(out, "E%u %u B%u B%u\n", i + 1, e->counter, e->from, e->to);
	}
	write_tuples(x, p, out);
}

static void write_object(const struct xprof *x, const struct xprof_object *o, FILE *out)
{
	uint32_t nr_sources = xprof_nr_source_files(x, o);

	fprintf(out, "OBJFILE: %s %u %u %u %u 0x%" PRIx64 " %u\n", xprof_text(x, o->path),
		o->nr_procs, o->sec, o->usec, o->nr_values, o->signature,
		nr_sources > o->nr_sources ? nr_sources : o->nr_sources);
	write_stats(out, o->has, o->max, o->sum);
	for (uint32_t i = 0; i < o->nr_procs; i++)
		write_proc(x, o, &x->procs[o->first_proc + i], out);
}

static void write_program(const struct xprof *x, const struct xprof_program *p, FILE *out)
{
	fprintf(out, "PROGRAM: %s %u %u\n", xprof_text(x, p->path), p->nr_refs, p->nr_comdats);
	write_stats(out, p->has, p->max, p->sum);
	for (uint32_t i = p->first_ref; i < p->first_ref + p->nr_refs; i++)
		fprintf(out, "OBJREF: %s\n", xprof_text(x, x->objects[x->refs[i].object].path));
	for (uint32_t i = p->first_comdat; i < p->first_comdat + p->nr_comdats; i++)
		fprintf(out, "COMDAT_PROC: %s:%s\n", xprof_text(x, x->comdats[i].name),
			xprof_text(x, x->comdats[i].path));
}

static void write_line(const struct xprof *x, const struct xprof_line *l, FILE *out)
{
	fprintf(out, "SRCLINE: %u", l->line);
	if (l->column)
		fprintf(out, ":%u", l->column);
	fprintf(out, " %u\n", l->nr_block_refs);
	for (uint32_t i = l->first_block_ref; i < l->first_block_ref + l->nr_block_refs; i++) {
		const struct xprof_block_ref *b = &x->block_refs[i];

		fprintf(out, "B%u %" PRIu64 " %s:%s\n", b->block, b->count,
			xprof_text(x, b->name), xprof_text(x, b->path));
	}
}

static void write_source(const struct xprof *x, const struct xprof_source *s, FILE *out)
{
	fprintf(out, "SRCFILE: %s %u\n", xprof_text(x, s->path), s->nr_lines);
	for (uint32_t i = 0; i < s->nr_lines; i++)
		write_line(x, &x->lines[s->first_line + i], out);
}

void xprof_text_write(const struct xprof *x, FILE *out)
{
	fprintf(out, "PROFILE-FEEDBACK-DATA: %d.%d %u %u %u %u", XPROF_MAJOR, XPROF_MINOR,
		x->nr_objects, x->nr_programs, xprof_nr_proc_names(x), x->nr_sources);
	if (x->type != XPROF_FEEDBACK)
		fprintf(out, " %s", xprof_type_names[x->type]);
	putc('\n', out);
	for (uint32_t i = 0; i < x->nr_objects; i++)
		write_object(x, &x->objects[i], out);
	for (uint32_t i = 0; i < x->nr_programs; i++)
		write_program(x, &x->programs[i], out);
	for (uint32_t i = 0; i < x->nr_sources; i++)
		write_source(x, &x->sources[i], out);
}

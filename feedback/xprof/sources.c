/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sources.c - make source sections of blocks on source lines [XP-22] */
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/add.h"
#include "feedback/xprof/flow.h"
#include "libutil/xalloc.h"

static int compare_strings(const struct xprof *x, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(xprof_text(x, a), xprof_text(x, b));
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_lines(const struct xprof *x, const struct xprof_source_entry *a,
			 const struct xprof_source_entry *b)
{
	int order = compare_strings(x, a->file, b->file);

	if (!order)
		order = compare_numbers(a->line, b->line);
	return order ? order : compare_numbers(a->column, b->column);
}

static int compare_blocks(const struct xprof *x, const struct xprof_source_entry *a,
			  const struct xprof_source_entry *b)
{
	int order = compare_lines(x, a, b);

	if (!order)
		order = compare_strings(x, a->path, b->path);
	if (!order)
		order = compare_strings(x, a->name, b->name);
	return order ? order : compare_numbers(a->block, b->block);
}

static int compare(const void *a, const void *b, void *x)
{
	const struct xprof_source_entry *one = a, *other = b;
	int order = compare_blocks(x, one, other);

	return order ? order : compare_numbers(one->run, other->run);
}

static void add_entry(struct xprof *x, const struct xprof_source_entry *e,
		      const struct xprof_source_entry *before)
{
	if (!before || before->file != e->file)
		xprof_begin_source(x)->path = e->file;
	if (!before || compare_lines(x, before, e)) {
		struct xprof_line *l = xprof_begin_line(x);

		l->line = e->line;
		l->column = e->column;
	}
	x->lines[x->nr_lines - 1].nr_block_refs++;
	*xprof_add_block_refs(x) = (struct xprof_block_ref){
		.count = e->count, .block = e->block, .name = e->name, .path = e->path,
	};
}

void xprof_add_source_entries(struct xprof *x, struct xprof_source_entry *entries, size_t nr)
{
	if (nr)
		qsort_r(entries, nr, sizeof(*entries), compare, x);
	for (size_t i = 0; i < nr; i++) {
		uint64_t *sum;

		if (!i || compare_blocks(x, &entries[i - 1], &entries[i])) {
			add_entry(x, &entries[i], i ? &entries[i - 1] : NULL);
			continue;
		}
		sum = &x->block_refs[x->nr_block_refs - 1].count;
		if (entries[i - 1].run != entries[i].run &&
		    __builtin_add_overflow(*sum, entries[i].count, sum))
			*sum = UINT64_MAX;
	}
}

struct entries {
	struct xprof_source_entry *all;
	size_t nr, room;
};

static void add_proc(const struct xprof *x, const struct xprof_object *o,
		     const struct xprof_proc *p, struct xprof *into, struct entries *e)
{
	uint32_t path = xprof_intern(into, xprof_text(x, o->path));
	uint32_t name = xprof_intern(into, xprof_text(x, p->name));
	struct xprof_flow flow;

	xprof_flow_solve(x, p, &flow);
	for (uint32_t i = p->first_tuple; i < p->first_tuple + p->nr_tuples; i++) {
		const struct xprof_tuple *t = &x->tuples[i];

		if (flow.blocks[t->block - 1] == XPROF_UNKNOWN)
			continue;
		xgrow(e->all, e->nr, e->room);
		e->all[e->nr++] = (struct xprof_source_entry){
			.file = xprof_intern(into, xprof_text(x, t->file)),
			.line = t->line, .column = t->column, .name = name, .path = path,
			.block = t->block, .count = flow.blocks[t->block - 1],
		};
	}
	xprof_flow_free(&flow);
}

struct xprof *xprof_make_tcovsd(const struct xprof *x)
{
	struct xprof *made = xprof_new(XPROF_TCOVSD);
	struct entries e = { 0 };

	for (uint32_t i = 0; i < x->nr_objects; i++) {
		const struct xprof_object *o = &x->objects[i];

		for (uint32_t k = o->first_proc; k < o->first_proc + o->nr_procs; k++)
			add_proc(x, o, &x->procs[k], made, &e);
	}
	xprof_add_source_entries(made, e.all, e.nr);
	free(e.all);
	return made;
}

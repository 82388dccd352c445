/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * add.c - add the profile of a later run to a profile [XP-31]
 *
 * If an object was recompiled in between, its old counters belong to code that no longer exists and
 * are discarded. Counters saturate at 2^64 - 1.
 */
#include "feedback/xprof/add.h"

#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/copy.h"
#include "feedback/xprof/flow.h"
#include "libutil/xalloc.h"

struct addition {
	const struct xprof *base, *more;
	struct xprof_index base_index, more_index;
	struct xprof *sum;
	uint32_t nr_reset;
};

static uint64_t saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static bool is_same_proc(const struct addition *a, const struct xprof_proc *p,
			 const struct xprof_proc *q)
{
	return p->signature == q->signature && p->id == q->id && p->nr_blocks == q->nr_blocks &&
	       p->nr_edges == q->nr_edges &&
	       (p->nr_counters == q->nr_counters || !p->nr_counters || !q->nr_counters) &&
	       !strcmp(xprof_text(a->base, p->name), xprof_text(a->more, q->name));
}

static bool is_same_object(const struct addition *a, const struct xprof_object *o,
			   const struct xprof_object *n)
{
	if (o->signature != n->signature || o->sec != n->sec || o->usec != n->usec ||
	    o->nr_values != n->nr_values || o->nr_procs != n->nr_procs)
		return false;
	for (uint32_t i = 0; i < o->nr_procs; i++)
		if (!is_same_proc(a, &a->base->procs[o->first_proc + i],
				  &a->more->procs[n->first_proc + i]))
			return false;
	return true;
}

/* --- value profiles: keep the most frequent values of both --- */

struct ranked {
	struct xprof_value v;
	uint64_t order;		/* the original order decides between equally frequent values */
};

static int compare_values(const struct xprof_value *x, const struct xprof_value *y)
{
	uint64_t a[] = { x->expr, x->type, x->value, x->name, x->path };
	uint64_t b[] = { y->expr, y->type, y->value, y->name, y->path };

	for (int i = 0; i < 5; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int order = compare_values(&x->v, &y->v);

	return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

static int by_count(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->v.expr != y->v.expr)
		return x->v.expr < y->v.expr ? -1 : 1;
	if (x->v.type != y->v.type)
		return x->v.type < y->v.type ? -1 : 1;
	if (x->v.count != y->v.count)
		return x->v.count > y->v.count ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Merge equal values; returns the number of remaining values. */
static size_t merge_equal(struct ranked *v, size_t nr)
{
	size_t kept = 0;

	qsort(v, nr, sizeof(*v), by_value);
	for (size_t i = 0; i < nr; i++) {
		if (kept && !compare_values(&v[kept - 1].v, &v[i].v))
			v[kept - 1].v.count = saturated(v[kept - 1].v.count, v[i].v.count);
		else
			v[kept++] = v[i];
	}
	return kept;
}

/* Add one record for each expression, filled up with values with a count of 0. */
static void add_records(struct xprof *to, struct xprof_proc *p, uint32_t nr_values,
			const struct ranked *v, size_t nr)
{
	p->nr_vp_records = p->nr_vp_sites = 0;
	for (size_t i = 0; i < nr; ) {
		uint32_t expr = v[i].v.expr, type = v[i].v.type, nr_added = 0;
		size_t next = i;

		p->nr_vp_sites += !i || v[i - 1].v.expr != expr;
		p->nr_vp_records++;
		for (; next < nr && v[next].v.expr == expr && v[next].v.type == type; next++)
			if (nr_added < nr_values && v[next].v.count) {
				*xprof_add_values(to) = v[next].v;
				nr_added++;
			}
		for (; nr_added < nr_values; nr_added++)
			*xprof_add_values(to) = (struct xprof_value){ .type = type, .expr = expr };
		i = next;
	}
}

static void add_values(struct addition *a, struct xprof_proc *to, uint32_t nr_values,
		       const struct xprof_value *base, uint64_t nr_base,
		       const struct xprof_value *more, uint64_t nr_more)
{
	struct ranked *all = xcalloc(nr_base + nr_more + 1, sizeof(*all));
	struct xprof *x = a->sum;
	size_t nr;

	for (uint64_t i = 0; i < nr_base + nr_more; i++) {
		bool is_base = i < nr_base;
		const struct xprof *from = is_base ? a->base : a->more;
		struct xprof_value v = is_base ? base[i] : more[i - nr_base];

		v.name = xprof_copy_string(x, from, v.name);
		v.path = xprof_copy_string(x, from, v.path);
		all[i] = (struct ranked){ v, i };
	}
	nr = merge_equal(all, nr_base + nr_more);
	qsort(all, nr, sizeof(*all), by_count);
	add_records(x, to, nr_values, all, nr);
	free(all);
}

static void add_proc(struct addition *a, const struct xprof_object *o, const struct xprof_proc *p,
		     const struct xprof_proc *q)
{
	bool is_base = p->nr_counters || !q->nr_counters;
	struct xprof_proc *to = is_base ? xprof_copy_proc(a->sum, a->base, p)
					: xprof_copy_proc(a->sum, a->more, q);

	to->has = p->has | q->has;
	for (uint32_t i = 0; is_base && i < q->nr_counters && !to->is_declared; i++) {
		uint64_t *c = &a->sum->counters[to->first_counter + i];

		*c = saturated(*c, xprof_counter(a->more, q, i + 1));
	}
	add_values(a, to, o->nr_values, a->base->values + p->first_value, xprof_nr_values(o, p),
		   a->more->values + q->first_value, xprof_nr_values(o, q));
}

static void add_object(struct addition *a, const struct xprof_object *o)
{
	size_t len = strlen(xprof_text(a->base, o->path));
	uint32_t at = xprof_index_path(&a->more_index, xprof_text(a->base, o->path), len);
	const struct xprof_object *n = at == UINT32_MAX ? NULL : &a->more->objects[at];

	if (!n || !is_same_object(a, o, n)) {
		a->nr_reset += n != NULL;
		xprof_copy_all(a->sum, n ? a->more : a->base, n ? n : o);
		return;
	}
	xprof_copy_object(a->sum, a->base, o)->has = o->has | n->has;
	for (uint32_t i = 0; i < o->nr_procs; i++)
		add_proc(a, o, &a->base->procs[o->first_proc + i],
			 &a->more->procs[n->first_proc + i]);
}

static bool has_program(const struct xprof *x, const char *path)
{
	for (uint32_t i = 0; i < x->nr_programs; i++)
		if (!strcmp(xprof_text(x, x->programs[i].path), path))
			return true;
	return false;
}

/* A program that is in both is copied from the later run. */
static void add_programs(struct addition *a, const struct xprof_index *index)
{
	for (uint32_t i = 0; i < a->base->nr_programs; i++) {
		const struct xprof_program *p = &a->base->programs[i];

		if (!has_program(a->more, xprof_text(a->base, p->path)))
			xprof_copy_program(a->sum, index, a->base, p);
	}
	for (uint32_t i = 0; i < a->more->nr_programs; i++)
		xprof_copy_program(a->sum, index, a->more, &a->more->programs[i]);
}

/* --- source sections --- */

struct gathered {
	struct xprof_source_entry *entries;
	size_t nr;
	const uint64_t *counts;		/* of all blocks of the sum */
};

/*
 * Gather the blocks of a line. Blocks of objects in the sum get their counts from it, and are
 * skipped if they no longer exist.
 */
static void gather(const struct addition *a, const struct xprof_index *index,
		   const struct xprof *from, uint32_t run, const struct xprof_source *s,
		   const struct xprof_line *l, struct gathered *g)
{
	struct xprof *x = a->sum;

	for (uint32_t i = l->first_block_ref; i < l->first_block_ref + l->nr_block_refs; i++) {
		const struct xprof_block_ref *b = &from->block_refs[i];
		struct xprof_source_entry e = {
			.file = xprof_copy_string(x, from, s->path),
			.line = l->line, .column = l->column,
			.name = xprof_copy_string(x, from, b->name),
			.path = xprof_copy_string(x, from, b->path),
			.block = b->block, .run = run, .count = b->count,
		};
		uint32_t proc = xprof_index_proc(index, e.path, e.name);

		if (proc != UINT32_MAX) {
			if (b->block > x->procs[proc].nr_blocks)
				continue;
			e.run = 0;
			e.count = g->counts[x->procs[proc].first_block + b->block - 1];
			if (e.count == XPROF_UNKNOWN)
				continue;
		} else if (xprof_index_object(index, e.path) != UINT32_MAX) {
			continue;
		}
		g->entries[g->nr++] = e;
	}
}

static void add_sources(struct addition *a, const struct xprof_index *index)
{
	const struct xprof *runs[] = { a->base, a->more };
	uint64_t *counts = xprof_block_counts(a->sum);
	struct gathered g = { .counts = counts };

	g.entries = xcalloc((size_t)a->base->nr_block_refs + a->more->nr_block_refs + 1,
			    sizeof(*g.entries));
	for (uint32_t run = 0; run < 2; run++)
		for (uint32_t i = 0; i < runs[run]->nr_sources; i++) {
			const struct xprof_source *s = &runs[run]->sources[i];

			for (uint32_t k = s->first_line; k < s->first_line + s->nr_lines; k++)
				gather(a, index, runs[run], run, s, &runs[run]->lines[k], &g);
		}
	xprof_add_source_entries(a->sum, g.entries, g.nr);
	free(g.entries);
	free(counts);
}

struct xprof *xprof_add(const struct xprof *base, const struct xprof *more, uint32_t *ret_nr_reset)
{
	struct addition a = { .base = base, .more = more, .sum = xprof_new(base->type) };
	struct xprof_index index;

	xprof_index_make(base, &a.base_index);
	xprof_index_make(more, &a.more_index);
	for (uint32_t i = 0; i < base->nr_objects; i++)
		add_object(&a, &base->objects[i]);
	for (uint32_t i = 0; i < more->nr_objects; i++) {
		const char *path = xprof_text(more, more->objects[i].path);

		if (xprof_index_path(&a.base_index, path, strlen(path)) == UINT32_MAX)
			xprof_copy_all(a.sum, more, &more->objects[i]);
	}
	xprof_index_make(a.sum, &index);
	add_programs(&a, &index);
	xprof_set_sums(a.sum);
	add_sources(&a, &index);
	xprof_index_free(&index);
	xprof_index_free(&a.base_index);
	xprof_index_free(&a.more_index);
	*ret_nr_reset = a.nr_reset;
	return a.sum;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_counts.c - execution counts of source lines [XP-23]
 *
 * The sum of a line's blocks would be too high, because one statement may consist of several
 * blocks. Counted are entries from other lines, and repetitions of loops within the line.
 */
#include "feedback/xprof/line_counts.h"

#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/flow.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"

#define NONE		UINT32_MAX
#define STEPS_MAX	100000000u	/* edges examined in search of cycles, to limit the time */

/* A block with a tuple on a line. */
struct place {
	uint32_t line, block;
	bool is_on;		/* the block is on the line [XP-23] */
	bool is_first;		/* the line is the first of the block in the source */
};

/* A line within one procedure. */
struct part {
	uint32_t line;
	bool is_on, is_first;	/* for any of its blocks */
	bool is_instance;	/* other procedures start on the same line */
	uint64_t count;
};

struct work {
	const struct xprof *x;
	const struct xprof_proc *p;
	struct xprof_flow flow;
	struct place *places;	/* of the procedure */
	uint32_t nr_places, places_room;
	struct part *parts;
	size_t nr_parts, parts_room;
	uint32_t *mark;		/* of each block: the line that it is on */
	uint64_t *left;		/* of each edge: the count that no cycle has used yet */
	uint32_t *via;		/* of each block: the edge by which it was reached */
	uint32_t *stack;	/* blocks whose edges are to be examined */
	bool *seen;
	uint32_t nr_steps;
	bool is_instance;	/* of the current procedure */
	uint64_t *starts;	/* of the procedures of the object, sorted */
	uint32_t nr_starts;
};

static uint64_t saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t count_or_0(uint64_t count)
{
	return count == XPROF_UNKNOWN ? 0 : count;
}

static int by_line(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->block < y->block ? -1 : x->block > y->block;
}

/* The highest line of the tuples from @i on that have one block and source: the block is on it. */
static uint32_t highest_line(const struct work *w, uint32_t i)
{
	uint32_t end = w->p->first_tuple + w->p->nr_tuples, line = 0;

	for (const struct xprof_tuple *t = &w->x->tuples[i], *first = t;
	     t < &w->x->tuples[end] && t->block == first->block && t->file == first->file; t++)
		line = t->line > line ? t->line : line;
	return line;
}

static void find_places(struct work *w, uint32_t file)
{
	const struct xprof_proc *p = w->p;
	bool *has_begun = xcalloc((size_t)p->nr_blocks + 1, sizeof(*has_begun));
	const struct xprof_tuple *before = NULL;
	uint32_t highest = 0;

	w->nr_places = 0;
	for (uint32_t i = p->first_tuple; i < p->first_tuple + p->nr_tuples; i++) {
		const struct xprof_tuple *t = &w->x->tuples[i];

		if (!before || before->block != t->block || before->file != t->file)
			highest = highest_line(w, i);
		before = t;
		if (t->file != file)
			continue;
		xgrow(w->places, w->nr_places, w->places_room);
		w->places[w->nr_places++] = (struct place){
			.line = t->line, .block = t->block - 1,
			.is_on = t->line == highest && t->block != 1 &&
				 t->block != p->nr_blocks,
			.is_first = !has_begun[t->block],
		};
		has_begun[t->block] = true;
	}
	free(has_begun);
	if (w->nr_places)
		qsort(w->places, w->nr_places, sizeof(*w->places), by_line);
}

static uint32_t target(const struct work *w, uint32_t edge)
{
	return w->x->edges[w->p->first_edge + edge].to - 1;
}

static uint32_t source(const struct work *w, uint32_t edge)
{
	return w->x->edges[w->p->first_edge + edge].from - 1;
}

/* Find a cycle through @start along edges with a count left. Returns the edge that closes it. */
static uint32_t find_cycle(struct work *w, uint32_t start, uint32_t line)
{
	uint32_t nr = 0, nr_seen = 0, closing = NONE, *order = w->stack + w->flow.nr_blocks;

	w->stack[nr++] = start;
	while (nr && closing == NONE && w->nr_steps < STEPS_MAX) {
		uint32_t b = w->stack[--nr];

		for (uint32_t e = w->flow.first_out[b]; e != NONE; e = w->flow.next_out[e]) {
			uint32_t to = target(w, e);

			w->nr_steps++;
			if (!w->left[e] || w->mark[to] != line || w->seen[to] || to < start)
				continue;
			if (to == start) {
				closing = e;
				break;
			}
			w->seen[to] = true;
			order[nr_seen++] = to;
			w->via[to] = e;
			w->stack[nr++] = to;
		}
	}
	for (uint32_t i = 0; i < nr_seen; i++)
		w->seen[order[i]] = false;
	return closing;
}

/* Subtract the least count of a cycle's edges from all of them. */
static uint64_t subtract_cycle(struct work *w, uint32_t start, uint32_t closing)
{
	uint64_t least = w->left[closing];

	for (uint32_t b = source(w, closing); b != start; b = source(w, w->via[b]))
		if (w->left[w->via[b]] < least)
			least = w->left[w->via[b]];
	w->left[closing] -= least;
	for (uint32_t b = source(w, closing); b != start; b = source(w, w->via[b]))
		w->left[w->via[b]] -= least;
	return least;
}

/* The count of a line from those of its places [@first, @end) whose blocks are on it. */
static uint64_t count_graph(struct work *w, const struct place *first, const struct place *end)
{
	uint32_t line = first->line;
	uint64_t count = 0;

	for (const struct place *at = first; at < end; at++)
		if (at->is_on)
			w->mark[at->block] = line;
	for (const struct place *at = first; at < end; at++) {
		if (!at->is_on || (at > first && at[-1].block == at->block && at[-1].is_on))
			continue;
		if (w->flow.first_in[at->block] == NONE)	/* the procedure is entered here */
			count = saturated(count, count_or_0(w->flow.blocks[at->block]));
		for (uint32_t e = w->flow.first_in[at->block]; e != NONE; e = w->flow.next_in[e])
			if (w->mark[source(w, e)] != line)
				count = saturated(count, count_or_0(w->flow.edges[e]));
		for (uint32_t e = w->flow.first_out[at->block]; e != NONE; e = w->flow.next_out[e])
			w->left[e] = count_or_0(w->flow.edges[e]);
	}
	for (const struct place *at = first; at < end; at++) {
		uint32_t closing;

		while (at->is_on && (closing = find_cycle(w, at->block, line)) != NONE)
			count = saturated(count, subtract_cycle(w, at->block, closing));
	}
	return count;
}

static void add_line(struct work *w, const struct place *first, const struct place *end)
{
	struct part part = { .line = first->line, .is_instance = w->is_instance };

	for (const struct place *at = first; at < end; at++) {
		part.is_on |= at->is_on;
		part.is_first |= at->is_first;
		part.count = saturated(part.count, count_or_0(w->flow.blocks[at->block]));
	}
	if (part.is_on)
		part.count = count_graph(w, first, end);
	xgrow(w->parts, w->nr_parts, w->parts_room);
	w->parts[w->nr_parts++] = part;
}

static void add_proc(struct work *w, uint32_t file)
{
	uint32_t nb = w->p->nr_blocks, ne = w->p->nr_edges;

	find_places(w, file);
	if (!w->nr_places)
		return;
	xprof_flow_solve(w->x, w->p, &w->flow);
	w->mark = xcalloc((size_t)nb + 1, sizeof(*w->mark));
	w->via = xcalloc((size_t)nb + 1, sizeof(*w->via));
	w->stack = xcalloc((size_t)nb * 2 + 2, sizeof(*w->stack));
	w->seen = xcalloc((size_t)nb + 1, sizeof(*w->seen));
	w->left = xcalloc((size_t)ne + 1, sizeof(*w->left));
	for (uint32_t i = 0, next; i < w->nr_places; i = next) {
		for (next = i; next < w->nr_places && w->places[next].line == w->places[i].line; )
			next++;
		add_line(w, &w->places[i], &w->places[next]);
	}
	free(w->mark);
	free(w->via);
	free(w->stack);
	free(w->seen);
	free(w->left);
	xprof_flow_free(&w->flow);
}

/* Lines of source sections without their objects: the block with the highest count [XP-23]. */
static void add_sections(struct work *w, uint32_t file)
{
	const struct xprof *x = w->x;

	for (uint32_t i = 0; i < x->nr_sources; i++) {
		const struct xprof_source *s = &x->sources[i];

		for (uint32_t k = s->first_line; s->path == file && k < s->first_line + s->nr_lines;
		     k++) {
			const struct xprof_line *l = &x->lines[k];
			struct part part = { .line = l->line, .is_first = true };

			for (uint32_t b = 0; b < l->nr_block_refs; b++)
				if (x->block_refs[l->first_block_ref + b].count > part.count)
					part.count = x->block_refs[l->first_block_ref + b].count;
			xgrow(w->parts, w->nr_parts, w->parts_room);
			w->parts[w->nr_parts++] = part;
		}
	}
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	/* parts that decide about is_on in merge_parts() come first */
	return (int)(y->is_on && !y->is_instance) - (int)(x->is_on && !x->is_instance);
}

/* Merge the parts of each line: those with blocks on it, or all if there are none. */
static struct xprof_line_count *merge_parts(struct work *w, bool are_sections, size_t *ret_nr)
{
	struct xprof_line_count *lines = xcalloc(w->nr_parts + 1, sizeof(*lines));
	bool is_on = false;
	size_t nr = 0;

	if (w->nr_parts)
		qsort(w->parts, w->nr_parts, sizeof(*w->parts), compare_parts);
	for (size_t i = 0; i < w->nr_parts; i++) {
		const struct part *part = &w->parts[i];
		struct xprof_line_count *l;

		if (!i || w->parts[i - 1].line != part->line) {
			is_on = part->is_on && !part->is_instance;
			lines[nr++].line = part->line;
		}
		l = &lines[nr - 1];
		l->begins_block |= part->is_first;
		if (are_sections && part->count > l->count)
			l->count = part->count;
		else if (!are_sections && (part->is_on == is_on || part->is_instance))
			l->count = saturated(l->count, part->count);
	}
	*ret_nr = nr;
	return lines;
}

/* The source and line on which @p starts; 0: unknown. */
static uint64_t start_of(const struct xprof *x, const struct xprof_proc *p)
{
	const struct xprof_tuple *t = &x->tuples[p->first_tuple];

	return p->nr_tuples ? (uint64_t)t->file << 32 | t->line : 0;
}

static void find_starts(struct work *w, const struct xprof_object *o)
{
	w->nr_starts = 0;
	for (uint32_t i = o->first_proc; i < o->first_proc + o->nr_procs; i++)
		w->starts[w->nr_starts++] = start_of(w->x, &w->x->procs[i]);
	qsort(w->starts, w->nr_starts, sizeof(*w->starts), compare_u64);
}

/* Do other procedures start on the same line: instances of a template, functions of a macro? */
static bool is_instance(const struct work *w)
{
	uint64_t start = start_of(w->x, w->p);
	const uint64_t *found = bsearch(&start, w->starts, w->nr_starts, sizeof(start),
					compare_u64);

	return start && ((found > w->starts && found[-1] == start) ||
			 (found + 1 < w->starts + w->nr_starts && found[1] == start));
}

struct xprof_line_count *xprof_line_counts(const struct xprof *x, uint32_t file, size_t *ret_nr)
{
	struct work w = { .x = x };
	struct xprof_line_count *lines;

	w.starts = xcalloc((size_t)x->nr_procs + 1, sizeof(*w.starts));
	for (uint32_t i = 0; i < x->nr_objects; i++) {
		const struct xprof_object *o = &x->objects[i];

		find_starts(&w, o);
		for (w.p = x->procs + o->first_proc;
		     w.p < x->procs + o->first_proc + o->nr_procs; w.p++) {
			w.is_instance = is_instance(&w);
			add_proc(&w, file);
		}
	}
	free(w.starts);
	if (!x->nr_objects)
		add_sections(&w, file);
	lines = merge_parts(&w, !x->nr_objects, ret_nr);
	free(w.places);
	free(w.parts);
	return lines;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deaths.c - find when each block was overwritten
 *
 * Going from the youngest block to the oldest, each paints its addresses with its birth. The births
 * it finds there before are of younger blocks, and the earliest is its death. A tree over all
 * addresses at which a block begins or ends does both in O(log n) steps, even if a hostile file
 * makes many blocks overlap.
 */
#include <stdlib.h>
#include "daemon/jit/deaths.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"

struct canvas {
	uint64_t *edges;		/* sorted, without duplicates */
	size_t nr_edges;
	size_t nr_leaves;		/* a power of two; leaf i begins at edges[i] */
	uint64_t *least;		/* the earliest birth below a node; node 1 is the root */
	uint64_t *painted;		/* last painted over all below a node; or JIT_FOREVER */
};

static void canvas_init(struct canvas *v, const struct jit_code *c)
{
	size_t kept = 0;

	v->edges = xcalloc(2 * c->nr + 1, sizeof(*v->edges));
	for (size_t i = 0; i < c->nr; i++) {
		v->edges[2 * i] = c->blocks[i].start;
		v->edges[2 * i + 1] = c->blocks[i].start + c->blocks[i].size;
	}
	qsort(v->edges, 2 * c->nr, sizeof(*v->edges), compare_u64);
	for (size_t i = 0; i < 2 * c->nr; i++)
		if (!i || v->edges[i] != v->edges[kept - 1])
			v->edges[kept++] = v->edges[i];
	v->nr_edges = kept;
	for (v->nr_leaves = 1; v->nr_leaves < kept;)
		v->nr_leaves *= 2;
	v->least = xcalloc(2 * v->nr_leaves, sizeof(*v->least));
	v->painted = xcalloc(2 * v->nr_leaves, sizeof(*v->painted));
	for (size_t i = 0; i < 2 * v->nr_leaves; i++)
		v->least[i] = v->painted[i] = JIT_FOREVER;
}

static void canvas_free(struct canvas *v)
{
	free(v->edges);
	free(v->least);
	free(v->painted);
}

static size_t leaf_of(const struct canvas *v, uint64_t edge)
{
	const uint64_t *p = bsearch(&edge, v->edges, v->nr_edges, sizeof(edge), compare_u64);

	return (size_t)(p - v->edges);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * The earliest birth painted on leaves [from, to); node @n has leaves [low, high). Then paints
 * @birth over them, which is no later than anything there.
 */
static uint64_t paint(struct canvas *v, size_t n, size_t low, size_t high, size_t from, size_t to,
		      uint64_t birth)
{
	size_t middle = low + (high - low) / 2;
	uint64_t found;

	if (to <= low || high <= from)
		return JIT_FOREVER;
	if (from <= low && high <= to) {
		found = v->least[n];
		v->least[n] = v->painted[n] = birth;
		return found;
	}
	found = earlier(paint(v, 2 * n, low, middle, from, to, birth),
			paint(v, 2 * n + 1, middle, high, from, to, birth));
	found = earlier(found, v->painted[n]);
	v->least[n] = earlier(v->least[n], birth);
	return found;
}

static const struct jit_code *sorting;	/* qsort() has no argument for its callback */

static int compare_births(const void *a, const void *b)
{
	size_t i = *(const size_t *)a, j = *(const size_t *)b;
	uint64_t x = sorting->blocks[i].birth, y = sorting->blocks[j].birth;

	if (x != y)
		return x > y ? -1 : 1;
	return i > j ? -1 : i < j;
}

/* For one clock, because times of different ones cannot be compared. */
static void set_deaths_by(struct jit_code *c, enum jit_clock clock, size_t *order)
{
	struct canvas v;
	size_t nr = 0;

	for (size_t i = 0; i < c->nr; i++)
		if (c->blocks[i].clock == clock)
			order[nr++] = i;
	if (nr < 2)
		return;
	sorting = c;
	qsort(order, nr, sizeof(*order), compare_births);
	canvas_init(&v, c);
	for (size_t i = 0; i < nr; i++) {
		struct jit_block *b = &c->blocks[order[i]];
		size_t from = leaf_of(&v, b->start), to = leaf_of(&v, b->start + b->size);

		b->death = earlier(b->death,
				   paint(&v, 1, 0, v.nr_leaves, from, to, b->birth));
	}
	canvas_free(&v);
}

void jit_set_deaths(struct jit_code *c)
{
	size_t *order = xcalloc(c->nr + 1, sizeof(*order));

	for (enum jit_clock clock = JIT_WALL; clock < JIT_CLOCKS; clock++)
		set_deaths_by(c, clock, order);
	free(order);
}

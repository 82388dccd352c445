// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout.c - give each address to the block that it belonged to for the longest time
 *
 * Sweeps over the addresses with a heap of the blocks at the current one, the best one on top.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/jit/deaths.h"
#include "daemon/jit/layout.h"
#include "libutil/xalloc.h"

#define NO_NAME	SIZE_MAX		/* not added yet */

/* A block with derived values. */
struct rank {
	const struct jit_block *block;
	uint64_t life;
	size_t name;			/* in jit_layout.names, or NO_NAME */
};

struct part {
	struct rank *rank;
	uint64_t start, end;
};

struct sweep {
	struct rank *ranks;		/* by start */
	size_t nr;
	struct rank **heap;		/* the best at [0] */
	size_t nr_heap;
	struct part *parts;		/* by address */
	size_t nr_parts, room;
};

/* Lives */

/* The time of the session or, if unknown, from the first to the last time in the file. */
static void span_of(const struct jit_code *c, enum jit_clock clock, uint64_t *ret_start,
		    uint64_t *ret_end)
{
	uint64_t start = UINT64_MAX, end = 0;

	*ret_start = c->window.by[clock].start;
	*ret_end = c->window.by[clock].end;
	if (*ret_end)
		return;
	for (size_t i = 0; i < c->nr; i++) {
		const struct jit_block *b = &c->blocks[i];

		if (b->clock != clock)
			continue;
		start = b->birth < start ? b->birth : start;
		end = b->birth > end ? b->birth : end;
		end = b->death != JIT_FOREVER && b->death > end ? b->death : end;
	}
	*ret_start = start;
	*ret_end = end;
}

/* False: it was dead before the session began. [JT-32] */
static bool measure(struct rank *r, uint64_t start, uint64_t end)
{
	const struct jit_block *b = r->block;
	uint64_t from = b->birth > start ? b->birth : start,
		 to = b->death < end ? b->death : end;

	if (b->death < start)
		return false;
	r->life = to > from ? to - from : 0;
	return true;
}

static int compare_starts(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->block->start != y->block->start)
		return x->block->start < y->block->start ? -1 : 1;
	return x->block < y->block ? -1 : x->block > y->block;
}

static uint64_t end_of(const struct rank *r)
{
	return r->block->start + r->block->size;
}

static void rank_blocks(struct sweep *s, const struct jit_code *c)
{
	uint64_t start[JIT_CLOCKS], end[JIT_CLOCKS];

	s->ranks = xcalloc(c->nr + 1, sizeof(*s->ranks));
	for (enum jit_clock clock = 0; clock < JIT_CLOCKS; clock++)
		span_of(c, clock, &start[clock], &end[clock]);
	for (size_t i = 0; i < c->nr; i++) {
		struct rank r = { .block = &c->blocks[i], .name = NO_NAME };
		enum jit_clock clock = r.block->clock;

		if (clock == JIT_NO_CLOCK || measure(&r, start[clock], end[clock]))
			s->ranks[s->nr++] = r;
	}
	qsort(s->ranks, s->nr, sizeof(*s->ranks), compare_starts);
}

/* [JT-30] [JT-31] */
static bool is_better(const struct rank *x, const struct rank *y)
{
	const struct jit_block *a = x->block, *b = y->block;

	if ((a->clock == JIT_NO_CLOCK) != (b->clock == JIT_NO_CLOCK))
		return b->clock == JIT_NO_CLOCK;
	if (x->life != y->life)
		return x->life > y->life;
	if (a->birth != b->birth)
		return a->birth > b->birth;
	return a > b;
}

/* The heap */

static void swap_ranks(struct rank **a, struct rank **b)
{
	struct rank *c = *a;

	*a = *b;
	*b = c;
}

static void heap_push(struct sweep *s, struct rank *r)
{
	size_t i = s->nr_heap++;

	s->heap[i] = r;
	for (; i && is_better(s->heap[i], s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap_ranks(&s->heap[i], &s->heap[(i - 1) / 2]);
}

static void heap_pop(struct sweep *s)
{
	size_t i = 0, best;

	s->heap[0] = s->heap[--s->nr_heap];
	for (;; i = best) {
		best = i;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2; child++)
			if (child < s->nr_heap && is_better(s->heap[child], s->heap[best]))
				best = child;
		if (best == i)
			return;
		swap_ranks(&s->heap[i], &s->heap[best]);
	}
}

/* The sweep */

static void add_part(struct sweep *s, struct rank *r, uint64_t start, uint64_t end)
{
	struct part *last = s->nr_parts ? &s->parts[s->nr_parts - 1] : NULL;

	if (last && last->rank == r && last->end == start) {
		last->end = end;
		return;
	}
	xgrow(s->parts, s->nr_parts, s->room);
	s->parts[s->nr_parts++] = (struct part){ r, start, end };
}

static void sweep(struct sweep *s)
{
	uint64_t at = 0, next;
	size_t i = 0;

	s->heap = xcalloc(s->nr + 1, sizeof(*s->heap));
	for (;;) {
		while (s->nr_heap && end_of(s->heap[0]) <= at)
			heap_pop(s);
		if (!s->nr_heap) {
			if (i == s->nr)
				break;
			at = s->ranks[i].block->start;
		}
		while (i < s->nr && s->ranks[i].block->start <= at)
			heap_push(s, &s->ranks[i++]);
		next = end_of(s->heap[0]);
		if (i < s->nr && s->ranks[i].block->start < next)
			next = s->ranks[i].block->start;
		if (next > at)
			add_part(s, s->heap[0], at, next);
		at = next > at ? next : at;
	}
	free(s->heap);
}

/* Symbols */

static void add_symbol(struct jit_layout *out, const struct jit_code *c, const struct part *p)
{
	const struct jit_block *b = p->rank->block;

	if (out->names.len > JIT_NAMES_MAX) {
		out->dropped++;
		return;
	}
	if (p->rank->name == NO_NAME) {		/* the parts of a block share it */
		p->rank->name = out->names.len;
		strbuf_add_bytes(&out->names, jit_name(c, b), strlen(jit_name(c, b)) + 1);
	}
	xgrow(out->symbols, out->nr, out->room);
	out->symbols[out->nr++] = (struct jit_symbol){
		.start = p->start,
		.end = p->end,
		.name = p->rank->name,
		.block = b,
		.code = b->code ? b->code + (p->start - b->start) : NULL,
	};
}

void jit_layout_make(struct jit_code *c, struct jit_layout *ret)
{
	struct sweep s = { 0 };

	*ret = (struct jit_layout){ .from = c, .names = STRBUF_INIT };
	jit_set_deaths(c);
	rank_blocks(&s, c);
	sweep(&s);
	for (size_t i = 0; i < s.nr_parts; i++)
		add_symbol(ret, c, &s.parts[i]);
	free(s.ranks);
	free(s.parts);
}

void jit_layout_free(struct jit_layout *layout)
{
	free(layout->symbols);
	strbuf_free(&layout->names);
	*layout = (struct jit_layout){ .names = STRBUF_INIT };
}

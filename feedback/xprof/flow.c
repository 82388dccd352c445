/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow.c - compute the counts of all blocks and edges from counters on some of them
 *
 * If all edges on one side of a block (in or out) are known, their sum is the count of the block.
 * If the count of a block is known and one edge on a side is unknown, the difference is the count
 * of that edge. Each new count may determine others, so the blocks at its ends are queued again.
 */
#include "feedback/xprof/flow.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/count.h"
#include "libutil/xalloc.h"

#define NONE	UINT32_MAX

/* The edges into a block, or those out of it. */
struct side {
	uint64_t sum;			/* of known edges; XPROF_UNKNOWN if it is too large */
	uint32_t nr, nr_unknown;
	uint32_t unknown;		/* XOR of all unknown edges; if there is one, its index */
};

struct solver {
	struct xprof_flow *flow;
	const struct xprof_edge *graph;
	struct side *in, *out;		/* of each block */
	uint32_t *queue;		/* blocks, last in, first out */
	bool *is_queued;
	uint32_t nr_queued;
};

static void add_to_side(struct side *s, uint32_t edge, uint64_t count)
{
	s->nr++;
	if (count != XPROF_UNKNOWN) {
		count_add(&s->sum, count);
		return;
	}
	s->nr_unknown++;
	s->unknown ^= edge;
}

/* The count of @edge, which was unknown, is now known. */
static void resolve_in_side(struct side *s, uint32_t edge, uint64_t count)
{
	count_add(&s->sum, count);
	s->nr_unknown--;
	s->unknown ^= edge;
}

static void enqueue(struct solver *s, uint32_t block)
{
	if (s->is_queued[block])
		return;
	s->is_queued[block] = true;
	s->queue[s->nr_queued++] = block;
}

/* If one edge of @side of @block is unknown, it has what the others leave of the block's count. */
static void solve_edge(struct solver *s, uint32_t block, const struct side *side)
{
	struct xprof_flow *f = s->flow;
	uint32_t edge = side->unknown, from, to;
	uint64_t count;

	if (side->nr_unknown != 1)
		return;
	if (side->sum > f->blocks[block]) {
		f->inconsistent = f->inconsistent == NONE ? block : f->inconsistent;
		return;
	}
	from = s->graph[edge].from - 1;
	to = s->graph[edge].to - 1;
	count = f->blocks[block] - side->sum;
	f->edges[edge] = count;
	resolve_in_side(&s->out[from], edge, count);
	resolve_in_side(&s->in[to], edge, count);
	enqueue(s, from);
	enqueue(s, to);
}

static bool set_block(struct solver *s, uint32_t block, const struct side *side)
{
	if (!side->nr || side->nr_unknown || side->sum == XPROF_UNKNOWN)
		return false;
	s->flow->blocks[block] = side->sum;
	return true;
}

static void solve_block(struct solver *s, uint32_t block)
{
	struct side *in = &s->in[block], *out = &s->out[block];

	if (s->flow->blocks[block] == XPROF_UNKNOWN && !set_block(s, block, in) &&
	    !set_block(s, block, out))
		return;
	solve_edge(s, block, in);
	solve_edge(s, block, out);
}

static void link_edges(struct xprof_flow *f, const struct xprof_edge *graph)
{
	for (uint32_t b = 0; b < f->nr_blocks; b++)
		f->first_in[b] = f->first_out[b] = NONE;
	for (uint32_t e = f->nr_edges; e-- > 0; ) {
		uint32_t from = graph[e].from - 1, to = graph[e].to - 1;

		f->next_out[e] = f->first_out[from];
		f->first_out[from] = e;
		f->next_in[e] = f->first_in[to];
		f->first_in[to] = e;
	}
}

static uint64_t known_count(const struct xprof *x, const struct xprof_proc *p, uint32_t counter)
{
	if (!p->nr_counters)
		return 0;	/* loaded, but never run [XP-8] */
	return counter ? xprof_counter(x, p, counter) : XPROF_UNKNOWN;
}

static void begin(struct solver *s, const struct xprof *x, const struct xprof_proc *p)
{
	struct xprof_flow *f = s->flow;
	uint32_t nb = p->nr_blocks, ne = p->nr_edges;

	f->blocks = xcalloc(nb + 1, sizeof(*f->blocks));
	f->edges = xcalloc(ne + 1, sizeof(*f->edges));
	f->first_in = xcalloc(nb + 1, sizeof(*f->first_in));
	f->first_out = xcalloc(nb + 1, sizeof(*f->first_out));
	f->next_in = xcalloc(ne + 1, sizeof(*f->next_in));
	f->next_out = xcalloc(ne + 1, sizeof(*f->next_out));
	s->in = xcalloc(nb + 1, sizeof(*s->in));
	s->out = xcalloc(nb + 1, sizeof(*s->out));
	s->queue = xcalloc(nb + 1, sizeof(*s->queue));
	s->is_queued = xcalloc(nb + 1, sizeof(*s->is_queued));
	link_edges(f, s->graph);
	for (uint32_t e = 0; e < ne; e++) {
		f->edges[e] = known_count(x, p, s->graph[e].counter);
		add_to_side(&s->out[s->graph[e].from - 1], e, f->edges[e]);
		add_to_side(&s->in[s->graph[e].to - 1], e, f->edges[e]);
	}
	for (uint32_t b = nb; b-- > 0; ) {
		f->blocks[b] = known_count(x, p, x->blocks[p->first_block + b].counter);
		enqueue(s, b);
	}
}

void xprof_flow_solve(const struct xprof *x, const struct xprof_proc *p, struct xprof_flow *ret)
{
	struct xprof_flow f = {
		.nr_blocks = p->nr_blocks, .nr_edges = p->nr_edges, .inconsistent = NONE,
	};
	struct solver s = { .flow = &f, .graph = x->edges + p->first_edge };

	begin(&s, x, p);
	while (s.nr_queued) {
		uint32_t block = s.queue[--s.nr_queued];

		s.is_queued[block] = false;
		solve_block(&s, block);
	}
	free(s.in);
	free(s.out);
	free(s.queue);
	free(s.is_queued);
	*ret = f;
}

void xprof_flow_free(struct xprof_flow *flow)
{
	free(flow->blocks);
	free(flow->edges);
	free(flow->first_in);
	free(flow->first_out);
	free(flow->next_in);
	free(flow->next_out);
	*flow = (struct xprof_flow){ 0 };
}

static struct side side_of(const struct xprof_flow *f, uint32_t first, const uint32_t *next)
{
	struct side s = { 0 };

	for (uint32_t e = first; e != NONE; e = next[e])
		add_to_side(&s, e, f->edges[e]);
	return s;
}

static bool is_known(const struct side *s)
{
	return s->nr && !s->nr_unknown;
}

bool xprof_flow_is_consistent(const struct xprof *x, const struct xprof_proc *p,
			      const struct xprof_flow *flow, uint32_t *ret_block)
{
	for (uint32_t b = 0; b < flow->nr_blocks; b++) {
		struct side in = side_of(flow, flow->first_in[b], flow->next_in);
		struct side out = side_of(flow, flow->first_out[b], flow->next_out);
		uint64_t own = known_count(x, p, x->blocks[p->first_block + b].counter);
		bool has_own = own != XPROF_UNKNOWN;

		if (b == flow->inconsistent ||
		    (is_known(&in) && is_known(&out) && in.sum != out.sum) ||
		    (has_own && is_known(&in) && in.sum != own) ||
		    (has_own && is_known(&out) && out.sum != own)) {
			*ret_block = b;
			return false;
		}
	}
	return true;
}

uint64_t *xprof_block_counts(const struct xprof *x)
{
	uint64_t *counts = xcalloc((size_t)x->nr_blocks + 1, sizeof(*counts));

	for (uint32_t i = 0; i < x->nr_procs; i++) {
		const struct xprof_proc *p = &x->procs[i];
		struct xprof_flow flow;

		xprof_flow_solve(x, p, &flow);
		memcpy(counts + p->first_block, flow.blocks, p->nr_blocks * sizeof(*counts));
		xprof_flow_free(&flow);
	}
	return counts;
}

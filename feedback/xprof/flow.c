/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow.c - what flows through a procedure, from counters that are on some of its edges
 *
 * A block whose count is known and that has one unknown edge on a side gives that edge; a block
 * all of whose edges on a side are known has their sum. Each thing found may give the next one, so
 * blocks wait in a list for being looked at again.
 */
#include "feedback/xprof/flow.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

#define NONE	UINT32_MAX

struct side {
	__uint128_t sum;		/* of known edges */
	uint32_t nr, nr_unknown;
	uint32_t unknown;		/* exclusive or of the unknown: of one, that one */
};

struct solver {
	struct xprof_flow *flow;
	const struct xprof_edge *graph;
	struct side *in, *out;		/* of each block */
	uint32_t *waiting;		/* a stack of blocks */
	bool *is_waiting;
	uint32_t nr_waiting;
};

static void side_add(struct side *s, uint32_t edge, uint64_t count)
{
	s->nr++;
	if (count != XPROF_UNKNOWN) {
		s->sum += count;
		return;
	}
	s->nr_unknown++;
	s->unknown ^= edge;
}

static void side_found(struct side *s, uint32_t edge, uint64_t count)
{
	s->sum += count;
	s->nr_unknown--;
	s->unknown ^= edge;
}

static void wait(struct solver *s, uint32_t block)
{
	if (s->is_waiting[block])
		return;
	s->is_waiting[block] = true;
	s->waiting[s->nr_waiting++] = block;
}

static void set_edge(struct solver *s, uint32_t block, uint32_t edge, __uint128_t count)
{
	struct xprof_flow *f = s->flow;
	uint32_t from = s->graph[edge].from - 1, to = s->graph[edge].to - 1;

	if (count >= XPROF_UNKNOWN) {	/* negative ones wrap round to be huge */
		f->broken = f->broken == NONE ? block : f->broken;
		return;
	}
	f->edges[edge] = count;
	side_found(&s->out[from], edge, count);
	side_found(&s->in[to], edge, count);
	wait(s, from);
	wait(s, to);
}

static bool set_block(struct solver *s, uint32_t block, const struct side *side)
{
	if (!side->nr || side->nr_unknown || side->sum >= XPROF_UNKNOWN)
		return false;
	s->flow->blocks[block] = side->sum;
	return true;
}

static void look_at(struct solver *s, uint32_t block)
{
	struct side *in = &s->in[block], *out = &s->out[block];
	uint64_t *count = &s->flow->blocks[block];

	if (*count == XPROF_UNKNOWN && !set_block(s, block, in) && !set_block(s, block, out))
		return;
	if (in->nr_unknown == 1)
		set_edge(s, block, in->unknown, *count - in->sum);
	if (out->nr_unknown == 1)
		set_edge(s, block, out->unknown, *count - out->sum);
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

static uint64_t known(const struct xprof *x, const struct xprof_proc *p, uint32_t counter)
{
	if (!p->nr_counters)
		return 0;	/* loaded, never run [XP-8] */
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
	s->waiting = xcalloc(nb + 1, sizeof(*s->waiting));
	s->is_waiting = xcalloc(nb + 1, sizeof(*s->is_waiting));
	link_edges(f, s->graph);
	for (uint32_t e = 0; e < ne; e++) {
		f->edges[e] = known(x, p, s->graph[e].counter);
		side_add(&s->out[s->graph[e].from - 1], e, f->edges[e]);
		side_add(&s->in[s->graph[e].to - 1], e, f->edges[e]);
	}
	for (uint32_t b = nb; b-- > 0; ) {
		f->blocks[b] = known(x, p, x->blocks[p->first_block + b].counter);
		wait(s, b);
	}
}

void xprof_flow_solve(const struct xprof *x, const struct xprof_proc *p, struct xprof_flow *ret)
{
	struct xprof_flow f = {
		.nr_blocks = p->nr_blocks, .nr_edges = p->nr_edges, .broken = NONE,
	};
	struct solver s = { .flow = &f, .graph = x->edges + p->first_edge };

	begin(&s, x, p);
	while (s.nr_waiting) {
		uint32_t block = s.waiting[--s.nr_waiting];

		s.is_waiting[block] = false;
		look_at(&s, block);
	}
	free(s.in);
	free(s.out);
	free(s.waiting);
	free(s.is_waiting);
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
		side_add(&s, e, f->edges[e]);
	return s;
}

static bool is_known(const struct side *s)
{
	return s->nr && !s->nr_unknown;
}

bool xprof_flow_holds(const struct xprof *x, const struct xprof_proc *p,
		      const struct xprof_flow *flow, uint32_t *ret_block)
{
	for (uint32_t b = 0; b < flow->nr_blocks; b++) {
		struct side in = side_of(flow, flow->first_in[b], flow->next_in);
		struct side out = side_of(flow, flow->first_out[b], flow->next_out);
		uint64_t own = known(x, p, x->blocks[p->first_block + b].counter);
		bool has_own = own != XPROF_UNKNOWN;

		if (b == flow->broken || (is_known(&in) && is_known(&out) && in.sum != out.sum) ||
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

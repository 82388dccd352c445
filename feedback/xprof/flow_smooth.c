/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow_smooth.c - the nearest counts that flow, by minimum cost flow
 *
 * A block is two nodes, one that edges lead to and one that they leave from. At first each block's
 * weight appears where it is left from and is missing where it is entered: these are to be brought
 * together, along edges, or through a block, which adds to its count, or against it, which takes
 * from it. All cheapest ways of one length are filled at once, then those of the next length, so
 * the number of rounds depends on lengths, not on weights.
 */
#include "feedback/xprof/flow_smooth.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

#define NONE		UINT32_MAX
#define COST_MORE	10	/* to count a block once more than its weight */
#define COST_EDGE	1
#define UNBOUNDED	(INT64_MAX / 4)

/*
 * And once less: a sample is there, its absence may be chance. It costs the more, the less of a
 * block is left, so that where there is too little for several blocks each of them gives some.
 */
static const int32_t cost_less[] = { 14, 18, 22, 26 };
#define NR_PARTS	(sizeof(cost_less) / sizeof(cost_less[0]))

struct arc {
	uint32_t to, next;
	int64_t room;
	int32_t cost;
};

struct network {
	struct arc *arcs;		/* each is followed by its reverse */
	uint32_t nr_arcs, room_arcs;
	uint32_t *first, *current;	/* of a node: its arcs, and where filling has got to */
	int64_t *distance;
	bool *is_busy;			/* in the queue, resp. on the way being filled */
	uint32_t *queue;
	uint32_t *way;			/* arcs of the way being filled */
	uint32_t nr_nodes;
};

static uint32_t add_arc(struct network *n, uint32_t from, uint32_t to, int64_t room, int32_t cost)
{
	uint32_t at = n->nr_arcs;

	xgrow(n->arcs, n->nr_arcs, n->room_arcs);
	n->arcs[n->nr_arcs++] = (struct arc){ to, n->first[from], room, cost };
	n->first[from] = at;
	xgrow(n->arcs, n->nr_arcs, n->room_arcs);
	n->arcs[n->nr_arcs++] = (struct arc){ from, n->first[to], 0, -cost };
	n->first[to] = at + 1;
	return at;
}

/* Cheapest ways from @source to everywhere; false: @sink cannot be reached. */
static bool measure(struct network *n, uint32_t source, uint32_t sink)
{
	uint32_t head = 0, nr = 0;

	for (uint32_t i = 0; i < n->nr_nodes; i++)
		n->distance[i] = UNBOUNDED;
	n->distance[source] = 0;
	n->queue[nr++] = source;
	while (nr) {
		uint32_t node = n->queue[head];

		head = (head + 1) % n->nr_nodes;
		nr--;
		n->is_busy[node] = false;
		for (uint32_t a = n->first[node]; a != NONE; a = n->arcs[a].next) {
			const struct arc *arc = &n->arcs[a];
			int64_t distance = n->distance[node] + arc->cost;

			if (!arc->room || distance >= n->distance[arc->to])
				continue;
			n->distance[arc->to] = distance;
			if (!n->is_busy[arc->to])
				n->queue[(head + nr++) % n->nr_nodes] = arc->to;
			n->is_busy[arc->to] = true;
		}
	}
	return n->distance[sink] < UNBOUNDED;
}

/* The next arc from @node along which a cheapest way may go on, or NONE. */
static uint32_t step(struct network *n, uint32_t node)
{
	for (; n->current[node] != NONE; n->current[node] = n->arcs[n->current[node]].next) {
		const struct arc *a = &n->arcs[n->current[node]];

		if (a->room && !n->is_busy[a->to] &&
		    n->distance[a->to] == n->distance[node] + a->cost)
			return n->current[node];
	}
	return NONE;
}

static void fill_way(struct network *n, uint32_t len)
{
	int64_t least = UNBOUNDED;

	for (uint32_t i = 0; i < len; i++)
		if (n->arcs[n->way[i]].room < least)
			least = n->arcs[n->way[i]].room;
	for (uint32_t i = 0; i < len; i++) {
		n->arcs[n->way[i]].room -= least;
		n->arcs[n->way[i] ^ 1].room += least;
	}
}

static void leave_way(struct network *n, uint32_t source, uint32_t len)
{
	n->is_busy[source] = false;
	for (uint32_t i = 0; i < len; i++)
		n->is_busy[n->arcs[n->way[i]].to] = false;
}

/* Fill ways of the least cost until there are no more. Arcs that lead nowhere are tried once. */
static void fill(struct network *n, uint32_t source, uint32_t sink)
{
	uint32_t len = 0, node = source;

	memcpy(n->current, n->first, n->nr_nodes * sizeof(*n->current));
	n->is_busy[source] = true;
	for (;;) {
		uint32_t a = step(n, node);

		if (a != NONE) {
			n->way[len++] = a;
			node = n->arcs[a].to;
			n->is_busy[node] = true;
		} else if (!len) {
			break;
		} else {
			n->is_busy[node] = false;
			node = n->arcs[n->way[--len] ^ 1].to;
			n->current[node] = n->arcs[n->way[len]].next;
		}
		if (node == sink) {
			fill_way(n, len);
			leave_way(n, source, len);
			len = 0;
			node = source;
			n->is_busy[source] = true;
		}
	}
	n->is_busy[source] = false;
}

static uint32_t node_in(uint32_t block) { return 2 * block; }
static uint32_t node_out(uint32_t block) { return 2 * block + 1; }

static void add_block(struct network *n, uint32_t block, uint64_t weight, uint32_t source,
		      uint32_t sink)
{
	int64_t w = weight > UNBOUNDED / 1024 ? UNBOUNDED / 1024 : (int64_t)weight;

	add_arc(n, node_in(block), node_out(block), UNBOUNDED, COST_MORE);
	if (!w)
		return;
	for (size_t i = 0; i < NR_PARTS; i++) {
		int64_t from = w * (int64_t)i / (int64_t)NR_PARTS;
		int64_t to = w * (int64_t)(i + 1) / (int64_t)NR_PARTS;

		add_arc(n, node_out(block), node_in(block), to - from, cost_less[i]);
	}
	add_arc(n, source, node_out(block), w, 0);
	add_arc(n, node_in(block), sink, w, 0);
}

static void begin(struct network *n, uint32_t nr_nodes)
{
	*n = (struct network){ .nr_nodes = nr_nodes };
	n->first = xcalloc(nr_nodes, sizeof(*n->first));
	n->current = xcalloc(nr_nodes, sizeof(*n->current));
	n->distance = xcalloc(nr_nodes, sizeof(*n->distance));
	n->is_busy = xcalloc(nr_nodes, sizeof(*n->is_busy));
	n->queue = xcalloc(nr_nodes, sizeof(*n->queue));
	n->way = xcalloc(nr_nodes, sizeof(*n->way));
	for (uint32_t i = 0; i < nr_nodes; i++)
		n->first[i] = NONE;
}

static void end(struct network *n)
{
	free(n->arcs);
	free(n->first);
	free(n->current);
	free(n->distance);
	free(n->is_busy);
	free(n->queue);
	free(n->way);
}

void flow_smooth(uint32_t nr_blocks, const uint64_t *weights, const struct flow_edge *edges,
		 uint32_t nr_edges, uint64_t *ret)
{
	uint32_t source = 2 * nr_blocks, sink = source + 1, first_edge, last = nr_blocks - 1;
	struct network n;

	begin(&n, 2 * nr_blocks + 2);
	for (uint32_t b = 1; b < last; b++)
		add_block(&n, b, weights[b], source, sink);
	/* what ends came from where it begins */
	add_arc(&n, node_in(0), node_out(0), UNBOUNDED, 0);
	if (last)
		add_arc(&n, node_in(last), node_in(0), UNBOUNDED, 0);
	first_edge = n.nr_arcs;
	for (uint32_t e = 0; e < nr_edges; e++)
		add_arc(&n, node_out(edges[e].from), node_in(edges[e].to), UNBOUNDED, COST_EDGE);
	while (measure(&n, source, sink))
		fill(&n, source, sink);
	for (uint32_t e = 0; e < nr_edges; e++)
		ret[e] = n.arcs[first_edge + 2 * e + 1].room;
	end(&n);
}

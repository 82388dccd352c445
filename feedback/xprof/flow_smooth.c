/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow_smooth.c - find the closest consistent counts by minimum cost flow
 *
 * A block is two nodes: edges lead to its in node and leave from its out node. Initially the weight
 * of each block is a supply at its out node and a demand at its in node. Flow from supplies to
 * demands goes along edges, through a block, which adds to its count, or backward through a block,
 * which subtracts from it. Each round saturates all paths of the least cost, so the number of
 * rounds depends on costs, not on weights.
 */
#include "feedback/xprof/flow_smooth.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

#define NONE		UINT32_MAX
#define COST_MORE	10	/* of counting a block once more than its weight */
#define COST_EDGE	1
#define UNBOUNDED	(INT64_MAX / 4)

/*
 * The costs of counting a block once less. They are higher than COST_MORE, because a sample is
 * evidence, while its absence may be chance. They rise with each quarter of the weight that is
 * subtracted, so that a deficit is shared among blocks.
 */
static const int32_t cost_less[] = { 14, 18, 22, 26 };
#define NR_PARTS	(sizeof(cost_less) / sizeof(cost_less[0]))

struct arc {
	uint32_t to, next;
	int64_t capacity;		/* that is left */
	int32_t cost;
};

struct network {
	struct arc *arcs;		/* each is followed by its reverse */
	uint32_t nr_arcs, room_arcs;
	uint32_t *first, *current;	/* arcs of a node: the first one, and the next one to try */
	int64_t *distance;
	bool *is_busy;			/* the node is in the queue, or on the current path */
	uint32_t *queue;
	uint32_t *path;			/* arcs of the current path */
	uint32_t nr_nodes;
};

static uint32_t add_arc(struct network *n, uint32_t from, uint32_t to, int64_t capacity,
			int32_t cost)
{
	uint32_t at = n->nr_arcs;

	xgrow(n->arcs, n->nr_arcs, n->room_arcs);
	n->arcs[n->nr_arcs++] = (struct arc){ to, n->first[from], capacity, cost };
	n->first[from] = at;
	xgrow(n->arcs, n->nr_arcs, n->room_arcs);
	n->arcs[n->nr_arcs++] = (struct arc){ from, n->first[to], 0, -cost };
	n->first[to] = at + 1;
	return at;
}

/* Compute the least costs from @source to all nodes. False: @sink is unreachable. */
static bool find_distances(struct network *n, uint32_t source, uint32_t sink)
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

			if (!arc->capacity || distance >= n->distance[arc->to])
				continue;
			n->distance[arc->to] = distance;
			if (!n->is_busy[arc->to])
				n->queue[(head + nr++) % n->nr_nodes] = arc->to;
			n->is_busy[arc->to] = true;
		}
	}
	return n->distance[sink] < UNBOUNDED;
}

/* The next arc from @node on a path of the least cost, or NONE. */
static uint32_t next_arc(struct network *n, uint32_t node)
{
	for (; n->current[node] != NONE; n->current[node] = n->arcs[n->current[node]].next) {
		const struct arc *a = &n->arcs[n->current[node]];

		if (a->capacity && !n->is_busy[a->to] &&
		    n->distance[a->to] == n->distance[node] + a->cost)
			return n->current[node];
	}
	return NONE;
}

static void saturate_path(struct network *n, uint32_t len)
{
	int64_t least = UNBOUNDED;

	for (uint32_t i = 0; i < len; i++)
		if (n->arcs[n->path[i]].capacity < least)
			least = n->arcs[n->path[i]].capacity;
	for (uint32_t i = 0; i < len; i++) {
		n->arcs[n->path[i]].capacity -= least;
		n->arcs[n->path[i] ^ 1].capacity += least;
	}
}

static void leave_path(struct network *n, uint32_t source, uint32_t len)
{
	n->is_busy[source] = false;
	for (uint32_t i = 0; i < len; i++)
		n->is_busy[n->arcs[n->path[i]].to] = false;
}

/* Saturate all paths of the least cost. Arcs that lead to a dead end are tried only once. */
static void saturate(struct network *n, uint32_t source, uint32_t sink)
{
	uint32_t len = 0, node = source;

	memcpy(n->current, n->first, n->nr_nodes * sizeof(*n->current));
	n->is_busy[source] = true;
	for (;;) {
		uint32_t a = next_arc(n, node);

		if (a != NONE) {
			n->path[len++] = a;
			node = n->arcs[a].to;
			n->is_busy[node] = true;
		} else if (!len) {
			break;
		} else {
			n->is_busy[node] = false;
			node = n->arcs[n->path[--len] ^ 1].to;
			n->current[node] = n->arcs[n->path[len]].next;
		}
		if (node == sink) {
			saturate_path(n, len);
			leave_path(n, source, len);
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

static void init_network(struct network *n, uint32_t nr_nodes)
{
	*n = (struct network){ .nr_nodes = nr_nodes };
	n->first = xcalloc(nr_nodes, sizeof(*n->first));
	n->current = xcalloc(nr_nodes, sizeof(*n->current));
	n->distance = xcalloc(nr_nodes, sizeof(*n->distance));
	n->is_busy = xcalloc(nr_nodes, sizeof(*n->is_busy));
	n->queue = xcalloc(nr_nodes, sizeof(*n->queue));
	n->path = xcalloc(nr_nodes, sizeof(*n->path));
	for (uint32_t i = 0; i < nr_nodes; i++)
		n->first[i] = NONE;
}

static void free_network(struct network *n)
{
	free(n->arcs);
	free(n->first);
	free(n->current);
	free(n->distance);
	free(n->is_busy);
	free(n->queue);
	free(n->path);
}

void flow_smooth(uint32_t nr_blocks, const uint64_t *weights, const struct flow_edge *edges,
		 uint32_t nr_edges, uint64_t *ret)
{
	uint32_t source = 2 * nr_blocks, sink = source + 1, first_edge, last = nr_blocks - 1;
	struct network n;

	init_network(&n, 2 * nr_blocks + 2);
	for (uint32_t b = 1; b < last; b++)
		add_block(&n, b, weights[b], source, sink);
	/* flow that ends in the last block returns to block 0 */
	add_arc(&n, node_in(0), node_out(0), UNBOUNDED, 0);
	if (last)
		add_arc(&n, node_in(last), node_in(0), UNBOUNDED, 0);
	first_edge = n.nr_arcs;
	for (uint32_t e = 0; e < nr_edges; e++)
		add_arc(&n, node_out(edges[e].from), node_in(edges[e].to), UNBOUNDED, COST_EDGE);
	while (find_distances(&n, source, sink))
		saturate(&n, source, sink);
	for (uint32_t e = 0; e < nr_edges; e++)
		ret[e] = n.arcs[first_edge + 2 * e + 1].capacity;
	free_network(&n);
}

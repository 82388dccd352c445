/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow_smooth.h - find consistent counts that are as close as possible to given weights */
#ifndef FEEDBACK_XPROF_FLOW_SMOOTH_H
#define FEEDBACK_XPROF_FLOW_SMOOTH_H

#include <stdint.h>

#define FLOW_BLOCKS_MAX	5000	/* of a graph: the worst case is quadratic */

struct flow_edge {
	uint32_t from, to;	/* blocks, starting with 0 */
};

/*
 * Compute counts of edges, @ret[@nr_edges], such that the flow into each block equals the flow out
 * of it, except for block 0, where flow begins, and the last block, where it ends. The weighted
 * difference to @weights, summed over the other blocks, is minimal: an excess counts half as much
 * as a deficit, the first quarter of a deficit less than the last one, and each edge costs a little
 * [XP-41]. There is always a solution if every block is on a path from block 0 to the last block.
 */
void flow_smooth(uint32_t nr_blocks, const uint64_t *weights, const struct flow_edge *edges,
		 uint32_t nr_edges, uint64_t *ret);

#endif

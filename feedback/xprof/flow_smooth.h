/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow_smooth.h - counts that flow, as near as can be to weights that do not */
#ifndef FEEDBACK_XPROF_FLOW_SMOOTH_H
#define FEEDBACK_XPROF_FLOW_SMOOTH_H

#include <stdint.h>

#define FLOW_BLOCKS_MAX	5000	/* of a graph: time is its square at worst */

struct flow_edge {
	uint32_t from, to;	/* blocks from 0 on */
};

/*
 * Edge counts of a graph of @nr_blocks in which as much flows out of each block as into it, except
 * that flow comes from nowhere into block 0 and ends in the last one. The sum over the other blocks
 * of how far their flow is from @weights is as small as can be, where what is too much counts half
 * of what is too little, the first quarter of a block that is missing less than the last one, and
 * longer ways cost a little [XP-41]. Always possible if each block is
 * on some way from block 0 to the last. @ret has room for @nr_edges.
 */
void flow_smooth(uint32_t nr_blocks, const uint64_t *weights, const struct flow_edge *edges,
		 uint32_t nr_edges, uint64_t *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow.h - counts of the blocks and edges of a procedure, as far as its counters determine them */
#ifndef FEEDBACK_XPROF_FLOW_H
#define FEEDBACK_XPROF_FLOW_H

#include "feedback/xprof/xprof.h"

#define XPROF_UNKNOWN	UINT64_MAX

/* Edges have their index in the procedure. Those into and out of each block are linked lists. */
struct xprof_flow {
	uint64_t *blocks, *edges;	/* executions, or XPROF_UNKNOWN; block 1 is [0] */
	uint32_t *first_in, *first_out;	/* the lowest edge of a block; UINT32_MAX: none */
	uint32_t *next_in, *next_out;	/* the next higher edge */
	uint32_t nr_blocks, nr_edges;
	uint32_t inconsistent;		/* a block with contradicting counts, or UINT32_MAX */
};

/* Compute the counts that follow from the counters of @p [XP-21]. The caller frees *ret. */
void xprof_flow_solve(const struct xprof *x, const struct xprof_proc *p, struct xprof_flow *ret);
void xprof_flow_free(struct xprof_flow *flow);

/*
 * Do the flow into each block, the flow out of it and its own counter agree, as far as they are
 * known? Otherwise *ret_block is the first block where they do not.
 */
bool xprof_flow_is_consistent(const struct xprof *x, const struct xprof_proc *p,
			      const struct xprof_flow *flow, uint32_t *ret_block);

/* The counts of all blocks of @x, or XPROF_UNKNOWN; the caller frees the array. */
uint64_t *xprof_block_counts(const struct xprof *x);

#endif

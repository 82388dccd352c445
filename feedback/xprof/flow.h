/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow.h - how often each block and edge of a procedure ran, as far as its counters tell */
#ifndef FEEDBACK_XPROF_FLOW_H
#define FEEDBACK_XPROF_FLOW_H

#include "feedback/xprof/xprof.h"

#define XPROF_UNKNOWN	UINT64_MAX

/* Edges into and out of each block, as lists: first edge (index in the procedure), next edge. */
struct xprof_flow {
	uint64_t *blocks, *edges;	/* executions, or XPROF_UNKNOWN; block 1 is [0] */
	uint32_t *first_in, *first_out;	/* of a block; UINT32_MAX: none; in the order of edges */
	uint32_t *next_in, *next_out;	/* of an edge */
	uint32_t nr_blocks, nr_edges;
	uint32_t broken;		/* a block whose flow does not add up, or UINT32_MAX */
};

/*
 * Solve procedure @p [XP-21]: what no counter gives is the only one missing in a sum of what flows
 * into or out of a block. *ret is the caller's to free.
 */
void xprof_flow_solve(const struct xprof *x, const struct xprof_proc *p, struct xprof_flow *ret);
void xprof_flow_free(struct xprof_flow *flow);

/* What flows in and out of a block and its own counter are the same, where all are known. */
bool xprof_flow_holds(const struct xprof *x, const struct xprof_proc *p,
		      const struct xprof_flow *flow, uint32_t *ret_block);

/* Executions of every block of @x, as far as they are known; to be free()d. */
uint64_t *xprof_block_counts(const struct xprof *x);

#endif

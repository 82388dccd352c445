/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trans_chain.h - the chain that trans.c is in the middle of: a sample and its callers so far
 *
 * Bounded whatever the stream says: callers beyond OP_STACK_DEPTH_MAX are dropped, and the chain
 * is then a truncated one.
 */
#ifndef DAEMON_RECORD_TRANS_CHAIN_H
#define DAEMON_RECORD_TRANS_CHAIN_H

#include "daemon/record/trans.h"

struct trans_chain {
	bool begun;			/* the leaf was there */
	bool cut;			/* it had more callers than that */
	struct trans_state leaf;
	uint32_t counter;		/* of the leaf */
	size_t nr;			/* 0: of a sample in no known mode; kept nowhere */
	size_t nr_maps;
	struct trans_frame frames[OP_STACK_DEPTH_MAX + 1];
	struct anon_map maps[OP_STACK_DEPTH_MAX + 1];	/* that frames[] lie in */
};

void chain_begin(struct trans_chain *c, const struct trans_state *state, uint64_t pc,
		 uint32_t counter);
void chain_add(struct trans_chain *c, const struct trans_state *state, uint64_t pc);
/* What stack() is told of a chain whose end the stream called @end. */
unsigned int chain_end(const struct trans_chain *c, unsigned int end);

#endif

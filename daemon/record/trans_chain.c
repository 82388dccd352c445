// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trans_chain.c - the frames of one chain, gathered until its end
 */
#include "daemon/record/trans_chain.h"

/* Most chains of anonymous code stay in one mapping: it is kept once. */
static const struct anon_map *keep_map(struct trans_chain *c, const struct anon_map *map)
{
	const struct anon_map *last = c->nr_maps ? &c->maps[c->nr_maps - 1] : NULL;

	if (last && last->start == map->start && last->end == map->end)
		return last;
	c->maps[c->nr_maps] = *map;
	return &c->maps[c->nr_maps++];
}

static void add_frame(struct trans_chain *c, const struct trans_state *state, uint64_t pc)
{
	struct trans_frame *f = &c->frames[c->nr++];

	f->address = pc;
	f->kernel = state->mode == MODE_KERNEL;
	f->cookie = f->kernel ? OP_INVALID_COOKIE : state->cookie;
	f->anon = f->cookie == OP_NO_COOKIE ? keep_map(c, &state->anon) : NULL;
}

void chain_begin(struct trans_chain *c, const struct trans_state *state, uint64_t pc,
		 uint32_t counter)
{
	c->begun = true;
	c->cut = false;
	c->leaf = *state;
	c->counter = counter;
	c->nr = c->nr_maps = 0;
	if (state->mode != MODE_UNKNOWN)
		add_frame(c, state, pc);
}

void chain_add(struct trans_chain *c, const struct trans_state *state, uint64_t pc)
{
	if (!c->nr)
		return;
	if (c->nr <= OP_STACK_DEPTH_MAX)
		add_frame(c, state, pc);
	else
		c->cut = true;
}

unsigned int chain_end(const struct trans_chain *c, unsigned int end)
{
	if (!c->cut)
		return end;
	return (end & ~OP_STACK_END_MASK) | OP_STACK_TRUNCATED;
}

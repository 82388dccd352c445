// SPDX-License-Identifier: GPL-2.0-or-later
/* costs.c - sum samples by line and by call, in one walk over the tree of stacks */
#include "formats/callgrind/costs.h"

#include <stdlib.h>
#include <string.h>

#include "formats/profile/saturate.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"

static inline bool same_cost(const void *costs, uint32_t id, const void *key)
{
	const struct cost *a = &((const struct costs *)costs)->costs[id], *b = key;

	return a->function == b->function && a->line == b->line && a->callee == b->callee;
}

static uint32_t find_cost(struct costs *c, struct cost cost)
{
	uint64_t hash = hash_mix(hash_u64((uint64_t)cost.function << 32 | cost.callee), cost.line);
	uint32_t events = c->profile->nr_events;
	uint32_t id = hash_table_find(&c->table, hash, same_cost, c, &cost);

	if (id != HASH_NONE)
		return id;
	if (c->nr == c->room) {
		xgrow(c->costs, c->nr, c->room);
		c->values = xrealloc_array(c->values, c->room, events * sizeof(*c->values));
	}
	c->costs[c->nr] = cost;
	memset(&c->values[(size_t)c->nr * events], 0, events * sizeof(*c->values));
	hash_table_add(&c->table, hash, c->nr);
	return c->nr++;
}

/* The samples of a stack are the own cost of its innermost line. */
static uint32_t find_own_cost(struct costs *c, uint32_t node)
{
	struct shown_frame frame = { c->shown.unknown, 0 };

	if (node != PROFILE_NONE)
		frame = c->shown.frames[c->shown.first[c->profile->tree.nodes[node].key]];
	return find_cost(c, (struct cost){ frame.function, frame.line, PROFILE_NONE, 0 });
}

static void add_values(int64_t *sums, const int64_t *values, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		sums[i] = add_saturated(sums[i], values[i]);
}

static void add_own(struct costs *c)
{
	const struct profile *p = c->profile;
	size_t nr = p->nr_events;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t node = p->samples[i].node, cost = find_own_cost(c, node);

		add_values(&c->values[cost * nr], profile_values(p, i), nr);
		if (node != PROFILE_NONE)
			add_values(&c->inclusive[node * nr], profile_values(p, i), nr);
	}
	for (uint32_t i = p->tree.nr; i--; ) {
		uint32_t parent = p->tree.nodes[i].parent;

		if (parent != PROFILE_NONE)
			add_values(&c->inclusive[parent * nr], &c->inclusive[i * nr], nr);
	}
}

/* A recursive call is on the stack more than once; only the outermost one counts. */
static void enter_call(struct costs *c, uint32_t node, const struct shown_frame *caller,
		       const struct shown_frame *callee)
{
	struct cost cost = { caller->function, caller->line, callee->function, 0 };
	uint32_t at = find_cost(c, cost);
	size_t nr = c->profile->nr_events;

	if (!c->costs[at].nr_active++)
		add_values(&c->values[at * nr], &c->inclusive[node * nr], nr);
	xgrow(c->entered, c->nr_entered, c->room_entered);
	c->entered[c->nr_entered++] = at;
}

/* The parent's innermost function calls the node's outermost one, which calls the inlined ones. */
static void enter_node(struct costs *c, uint32_t node)
{
	const struct call_node *n = &c->profile->tree.nodes[node];
	const struct shown_frame *first = &c->shown.frames[c->shown.first[n->key]];
	uint32_t nr = c->shown.first[n->key + 1] - c->shown.first[n->key];

	if (n->parent != PROFILE_NONE)
		enter_call(c, node,
			   &c->shown.frames[c->shown.first[c->profile->tree.nodes[n->parent].key]],
			   &first[nr - 1]);
	for (uint32_t i = nr; i-- > 1; )
		enter_call(c, node, &first[i], &first[i - 1]);
}

/* The tree of nodes, from callers to callees. */
struct tree_walk {
	uint32_t root, *child, *sibling;
	size_t *entered_before;		/* for nodes on the current stack */
};

static void walk_begin(struct tree_walk *w, const struct profile *p)
{
	size_t nr = (size_t)p->tree.nr + 1;

	w->root = PROFILE_NONE;
	w->child = xcalloc(nr, sizeof(*w->child));
	w->sibling = xcalloc(nr, sizeof(*w->sibling));
	w->entered_before = xcalloc(nr, sizeof(*w->entered_before));
	memset(w->child, 0xff, nr * sizeof(*w->child));
	for (uint32_t i = p->tree.nr; i--; ) {
		uint32_t parent = p->tree.nodes[i].parent;
		uint32_t *list = parent == PROFILE_NONE ? &w->root : &w->child[parent];

		w->sibling[i] = *list;
		*list = i;
	}
}

/* Leave the node @at and its callers up to the first one with another callee, which is next. */
static uint32_t walk_next(struct tree_walk *w, struct costs *c, uint32_t at)
{
	for (;;) {
		uint32_t parent = c->profile->tree.nodes[at].parent;

		while (c->nr_entered > w->entered_before[at])
			c->costs[c->entered[--c->nr_entered]].nr_active--;
		if (w->sibling[at] != PROFILE_NONE || parent == PROFILE_NONE)
			return w->sibling[at];
		at = parent;
	}
}

/* Iterative: stacks may have 65536 frames. */
static void add_calls(struct costs *c)
{
	struct tree_walk w;

	walk_begin(&w, c->profile);
	for (uint32_t at = w.root; at != PROFILE_NONE; ) {
		w.entered_before[at] = c->nr_entered;
		enter_node(c, at);
		at = w.child[at] != PROFILE_NONE ? w.child[at] : walk_next(&w, c, at);
	}
	free(w.child);
	free(w.sibling);
	free(w.entered_before);
}

void costs_make(const struct profile *p, struct costs *ret)
{
	*ret = (struct costs){ .profile = p };
	shown_frames_make(p, &ret->shown);
	ret->inclusive = xcalloc((size_t)p->tree.nr + 1,
				 (p->nr_events + 1) * sizeof(*ret->inclusive));
	add_own(ret);
	add_calls(ret);
}

void costs_free(struct costs *c)
{
	shown_frames_free(&c->shown);
	hash_table_free(&c->table);
	free(c->costs);
	free(c->values);
	free(c->inclusive);
	free(c->entered);
	*c = (struct costs){ 0 };
}


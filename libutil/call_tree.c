/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call_tree.c - find nodes by hash, sum up, list children */
#include "libutil/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/count.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"

static uint32_t *slot_of(const struct call_tree *t, uint32_t parent, uint32_t key)
{
	size_t at = hash_u64((uint64_t)parent << 32 | key) & (t->nr_slots - 1);

	for (; t->slots[at]; at = (at + 1) & (t->nr_slots - 1)) {
		const struct call_node *n = &t->nodes[t->slots[at] - 1];

		if (n->parent == parent && n->key == key)
			break;
	}
	return &t->slots[at];
}

static void grow(struct call_tree *t)
{
	free(t->slots);
	t->nr_slots = t->nr_slots ? 2 * t->nr_slots : 4096;
	t->slots = xcalloc(t->nr_slots, sizeof(*t->slots));
	for (size_t i = 0; i < t->nr; i++)
		*slot_of(t, t->nodes[i].parent, t->nodes[i].key) = (uint32_t)i + 1;
}

uint32_t call_tree_node(struct call_tree *t, uint32_t parent, uint32_t key)
{
	uint32_t *slot;

	if (t->nr * 2 >= t->nr_slots)
		grow(t);
	slot = slot_of(t, parent, key);
	if (!*slot) {
		xgrow(t->nodes, t->nr, t->room);
		t->nodes[t->nr] = (struct call_node){ parent, key };
		*slot = (uint32_t)++t->nr;
	}
	return *slot - 1;
}

void call_tree_free(struct call_tree *t)
{
	free(t->nodes);
	free(t->slots);
	*t = (struct call_tree){ 0 };
}

void call_tree_sum(const struct call_tree *t, uint64_t *counts, size_t nr_counts,
		   uint64_t *totals)
{
	for (size_t i = t->nr; i-- > 0;) {
		uint32_t parent = t->nodes[i].parent;
		uint64_t *into = parent == CALL_NONE ? totals : &counts[parent * nr_counts];

		for (size_t c = 0; c < nr_counts; c++)
			count_add(&into[c], counts[i * nr_counts + c]);
	}
}

void call_children_make(const struct call_tree *t, struct call_children *ret)
{
	size_t bytes = t->nr * sizeof(uint32_t);

	*ret = (struct call_children){ CALL_NONE, xmalloc(bytes), xmalloc(bytes) };
	memset(ret->first, 0xff, bytes);
	for (size_t i = t->nr; i-- > 0;) {
		uint32_t parent = t->nodes[i].parent;
		uint32_t *first = parent == CALL_NONE ? &ret->root : &ret->first[parent];

		ret->next[i] = *first;
		*first = (uint32_t)i;
	}
}

void call_children_free(struct call_children *c)
{
	free(c->first);
	free(c->next);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call_tree.c - find nodes by hash, sum up, list children */
#include "libutil/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/count.h"
#include "libutil/hash.h"
#include "libutil/message.h"
#include "libutil/xalloc.h"

static bool is_node(const void *tree, uint32_t id, const void *key)
{
	const struct call_node *n = &((const struct call_tree *)tree)->nodes[id], *wanted = key;

	return n->parent == wanted->parent && n->key == wanted->key;
}

static uint32_t add_node(struct call_tree *t, struct call_node node)
{
	if (t->nr == CALL_NONE)
		bug("call tree with 2^32 nodes");
	xgrow(t->nodes, t->nr, t->room);
	t->nodes[t->nr] = node;
	return (uint32_t)t->nr++;
}

uint32_t call_tree_node(struct call_tree *t, uint32_t parent, uint32_t key)
{
	const struct call_node node = { parent, key };
	uint32_t behind = parent + 1, id;	/* of no parent: 0, the first root */
	uint64_t hash;

	if (behind == t->nr)
		return add_node(t, node);
	if (is_node(t, behind, &node))
		return behind;
	hash = hash_u64((uint64_t)parent << 32 | key);
	id = hash_table_find(&t->index, hash, is_node, t, &node);
	if (id == HASH_NONE) {
		id = add_node(t, node);
		hash_table_add(&t->index, hash, id);
	}
	return id;
}

void call_tree_finish(struct call_tree *t)
{
	hash_table_free(&t->index);
}

void call_tree_free(struct call_tree *t)
{
	call_tree_finish(t);
	free(t->nodes);
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

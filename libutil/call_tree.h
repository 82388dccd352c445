/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_tree.h - stacks in memory: a node is a key called from another node
 *
 * What a key is (a function, a place) is up to the user. Stacks that begin with the same callers
 * share nodes. A parent comes before its children, so one pass from the last node to the first
 * sums up. Running out of memory ends the program (xalloc.h).
 */
#ifndef LIBUTIL_CALL_TREE_H
#define LIBUTIL_CALL_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "libutil/table.h"

#define CALL_NONE	UINT32_MAX	/* no node */

struct call_node {
	uint32_t parent;	/* the caller's, or CALL_NONE: a root */
	uint32_t key;
};

struct call_tree {
	struct call_node *nodes;
	size_t nr, room;
	struct hash_table table;
};

/* The node of @key called from @parent, added if it is new. */
uint32_t call_tree_node(struct call_tree *t, uint32_t parent, uint32_t key);
void call_tree_free(struct call_tree *t);	/* and empty it */

/*
 * Add to each node's @nr_counts of @counts those of all nodes below it, and those of the roots to
 * @totals.
 */
void call_tree_sum(const struct call_tree *t, uint64_t *counts, size_t nr_counts,
		   uint64_t *totals);

/* Who is below whom, in the order of adding; nodes added later are not in it. */
struct call_children {
	uint32_t root;		/* the first root, or CALL_NONE */
	uint32_t *first;	/* child of each node, or CALL_NONE */
	uint32_t *next;		/* sibling of each node, or CALL_NONE */
};

void call_children_make(const struct call_tree *t, struct call_children *ret);
void call_children_free(struct call_children *c);

/* The first child of @parent, with CALL_NONE the first root. */
static inline uint32_t call_children_first(const struct call_children *c, uint32_t parent)
{
	return parent == CALL_NONE ? c->root : c->first[parent];
}

#endif

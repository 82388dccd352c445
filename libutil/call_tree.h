/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_tree.h - stacks in memory: a node is a key called from another node
 *
 * The user defines what a key is (a function, an address). Stacks that begin with the same callers
 * share nodes. Parents come before their children, so one pass from the last node to the first
 * sums up. Running out of memory ends the program (xalloc.h).
 */
#ifndef LIBUTIL_CALL_TREE_H
#define LIBUTIL_CALL_TREE_H

#include <stddef.h>
#include <stdint.h>
#include "libutil/table.h"

#define CALL_NONE	UINT32_MAX	/* no node */

struct call_node {
	uint32_t parent;	/* the caller's node; CALL_NONE: this is a root */
	uint32_t key;
};

struct call_tree {
	struct call_node *nodes;
	size_t nr, room;
	/*
	 * Of nodes that were not added right behind their caller, by parent and key. Most are,
	 * because a new stack is added from one node to the next.
	 */
	struct hash_table index;
};

/* The node of @key called from @parent, added if it is new. */
uint32_t call_tree_node(struct call_tree *t, uint32_t parent, uint32_t key);
void call_tree_free(struct call_tree *t);	/* leaves it empty and usable */
void call_tree_finish(struct call_tree *t);	/* free all but the nodes; none can be added */

/*
 * Each node has @nr_counts consecutive elements of @counts. Add to them those of all nodes below,
 * and add those of the roots to @totals.
 */
void call_tree_sum(const struct call_tree *t, uint64_t *counts, size_t nr_counts,
		   uint64_t *totals);

/* The children of each node, in the order in which they were added. */
struct call_children {
	uint32_t root;		/* the first root, or CALL_NONE */
	uint32_t *first;	/* child of each node, or CALL_NONE */
	uint32_t *next;		/* sibling of each node, or CALL_NONE */
};

/* Covers the nodes that @t has now. */
void call_children_make(const struct call_tree *t, struct call_children *ret);
void call_children_free(struct call_children *c);

/* The first child of @parent, or the first root if @parent is CALL_NONE. */
static inline uint32_t call_children_first(const struct call_children *c, uint32_t parent)
{
	return parent == CALL_NONE ? c->root : c->first[parent];
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callers.c - the tree from the outermost functions inwards
 *
 * Nodes of the stores that are the same function called from the same functions become one. Each
 * sample counts once on its way up, however often a function is on it: recursion makes the tree
 * deeper, not the numbers larger.
 */
#include "pp/report/stack/report.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"

#define NOWHERE	UINT32_MAX

struct tree_node {
	uint32_t parent, symbol;
	uint32_t first, next;		/* of its children; of its parent's */
};

struct tree {
	struct stack_report *report;
	double threshold;
	struct tree_node *nodes;	/* the first stands above all others */
	size_t nr, room;
	uint32_t *slots;		/* hash table: parent and symbol -> node */
	size_t nr_slots;
	uint64_t *self, *all;		/* per node and class */
};

static uint32_t *slot_of(const struct tree *t, uint32_t parent, uint32_t symbol)
{
	size_t at = hash_u64((uint64_t)parent << 32 | symbol) & (t->nr_slots - 1);

	for (; t->slots[at]; at = (at + 1) & (t->nr_slots - 1))
		if (t->nodes[t->slots[at]].parent == parent &&
		    t->nodes[t->slots[at]].symbol == symbol)
			break;
	return &t->slots[at];
}

static void grow_slots(struct tree *t)
{
	free(t->slots);
	t->nr_slots = t->nr_slots ? 2 * t->nr_slots : 4096;
	t->slots = xcalloc(t->nr_slots, sizeof(*t->slots));
	for (size_t i = 1; i < t->nr; i++)
		*slot_of(t, t->nodes[i].parent, t->nodes[i].symbol) = (uint32_t)i;
}

static uint32_t child(struct tree *t, uint32_t parent, uint32_t symbol)
{
	uint32_t *slot;

	if (t->nr * 2 >= t->nr_slots)
		grow_slots(t);
	slot = slot_of(t, parent, symbol);
	if (!*slot) {
		xgrow(t->nodes, t->nr, t->room);
		t->nodes[t->nr] = (struct tree_node){ parent, symbol, 0, t->nodes[parent].first };
		t->nodes[parent].first = (uint32_t)t->nr;
		*slot = (uint32_t)t->nr++;
	}
	return *slot;
}

/* Where each node of the stores is in the tree; malloc'd. */
static uint32_t *merge(struct tree *t, const struct stack_list *stacks)
{
	uint32_t *where = xcalloc(stacks->nr_nodes + 1, sizeof(*where));

	for (size_t i = 0; i < stacks->nr_nodes; i++) {
		const struct stack_list_node *n = &stacks->nodes[i];
		uint32_t parent = n->parent == STACK_NONE ? 0 : where[n->parent];

		if (n->symbol != STACK_NONE)
			where[i] = child(t, parent, n->symbol);
		else if (n->parent != STACK_NONE)
			where[i] = NOWHERE;	/* no stack asked for goes through it */
	}
	return where;
}

static void count(struct tree *t, const struct stack_list *stacks, const uint32_t *where)
{
	size_t nr_classes = t->report->nr_classes;

	t->self = xcalloc(t->nr * nr_classes, sizeof(*t->self));
	t->all = xcalloc(t->nr * nr_classes, sizeof(*t->all));
	for (size_t i = 0; i < stacks->nr; i++) {
		const struct counted_stack *c = &stacks->stacks[i];

		stack_add(&t->self[where[c->node] * nr_classes + c->class], c->count);
	}
	memcpy(t->all, t->self, t->nr * nr_classes * sizeof(*t->all));
	for (size_t i = t->nr; i-- > 1;)
		for (size_t c = 0; c < nr_classes; c++)
			stack_add(&t->all[t->nodes[i].parent * nr_classes + c],
				  t->all[i * nr_classes + c]);
}

static int compare(const void *a, const void *b, void *tree)
{
	const struct tree *t = tree;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return stack_compare(t->report, t->nodes[x].symbol, &t->all[x * t->report->nr_classes],
			     t->nodes[y].symbol, &t->all[y * t->report->nr_classes]);
}

/* The children of @node that are worth a line, in order; malloc'd. */
static uint32_t *children(struct tree *t, uint32_t node, size_t *ret_nr)
{
	uint32_t *list;
	size_t nr = 0;

	for (uint32_t i = t->nodes[node].first; i; i = t->nodes[i].next)
		nr++;
	list = xcalloc(nr + 1, sizeof(*list));
	nr = 0;
	for (uint32_t i = t->nodes[node].first; i; i = t->nodes[i].next)
		if (stack_is_above(t->report, &t->all[i * t->report->nr_classes], t->threshold))
			list[nr++] = i;
	qsort_r(list, nr, sizeof(*list), compare, t);
	*ret_nr = nr;
	return list;
}

/* As deep as stacks are: STACK_FRAMES_MAX and a line for how they ended. */
static void add_lines(struct tree *t, uint32_t node, uint32_t depth)
{
	size_t nr, bytes = t->report->nr_classes * sizeof(uint64_t);
	uint32_t *list = children(t, node, &nr);

	for (size_t i = 0; i < nr; i++) {
		size_t at = list[i] * t->report->nr_classes;
		uint64_t *counts = stack_line_add(t->report, depth, t->nodes[list[i]].symbol);

		memcpy(counts, &t->all[at], bytes);
		memcpy(counts + t->report->nr_classes, &t->self[at], bytes);
		add_lines(t, list[i], depth + 1);
	}
	free(list);
}

void stack_callers_make(struct stack_report *r, struct stack_list *stacks, double threshold)
{
	struct tree t = { .report = r, .threshold = threshold };
	uint32_t *where;

	xgrow(t.nodes, t.nr, t.room);
	t.nodes[t.nr++] = (struct tree_node){ NOWHERE, STACK_NONE, 0, 0 };
	where = merge(&t, stacks);
	count(&t, stacks, where);
	add_lines(&t, 0, 0);
	free(where);
	free(t.nodes);
	free(t.slots);
	free(t.self);
	free(t.all);
}

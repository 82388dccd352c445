// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callers.c - the tree from the outermost functions inwards
 *
 * Nodes of the stores that are the same function called from the same functions become one. Each
 * sample counts once on its way up, however often a function occurs in its stack: recursion makes
 * the tree deeper, not the numbers larger.
 */
#include "pp/report/stack/lines.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/count.h"
#include "libutil/xalloc.h"

struct walk {
	struct stack_report *report;
	struct call_tree tree;
	struct call_children children;
	double threshold;
	uint64_t *self, *all;		/* per node and class */
};

/* The tree's node for each node of the stores; malloc'd. */
static uint32_t *merge(struct call_tree *tree, const struct stack_list *stacks)
{
	uint32_t *merged = xcalloc(stacks->nr_nodes + 1, sizeof(*merged));

	for (size_t i = 0; i < stacks->nr_nodes; i++) {
		const struct call_node *n = &stacks->nodes[i];

		merged[i] = call_tree_node(
			tree, n->parent == CALL_NONE ? CALL_NONE : merged[n->parent], n->key);
	}
	return merged;
}

static void sum_up(struct walk *w, const struct stack_list *stacks, const uint32_t *merged)
{
	size_t nr_classes = w->report->nr_classes, nr = w->tree.nr * nr_classes;
	uint64_t *totals = xcalloc(nr_classes + 1, sizeof(*totals));

	w->self = xcalloc(nr + 1, sizeof(*w->self));
	w->all = xcalloc(nr + 1, sizeof(*w->all));
	for (size_t i = 0; i < stacks->nr; i++) {
		const struct counted_stack *c = &stacks->stacks[i];

		count_add(&w->self[merged[c->node] * nr_classes + c->class], c->count);
	}
	memcpy(w->all, w->self, nr * sizeof(*w->all));
	call_tree_sum(&w->tree, w->all, nr_classes, totals);
	free(totals);
}

static int compare(const void *a, const void *b, void *walk)
{
	const struct walk *w = walk;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return stack_compare(w->report, w->tree.nodes[x].key, &w->all[x * w->report->nr_classes],
			     w->tree.nodes[y].key, &w->all[y * w->report->nr_classes]);
}

/* The children of @node that get a line, in order; malloc'd. */
static uint32_t *list_children(struct walk *w, uint32_t node, size_t *ret_nr)
{
	uint32_t first = call_children_first(&w->children, node), *list;
	size_t nr = 0;

	for (uint32_t i = first; i != CALL_NONE; i = w->children.next[i])
		nr++;
	list = xcalloc(nr + 1, sizeof(*list));
	nr = 0;
	for (uint32_t i = first; i != CALL_NONE; i = w->children.next[i])
		if (stack_is_above(w->report, &w->all[i * w->report->nr_classes], w->threshold))
			list[nr++] = i;
	qsort_r(list, nr, sizeof(*list), compare, w);
	*ret_nr = nr;
	return list;
}

/* Recursion is as deep as stacks are: STACK_LIST_DEPTH. */
static void add_lines(struct walk *w, uint32_t node, uint32_t depth)
{
	size_t nr, nr_classes = w->report->nr_classes, bytes = nr_classes * sizeof(uint64_t);
	uint32_t *list = list_children(w, node, &nr);

	for (size_t i = 0; i < nr; i++) {
		size_t at = list[i] * nr_classes;
		uint64_t *counts = stack_line_add(w->report, depth, w->tree.nodes[list[i]].key);

		memcpy(counts, &w->all[at], bytes);
		memcpy(counts + nr_classes, &w->self[at], bytes);
		add_lines(w, list[i], depth + 1);
	}
	free(list);
}

void stack_callers_make(struct stack_report *r, const struct stack_list *stacks, double threshold)
{
	struct walk w = { .report = r, .threshold = threshold };
	uint32_t *merged = merge(&w.tree, stacks);

	sum_up(&w, stacks, merged);
	free(merged);
	call_children_make(&w.tree, &w.children);
	add_lines(&w, CALL_NONE, 0);
	call_children_free(&w.children);
	call_tree_free(&w.tree);
	free(w.self);
	free(w.all);
}

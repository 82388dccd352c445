// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callers.c - the tree from the outermost functions inwards
 *
 * Nodes of the stores that are the same function called from the same functions become one. Each
 * sample counts once on its way up, however often a function occurs in its stack: recursion makes
 * the tree deeper, not the numbers larger.
 *
 * The merged tree is never made: the callees of a line's nodes are sorted by function, which makes
 * its children, and only children that get a line are looked below. So no node is searched for, and
 * a report with a threshold visits few of them.
 */
#include "pp/report/stack/lines.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/count.h"
#include "libutil/xalloc.h"

struct part {
	uint32_t symbol;	/* the node's */
	uint32_t node;
};

/* The nodes of one line: consecutive parts. */
struct group {
	size_t start, nr;
	uint32_t symbol;
	size_t counts;		/* index: all samples, per class */
};

struct walk {
	struct stack_report *report;
	struct call_tree tree;		/* the list's nodes */
	struct call_children children;
	double threshold;
	uint64_t *all;			/* per node and class */
	/* of the lines from the outermost one to that being made */
	struct part *parts;
	struct group *groups;
	uint64_t *counts;
	size_t nr_parts, parts_room, nr_groups, groups_room, nr_counts, counts_room;
};

static void sum_up(struct walk *w, const struct stack_list *stacks)
{
	size_t nr_classes = w->report->nr_classes;
	uint64_t *totals = xcalloc(nr_classes + 1, sizeof(*totals));

	w->all = xcalloc(stacks->nr_nodes * nr_classes + 1, sizeof(*w->all));
	for (size_t i = 0; i < stacks->nr; i++) {
		const struct counted_stack *c = &stacks->stacks[i];

		count_add(&w->all[c->node * nr_classes + c->class], c->count);
	}
	call_tree_sum(&w->tree, w->all, nr_classes, totals);
	free(totals);
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->symbol != y->symbol)
		return x->symbol < y->symbol ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Append the children of @node, with CALL_NONE the roots. */
static void add_children(struct walk *w, uint32_t node)
{
	for (uint32_t i = call_children_first(&w->children, node); i != CALL_NONE;
	     i = w->children.next[i]) {
		xgrow(w->parts, w->nr_parts, w->parts_room);
		w->parts[w->nr_parts++] = (struct part){ w->tree.nodes[i].key, i };
	}
}

static void add_group(struct walk *w, size_t part)
{
	size_t nr_classes = w->report->nr_classes;

	xgrow(w->groups, w->nr_groups, w->groups_room);
	w->groups[w->nr_groups++] = (struct group){ part, 0, w->parts[part].symbol,
						    w->nr_counts };
	if (w->counts_room - w->nr_counts < nr_classes) {
		w->counts_room = 2 * w->counts_room + nr_classes;
		w->counts = xrealloc_array(w->counts, w->counts_room, sizeof(*w->counts));
	}
	memset(w->counts + w->nr_counts, 0, nr_classes * sizeof(*w->counts));
	w->nr_counts += nr_classes;
}

/* Groups of the parts from @first on. */
static void make_groups(struct walk *w, size_t first)
{
	size_t nr_classes = w->report->nr_classes;

	if (w->nr_parts - first > 1)
		qsort(w->parts + first, w->nr_parts - first, sizeof(*w->parts), compare_parts);
	for (size_t i = first; i < w->nr_parts; i++) {
		const uint64_t *all = &w->all[w->parts[i].node * nr_classes];
		struct group *g;

		if (i == first || w->parts[i].symbol != w->parts[i - 1].symbol)
			add_group(w, i);
		g = &w->groups[w->nr_groups - 1];
		g->nr++;
		for (size_t c = 0; c < nr_classes; c++)
			count_add(&w->counts[g->counts + c], all[c]);
	}
}

/* Samples of a line that no group from @first on has are its own. */
static void set_self(struct walk *w, size_t line, size_t first)
{
	size_t nr_classes = w->report->nr_classes;
	uint64_t *all = w->report->counts + w->report->lines[line].counts;

	for (size_t c = 0; c < nr_classes; c++) {
		uint64_t below = 0;

		for (size_t i = first; i < w->nr_groups; i++)
			count_add(&below, w->counts[w->groups[i].counts + c]);
		all[nr_classes + c] = all[c] - below;
	}
}

static int compare(const void *a, const void *b, void *walk)
{
	const struct walk *w = walk;
	const struct group *x = a, *y = b;

	return stack_compare(w->report, x->symbol, w->counts + x->counts,
			     y->symbol, w->counts + y->counts);
}

/* Keep the groups from @first on that get a line, in order. */
static void choose_groups(struct walk *w, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < w->nr_groups; i++)
		if (stack_is_above(w->report, w->counts + w->groups[i].counts, w->threshold))
			w->groups[kept++] = w->groups[i];
	w->nr_groups = kept;
	if (kept - first > 1)
		qsort_r(w->groups + first, kept - first, sizeof(*w->groups), compare, w);
}

static void add_lines(struct walk *w, size_t first, uint32_t depth);

/* The line of @g, and those below it. */
static void add_line(struct walk *w, struct group g, uint32_t depth)
{
	size_t nr_parts = w->nr_parts, nr_groups = w->nr_groups, nr_counts = w->nr_counts;
	size_t line = w->report->nr_lines;

	memcpy(stack_line_add(w->report, depth, g.symbol), w->counts + g.counts,
	       w->report->nr_classes * sizeof(*w->counts));
	for (size_t i = 0; i < g.nr; i++)
		add_children(w, w->parts[g.start + i].node);
	make_groups(w, nr_parts);
	set_self(w, line, nr_groups);
	add_lines(w, nr_groups, depth + 1);
	w->nr_parts = nr_parts;
	w->nr_groups = nr_groups;
	w->nr_counts = nr_counts;
}

/* Recursion is as deep as stacks are: STACK_LIST_DEPTH. */
static void add_lines(struct walk *w, size_t first, uint32_t depth)
{
	size_t end;

	choose_groups(w, first);
	end = w->nr_groups;
	for (size_t i = first; i < end; i++)
		add_line(w, w->groups[i], depth);
}

void stack_callers_make(struct stack_report *r, const struct stack_list *stacks, double threshold)
{
	struct walk w = {
		.report = r,
		.tree = { .nodes = stacks->nodes, .nr = stacks->nr_nodes },
		.threshold = threshold,
	};

	sum_up(&w, stacks);
	call_children_make(&w.tree, &w.children);
	add_children(&w, CALL_NONE);
	make_groups(&w, 0);
	add_lines(&w, 0, 0);
	call_children_free(&w.children);
	free(w.all);
	free(w.parts);
	free(w.groups);
	free(w.counts);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callees.c - the tree from the functions that ran outwards to their callers
 *
 * Stacks in this order share no beginnings, so the whole tree would be as large as all stacks
 * together. It is never made: the stacks are sorted by function, those of a function with enough
 * samples are moved on to their callers, sorted by these, and so on. On the way up stacks reach
 * the same node and become one.
 */
#include "pp/report/stack/lines.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/count.h"
#include "libutil/xalloc.h"

/* Stacks that are equal up to @node. */
struct part {
	uint32_t symbol;	/* the node's */
	uint32_t node;
	uint32_t class;
	uint64_t count;
};

/* The parts of one symbol. */
struct group {
	size_t start, nr;
	uint32_t symbol;
	uint64_t *counts;	/* per class */
};

struct walk {
	struct stack_report *report;
	const struct call_node *nodes;
	double threshold;
};

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->symbol != y->symbol)
		return x->symbol < y->symbol ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->class < y->class ? -1 : x->class > y->class;
}

/* Sort and join equal parts. Returns how many are left. */
static size_t sort_parts(struct part *parts, size_t nr)
{
	size_t kept = 0;

	qsort(parts, nr, sizeof(*parts), compare_parts);
	for (size_t i = 0; i < nr; i++) {
		if (kept && !compare_parts(&parts[kept - 1], &parts[i]))
			count_add(&parts[kept - 1].count, parts[i].count);
		else
			parts[kept++] = parts[i];
	}
	return kept;
}

static int compare_groups(const void *a, const void *b, void *report)
{
	const struct group *x = a, *y = b;

	return stack_compare(report, x->symbol, x->counts, y->symbol, y->counts);
}

/* The groups that get a line, in order; *ret_counts is their storage. Both are malloc'd. */
static struct group *make_groups(const struct walk *w, const struct part *parts, size_t nr,
				 size_t *ret_nr, uint64_t **ret_counts)
{
	size_t nr_groups = 0, nr_classes = w->report->nr_classes, kept = 0;
	struct group *groups;
	uint64_t *counts;

	for (size_t i = 0; i < nr; i++)
		nr_groups += !i || parts[i].symbol != parts[i - 1].symbol;
	groups = xcalloc(nr_groups + 1, sizeof(*groups));
	counts = xcalloc(nr_groups * nr_classes + 1, sizeof(*counts));
	nr_groups = 0;
	for (size_t i = 0; i < nr; i++) {
		if (!i || parts[i].symbol != parts[i - 1].symbol) {
			groups[nr_groups] = (struct group){
				i, 0, parts[i].symbol, &counts[nr_groups * nr_classes] };
			nr_groups++;
		}
		groups[nr_groups - 1].nr++;
		count_add(&groups[nr_groups - 1].counts[parts[i].class], parts[i].count);
	}
	for (size_t i = 0; i < nr_groups; i++)
		if (stack_is_above(w->report, groups[i].counts, w->threshold))
			groups[kept++] = groups[i];
	qsort_r(groups, kept, sizeof(*groups), compare_groups, w->report);
	*ret_nr = kept;
	*ret_counts = counts;
	return groups;
}

/* Move parts on to their callers; drop those without. Returns how many are left. */
static size_t move_on(const struct walk *w, struct part *parts, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		uint32_t node = w->nodes[parts[i].node].parent;

		if (node == CALL_NONE)
			continue;
		parts[kept] = parts[i];
		parts[kept].node = node;
		parts[kept++].symbol = w->nodes[node].key;
	}
	return kept;
}

/* Recursion is as deep as stacks are: STACK_LIST_DEPTH. */
static void add_lines(const struct walk *w, struct part *parts, size_t nr, uint32_t depth)
{
	size_t nr_groups;
	struct group *groups;
	uint64_t *counts;

	nr = sort_parts(parts, nr);
	groups = make_groups(w, parts, nr, &nr_groups, &counts);
	for (size_t i = 0; i < nr_groups; i++) {
		const struct group *g = &groups[i];

		memcpy(stack_line_add(w->report, depth, g->symbol), g->counts,
		       w->report->nr_classes * sizeof(uint64_t));
		add_lines(w, parts + g->start, move_on(w, parts + g->start, g->nr), depth + 1);
	}
	free(groups);
	free(counts);
}

void stack_callees_make(struct stack_report *r, const struct stack_list *stacks, double threshold)
{
	struct walk w = { r, stacks->nodes, threshold };
	struct part *parts = xcalloc(stacks->nr + 1, sizeof(*parts));

	for (size_t i = 0; i < stacks->nr; i++) {
		const struct counted_stack *c = &stacks->stacks[i];

		parts[i] = (struct part){ stacks->nodes[c->node].key, c->node, c->class,
					  c->count };
	}
	add_lines(&w, parts, stacks->nr, 0);
	free(parts);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* callgraph.c - read arcs, add them up by their two ends, attach them to the nodes */
#include "pp/report/callgraph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/print_line.h"
#include "libutil/xalloc.h"
#include "pp/report/arc_files.h"
#include "pp/report/merge_boots.h"

/* Sorts arcs with the same ends next to each other. */
static int compare_ends(const void *a, const void *b)
{
	const struct raw_arc *x = a, *y = b;

	if (x->caller->serial != y->caller->serial)
		return x->caller->serial < y->caller->serial ? -1 : 1;
	if (x->callee->serial != y->callee->serial)
		return x->callee->serial < y->callee->serial ? -1 : 1;
	return 0;
}

static bool has_same_ends(const struct raw_arc *a, const struct raw_arc *b)
{
	return a->caller == b->caller && a->callee == b->callee;
}

static size_t count_pairs(const struct arc_list *list)
{
	size_t nr = 0;

	for (size_t i = 0; i < list->nr; i++)
		nr += !i || !has_same_ends(&list->arcs[i], &list->arcs[i - 1]);
	return nr;
}

static int compare_names(const struct graph_arc *a, const struct graph_arc *b)
{
	const struct symbol_row *x = a->row, *y = b->row;
	int order = strcmp(x->shown, y->shown);

	return order ? order : x->serial < y->serial ? -1 : x->serial > y->serial;
}

static int compare_callers(const void *a, const void *b)
{
	const struct graph_arc *x = a, *y = b;

	if (x->counts[0] != y->counts[0])
		return x->counts[0] < y->counts[0] ? -1 : 1;
	return compare_names(x, y);
}

static int compare_callees(const void *a, const void *b)
{
	const struct graph_arc *x = a, *y = b;

	if (x->counts[0] != y->counts[0])
		return x->counts[0] > y->counts[0] ? -1 : 1;
	return compare_names(x, y);
}

static void add_counts(uint64_t *totals, const uint64_t *counts, size_t nr_classes)
{
	for (size_t c = 0; c < nr_classes; c++)
		totals[c] += counts[c];
}

/* Count the arcs on both sides of each node, so that each gets its part of the storage. */
static void count_arcs(struct callgraph *graph, const struct arc_list *list)
{
	for (size_t i = 0; i < graph->nr; i++)
		graph->nodes[i].nr_callees = 1;		/* self */
	for (size_t i = 0; i < list->nr; i++) {
		if (i && has_same_ends(&list->arcs[i], &list->arcs[i - 1]))
			continue;
		list->arcs[i].caller->node->nr_callees++;
		list->arcs[i].callee->node->nr_callers++;
	}
}

/* @counts has nr_classes for each arc, and twice that for each node. */
static void place_arcs(struct callgraph *graph, size_t nr_classes, uint64_t **counts)
{
	struct graph_arc *arcs = graph->arcs;

	for (size_t i = 0; i < graph->nr; i++) {
		struct graph_node *node = &graph->nodes[i];

		node->callers = arcs;
		node->callees = arcs + node->nr_callers;
		arcs += node->nr_callers + node->nr_callees;
		node->caller_totals = *counts;
		node->callee_totals = *counts + nr_classes;
		*counts += 2 * nr_classes;
		node->callees[0] = (struct graph_arc){ node->row, true, node->row->counts };
		add_counts(node->callee_totals, node->row->counts, nr_classes);
		node->nr_callers = 0;
		node->nr_callees = 1;
	}
}

static void attach_arcs(const struct arc_list *list, size_t nr_classes, uint64_t *counts)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct raw_arc *raw = &list->arcs[i];
		struct graph_node *caller = raw->caller->node, *callee = raw->callee->node;

		if (!i || !has_same_ends(raw, raw - 1)) {
			callee->callers[callee->nr_callers++] =
				(struct graph_arc){ caller->row, false, counts };
			caller->callees[caller->nr_callees++] =
				(struct graph_arc){ callee->row, false, counts };
			counts += nr_classes;
		}
		(counts - nr_classes)[raw->class] += raw->count;
		callee->caller_totals[raw->class] += raw->count;
		caller->callee_totals[raw->class] += raw->count;
	}
}

static void sort_arcs(struct callgraph *graph)
{
	for (size_t i = 0; i < graph->nr; i++) {
		struct graph_node *node = &graph->nodes[i];

		qsort(node->callers, node->nr_callers, sizeof(*node->callers), compare_callers);
		qsort(node->callees, node->nr_callees, sizeof(*node->callees), compare_callees);
	}
}

void callgraph_make(const struct arrangement *a, struct population *population,
		    const struct populate_options *options, struct finder *finder,
		    struct row_list *rows, struct callgraph *ret, struct notices *notices)
{
	struct callgraph graph = { 0 };
	struct arc_list list = { 0 };
	uint64_t *counts;
	size_t nr_pairs;

	arc_files_read(a, population, options, finder, rows, &list, notices);
	merge_boots(rows, list.arcs, list.nr);
	if (list.nr)
		qsort(list.arcs, list.nr, sizeof(*list.arcs), compare_ends);
	nr_pairs = count_pairs(&list);
	graph.has_calls = list.has_calls;
	graph.nr = rows->nr;
	graph.nodes = xcalloc(rows->nr + 1, sizeof(*graph.nodes));
	for (size_t i = 0; i < rows->nr; i++) {
		graph.nodes[i].row = rows->rows[i];
		rows->rows[i]->node = &graph.nodes[i];
	}
	graph.arcs = xcalloc(2 * nr_pairs + graph.nr + 1, sizeof(*graph.arcs));
	graph.counts = xcalloc((nr_pairs + 2 * graph.nr + 1) * rows->nr_classes,
			       sizeof(*graph.counts));
	counts = graph.counts;
	count_arcs(&graph, &list);
	place_arcs(&graph, rows->nr_classes, &counts);
	attach_arcs(&list, rows->nr_classes, counts);
	sort_arcs(&graph);
	free(list.arcs);
	*ret = graph;
}

void callgraph_follow(struct callgraph *graph, const struct row_list *rows)
{
	struct graph_node *nodes = xcalloc(rows->nr + 1, sizeof(*nodes));

	for (size_t i = 0; i < rows->nr; i++)
		nodes[i] = *rows->rows[i]->node;
	free(graph->nodes);
	graph->nodes = nodes;
	graph->nr = rows->nr;
	for (size_t i = 0; i < rows->nr; i++)
		rows->rows[i]->node = &nodes[i];
}

static bool is_above(const struct graph_arc *arc, const uint64_t *totals, size_t nr_classes,
		     double percent)
{
	for (size_t c = 0; c < nr_classes; c++)
		if (totals[c] && 100.0 * arc->counts[c] / totals[c] >= percent)
			return true;
	return percent <= 0;
}

/* Returns how many of the arcs are left; they stay in order. */
static size_t drop_arcs(struct graph_arc *arcs, size_t nr, const uint64_t *totals,
			size_t nr_classes, double percent)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (is_above(&arcs[i], totals, nr_classes, percent))
			arcs[kept++] = arcs[i];
	return kept;
}

void callgraph_total(const struct populate_options *options, struct row_list *rows)
{
	for (size_t i = 0; i < rows->nr; i++)
		for (size_t c = 0; c < rows->nr_classes; c++)
			if (!row_is_wanted(options, rows->rows[i]))
				rows->totals[c] -= rows->rows[i]->counts[c];
}

void callgraph_filter(struct callgraph *graph, const struct row_list *rows,
		      const struct populate_options *options, double percent,
		      bool first_class_only)
{
	size_t arc_classes = options->compat ? 1 : rows->nr_classes, kept = 0;

	for (size_t i = 0; i < graph->nr; i++) {
		struct graph_node *node = &graph->nodes[i];

		if (!row_is_wanted(options, node->row) ||
		    !row_is_above(rows, node->row, percent, first_class_only)) {
			node->row->node = NULL;
			continue;
		}
		node->nr_callers = drop_arcs(node->callers, node->nr_callers, node->caller_totals,
					     arc_classes, percent);
		node->nr_callees = drop_arcs(node->callees, node->nr_callees, node->callee_totals,
					     arc_classes, percent);
		graph->nodes[kept] = *node;
		graph->nodes[kept].row->node = &graph->nodes[kept];
		kept++;
	}
	graph->nr = kept;
}

void callgraph_free(struct callgraph *graph)
{
	free(graph->nodes);
	free(graph->arcs);
	free(graph->counts);
	*graph = (struct callgraph){ 0 };
}

void callgraph_print(const struct callgraph *graph, const struct row_list *rows, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < graph->nr; i++) {
		const struct graph_node *node = &graph->nodes[i];

		for (size_t j = 0; j < node->nr_callees; j++) {
			if (node->callees[j].is_self)
				continue;
			strbuf_addf(&line, "call %s -> %s:", node->row->name,
				    node->callees[j].row->name);
			for (size_t c = 0; c < rows->nr_classes; c++)
				strbuf_addf(&line, " %" PRIu64, node->callees[j].counts[c]);
			print_line(&line, out);
		}
	}
	strbuf_free(&line);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callgraph.h - who called whom: arcs between the rows of a report
 *
 * A call-graph sample file counts arcs from a caller's image to a callee's. Both ends become rows;
 * functions that occur only as callers have 0 samples of their own. Rules: doc/pp-spec.md
 * [CG-1]..[CG-6].
 */
#ifndef PP_REPORT_CALLGRAPH_H
#define PP_REPORT_CALLGRAPH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "pp/report/populate.h"

struct graph_arc {
	const struct symbol_row *row;	/* the other end */
	bool is_self;			/* the function's own samples, among its callees */
	uint64_t *counts;		/* per class */
};

struct graph_node {
	struct symbol_row *row;
	struct graph_arc *callers, *callees;	/* by samples: ascending, descending */
	size_t nr_callers, nr_callees;
	uint64_t *caller_totals, *callee_totals;	/* per class, the latter with self */
};

struct callgraph {
	struct graph_node *nodes;	/* one for each row, in the rows' order */
	size_t nr;
	uint64_t *counts;		/* storage */
	struct graph_arc *arcs;		/* storage */
	bool has_calls;			/* not only of inlined functions */
};

/*
 * Read the call-graph files of @a; new rows are added to @rows. @population made @rows and has kept
 * its binaries open.
 */
void callgraph_make(const struct arrangement *a, struct population *population,
		    const struct populate_options *options, struct finder *finder,
		    struct row_list *rows, struct callgraph *ret, struct notices *notices);

/* Subtract rows that the options exclude from the totals of @rows. */
void callgraph_total(const struct populate_options *options, struct row_list *rows);

/* Put the nodes into the order of @rows. */
void callgraph_follow(struct callgraph *graph, const struct row_list *rows);

/*
 * Drop functions that the options exclude or that are below @percent (@first_class_only: in the
 * first class), and arcs below @percent of their function's.
 */
void callgraph_filter(struct callgraph *graph, const struct row_list *rows,
		      const struct populate_options *options, double percent,
		      bool first_class_only);

void callgraph_free(struct callgraph *graph);
void callgraph_print(const struct callgraph *graph, const struct row_list *rows, FILE *out);

#endif

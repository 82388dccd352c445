/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - whole call stacks as a tree of functions: opreport --stacks
 *
 *	stack stores -> stacks (stacks.c) -> lines (callers.c, callees.c)
 *
 * then the formatters. Rules: doc/pp-spec.md [CT-1]..[CT-9].
 */
#ifndef PP_REPORT_STACK_REPORT_H
#define PP_REPORT_STACK_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "libdb/stack/store.h"
#include "pp/binary/debug_server.h"
#include "pp/report/merge_pass.h"
#include "pp/select/collect.h"

#define STACKS_THRESHOLD 0.5	/* percent: what is shown unless --threshold says otherwise */

enum stacks_order {
	STACKS_NONE,
	STACKS_CALLERS,		/* from the outermost functions inwards */
	STACKS_CALLEES,		/* from the functions that ran outwards */
	STACKS_FOLDED,		/* one line for each stack, callers first */
};

/* A function; or, with @image NULL, that stacks ended before they were whole. */
struct stack_symbol {
	const char *name;
	const struct report_image *image;
};

/* Of the samples that a report is about. */
struct stack_quality {
	uint64_t samples;
	uint64_t ends[NR_STACK_ENDS];
	uint64_t guessed;	/* of these, with frames by frame pointer for want of a table */
	uint64_t lost;		/* of the sessions: their stacks could not be kept */
};

/* A tree, in the order in which it is printed: what is below a line follows it, one deeper. */
struct stack_line {
	uint32_t depth;
	uint32_t symbol;	/* index */
	size_t counts;		/* index: with all below, then (callers first) without it */
};

struct stack_report {
	enum stacks_order order;
	size_t nr_classes;
	struct stack_symbol *symbols;
	size_t nr_symbols, symbols_room;
	struct stack_line *lines;
	size_t nr_lines, lines_room;
	uint64_t *counts;
	size_t nr_counts, counts_room;
	struct stack_quality quality;
	struct row_list rows;		/* symbols' names lie in it; its totals are the report's */
};

struct stacks_options {
	enum stacks_order order;
	const struct profile_spec *spec;
	const struct populate_options *populate;
	debug_server_progress fetch_progress;	/* or NULL */
	bool exclude_dependent;
	double threshold;		/* percent of all samples of a class */
};

/*
 * Make the tree of the sessions of @c. -ENOENT: they have no stacks, or none that were asked for;
 * -EPROTO: none of their stores can be read. @e says so. What is left out is told in @notices.
 */
int stacks_make(struct collection *c, const struct stacks_options *options,
		struct stack_report *ret, struct notices *notices, struct op_error *e);
void stacks_free(struct stack_report *report);

struct stack_list;

/* The same without lines: symbols, totals and quality, and the stacks themselves in *ret_stacks. */
int stacks_read(struct collection *c, const struct stacks_options *options,
		struct stack_report *ret, struct stack_list *ret_stacks, struct notices *notices,
		struct op_error *e);

/* --- between the files that make it, and for who makes something else of stacks --- */

struct stack_list_node {
	uint32_t parent;	/* before it, or STACK_NONE */
	uint32_t symbol;	/* or STACK_NONE: nothing is shown */
};

/* On whose behalf stacks were taken; the same may be there more than once. */
struct stack_list_context {
	const struct report_image *app;	/* or NULL: applications are not kept apart */
	const char *cgroup;		/* "": nor control groups; lies in the report's rows */
};

struct counted_stack {
	uint32_t node;		/* its innermost */
	uint32_t class;
	uint32_t context;
	uint64_t count;
};

struct stack_list {
	struct stack_list_node *nodes;
	size_t nr_nodes, nodes_room;
	struct counted_stack *stacks;
	size_t nr, room;
	struct stack_list_context *contexts;
	size_t nr_contexts, contexts_room;
};

void stack_list_free(struct stack_list *stacks);

/* Fill in symbols, totals and quality of @r. Errors as stacks_make(). */
int stack_list_read(struct collection *c, const struct stacks_options *options,
		      struct stack_report *r, struct stack_list *ret, struct notices *notices,
		      struct op_error *e);

/* Make the lines; @stacks is spoilt. */
void stack_callers_make(struct stack_report *r, struct stack_list *stacks, double threshold);
void stack_callees_make(struct stack_report *r, struct stack_list *stacks, double threshold);

/* A line more, with counts of 0, which are returned: valid until the next one. */
uint64_t *stack_line_add(struct stack_report *r, uint32_t depth, uint32_t symbol);

/* Is that share of the totals worth a line? */
bool stack_is_above(const struct stack_report *r, const uint64_t *counts, double threshold);

/* By samples of the first class, then by name: which of two functions comes first. */
int stack_compare(const struct stack_report *r, uint32_t symbol_a, const uint64_t *counts_a,
		  uint32_t symbol_b, const uint64_t *counts_b);

static inline void stack_add(uint64_t *sum, uint64_t n)
{
	*sum = *sum + n < n ? UINT64_MAX : *sum + n;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.h - the stacks of the sessions that a report is about, with functions for frames */
#ifndef PP_REPORT_STACK_LIST_H
#define PP_REPORT_STACK_LIST_H

#include <stddef.h>
#include <stdint.h>
#include "libutil/call_tree.h"
#include "libutil/error.h"
#include "pp/select/collect.h"

struct stack_report;
struct stacks_options;

/* On whose behalf stacks were taken; equal ones may occur more than once. */
struct stack_list_context {
	const struct report_image *app;	/* or NULL: applications are not separate */
	const char *cgroup;		/* "": not separate; owned by the report's rows */
};

struct counted_stack {
	uint32_t node;		/* the innermost one */
	uint32_t class;
	uint32_t context;
	uint32_t origin;	/* which of the counts of all snapshots, one after the other */
	uint64_t count;
};

/* Nodes of a stack at most: its frames, how it ended, and what is inlined into the frames. */
#define STACK_LIST_DEPTH	4096

/*
 * Nodes are those of the stores that selected stacks go through, with symbols of the report as
 * keys, one for the missing frames of stacks whose outermost ones are known, and one more for each
 * function that is inlined. Siblings may have equal keys: merging them takes as long as reading the
 * stacks, so only reports that need it do so.
 */
struct stack_list {
	struct call_node *nodes;	/* parents come before their children */
	size_t nr_nodes, nodes_room;
	struct counted_stack *stacks;
	size_t nr, room;
	struct stack_list_context *contexts;
	size_t nr_contexts, contexts_room;
};

/* Fill in @ret, and symbols, totals and quality of @r. Errors as stacks_make(). */
int stack_list_read(struct collection *c, const struct stacks_options *options,
		    struct stack_report *r, struct stack_list *ret, struct notices *notices,
		    struct op_error *e);
void stack_list_free(struct stack_list *stacks);

#endif

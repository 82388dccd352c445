/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - whole call stacks as a tree of functions: opreport --stacks
 *
 *	stack stores -> stacks (list.c) -> lines (callers.c, callees.c) -> formatters
 *
 * Rules: doc/pp-spec.md [CT-1]..[CT-9].
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
#include "pp/report/stack/list.h"
#include "pp/select/collect.h"

#define STACKS_THRESHOLD 0.5	/* percent: the default of --threshold */

enum stacks_order {
	STACKS_NONE,
	STACKS_CALLERS,		/* from the outermost functions inwards */
	STACKS_CALLEES,		/* from the functions that ran outwards */
	STACKS_FOLDED,		/* one line for each stack, callers first */
	/* not as lines, but with stacks_read(): without callers */
	STACKS_LEAVES,		/* the functions that ran */
	STACKS_LEAF_IMAGES,	/* the images that ran; opens no binary */
};

/* A function; with @image NULL the reason why stacks are incomplete: "[truncated]". */
struct stack_symbol {
	const char *name;
	const struct report_image *image;
	bool is_unnamed;	/* @name is made of the image's name, or is a section's */
};

/* How complete the stacks of the report's samples are. */
struct stack_quality {
	uint64_t samples;
	uint64_t ends[NR_STACK_ENDS];
	uint64_t guessed;	/* of these, with frames by frame pointer: no unwind table */
	uint64_t lost;		/* samples of the sessions whose stacks could not be kept */
};

/* Lines are a tree in print order: the children of a line follow it, one deeper. */
struct stack_line {
	uint32_t depth;
	uint32_t symbol;	/* index */
	size_t counts;		/* index: with all below, then (callers first) self alone */
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
	struct row_list rows;		/* owns the symbols' names; has the report's totals */
};

struct stacks_options {
	enum stacks_order order;
	const struct profile_spec *spec;
	const struct populate_options *populate;
	bool exclude_dependent;
	double threshold;		/* percent of all samples of a class */
};

/*
 * Make the tree of the sessions of @c. -ENOENT: they have no stacks, or none that match; -EPROTO:
 * none of their stores can be read. @notices names what is left out.
 */
int stacks_make(struct collection *c, const struct stacks_options *options,
		struct stack_report *ret, struct notices *notices, struct op_error *e);
void stacks_free(struct stack_report *report);

/*
 * The same without lines: symbols, totals and quality. The stacks are in *ret_stacks, which is the
 * caller's to free.
 */
int stacks_read(struct collection *c, const struct stacks_options *options,
		struct stack_report *ret, struct stack_list *ret_stacks, struct notices *notices,
		struct op_error *e);

#endif

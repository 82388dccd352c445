// SPDX-License-Identifier: GPL-2.0-or-later
/* report.c - read the stacks, make the lines; and what both orders of lines need */
#include "pp/report/stack/report.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"
#include "pp/report/fetch_debug.h"

uint64_t *stack_line_add(struct stack_report *r, uint32_t depth, uint32_t symbol)
{
	size_t nr = r->nr_classes * (r->order == STACKS_CALLEES ? 1 : 2);
	size_t room = r->counts_room;

	xgrow(r->lines, r->nr_lines, r->lines_room);
	r->lines[r->nr_lines++] = (struct stack_line){ depth, symbol, r->nr_counts };
	if (room - r->nr_counts < nr) {
		room = room + room / 2 + nr + 1024;
		r->counts = xrealloc_array(r->counts, room, sizeof(*r->counts));
		r->counts_room = room;
	}
	memset(r->counts + r->nr_counts, 0, nr * sizeof(*r->counts));
	r->nr_counts += nr;
	return r->counts + r->nr_counts - nr;
}

bool stack_is_above(const struct stack_report *r, const uint64_t *counts, double threshold)
{
	for (size_t c = 0; c < r->nr_classes; c++)
		if (counts[c] && 100.0 * (double)counts[c] >= threshold * (double)r->rows.totals[c])
			return true;
	return false;
}

int stack_compare(const struct stack_report *r, uint32_t symbol_a, const uint64_t *counts_a,
		  uint32_t symbol_b, const uint64_t *counts_b)
{
	const struct stack_symbol *a = &r->symbols[symbol_a], *b = &r->symbols[symbol_b];
	int order;

	for (size_t c = 0; c < r->nr_classes; c++)
		if (counts_a[c] != counts_b[c])
			return counts_a[c] > counts_b[c] ? -1 : 1;
	order = strcmp(a->name, b->name);
	if (!order && a->image && b->image)
		order = strcmp(a->image->name, b->image->name);
	return order ? order : symbol_a < symbol_b ? -1 : symbol_a > symbol_b;
}

/* Of the images that samples lie in; callers have to do with what is here. */
static void fetch_debug(struct collection *c, const struct stacks_options *options,
			struct notices *notices)
{
	struct inversion inversion;

	invert_arrangement(&c->arrangement, &inversion);
	fetch_debug_files(&inversion, c->root, false, c->finder, options->fetch_progress, notices);
	inversion_free(&inversion);
}

int stacks_read(struct collection *c, const struct stacks_options *options,
		struct stack_report *ret, struct stack_list *ret_stacks, struct notices *notices,
		struct op_error *e)
{
	struct stack_list stacks = { 0 };
	struct stack_report r = {
		.order = options->order,
		.nr_classes = c->arrangement.nr_classes,
	};
	int err;

	fetch_debug(c, options, notices);
	rows_init(&r.rows, r.nr_classes);
	err = stack_list_read(c, options, &r, &stacks, notices, e);
	if (err) {
		stack_list_free(&stacks);
		stacks_free(&r);
		return err;
	}
	*ret = r;
	*ret_stacks = stacks;
	return 0;
}

int stacks_make(struct collection *c, const struct stacks_options *options,
		struct stack_report *ret, struct notices *notices, struct op_error *e)
{
	struct stack_list stacks;
	int err = stacks_read(c, options, ret, &stacks, notices, e);

	if (err)
		return err;
	if (ret->order == STACKS_CALLEES)
		stack_callees_make(ret, &stacks, options->threshold);
	else
		stack_callers_make(ret, &stacks, options->threshold);
	stack_list_free(&stacks);
	return 0;
}

void stack_list_free(struct stack_list *stacks)
{
	free(stacks->nodes);
	free(stacks->stacks);
	free(stacks->contexts);
	*stacks = (struct stack_list){ 0 };
}

void stacks_free(struct stack_report *report)
{
	rows_free(&report->rows);
	free(report->symbols);
	free(report->lines);
	free(report->counts);
	*report = (struct stack_report){ 0 };
}

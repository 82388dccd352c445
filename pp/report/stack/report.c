// SPDX-License-Identifier: GPL-2.0-or-later
/* report.c - read the stacks, make the lines */
#include "pp/report/stack/report.h"

#include <stdlib.h>

#include "pp/report/fetch_debug.h"
#include "pp/report/stack/lines.h"

/* Only of the images that samples lie in: those of callers alone are not worth a download. */
static void fetch_debug(struct collection *c, struct notices *notices)
{
	struct inversion inversion;

	invert_arrangement(&c->arrangement, &inversion);
	fetch_debug_files(&inversion, c->root, false, c->finder, notices);
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

	fetch_debug(c, notices);
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

void stacks_free(struct stack_report *report)
{
	rows_free(&report->rows);
	free(report->symbols);
	free(report->lines);
	free(report->counts);
	*report = (struct stack_report){ 0 };
}

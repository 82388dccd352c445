// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacks.c - trees of random stacks against a naive model
 *
 * The model keeps stacks as strings and adds up the counts of each prefix (callers) or suffix
 * (callees). There are few functions, so stacks recurse a lot.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/count.h"
#include "libutil/xalloc.h"
#include "pp/report/stack/lines.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define NR_SYMBOLS	4
#define NR_CLASSES	2
#define NR_STACKS	300
#define DEPTH		9

struct sum {
	char path[DEPTH + 2];		/* a letter for each function, as they are printed */
	uint64_t all[NR_CLASSES], self[NR_CLASSES];
};

static struct sum *sums;
static size_t nr_sums, sums_room;
static char names[NR_SYMBOLS][2];

static struct sum *sum_of(const char *path, size_t len)
{
	for (size_t i = 0; i < nr_sums; i++)
		if (strlen(sums[i].path) == len && !strncmp(sums[i].path, path, len))
			return &sums[i];
	xgrow(sums, nr_sums, sums_room);
	sums[nr_sums] = (struct sum){ .all = { 0 } };
	memcpy(sums[nr_sums].path, path, len);
	return &sums[nr_sums++];
}

static void model_add(const char *path, uint32_t class, uint64_t count)
{
	for (size_t len = 1; len <= strlen(path); len++)
		sum_of(path, len)->all[class] += count;
	sum_of(path, strlen(path))->self[class] += count;
}

static void make_report(struct stack_report *r, enum stacks_order order)
{
	*r = (struct stack_report){ .order = order, .nr_classes = NR_CLASSES };
	rows_init(&r->rows, NR_CLASSES);
	r->symbols = xcalloc(NR_SYMBOLS, sizeof(*r->symbols));
	for (r->nr_symbols = 0; r->nr_symbols < NR_SYMBOLS; r->nr_symbols++) {
		names[r->nr_symbols][0] = (char)('a' + r->nr_symbols);
		r->symbols[r->nr_symbols].name = names[r->nr_symbols];
	}
}

static uint32_t add_node(struct stack_list *list, uint32_t parent, uint32_t symbol)
{
	list->nodes = xrealloc_array(list->nodes, list->nr_nodes + 1, sizeof(*list->nodes));
	list->nodes[list->nr_nodes] = (struct call_node){ parent, symbol };
	return (uint32_t)list->nr_nodes++;
}

/* As from several stores: stacks share no nodes, except with their own beginnings. */
static void add_random_stack(struct stack_list *list, struct stack_report *r)
{
	char path[DEPTH + 2] = "", shown[DEPTH + 2] = "";
	size_t depth = 1 + test_random() % DEPTH;
	uint32_t node = CALL_NONE, class = test_random() % NR_CLASSES;
	uint64_t count = 1 + test_random() % 5;

	for (size_t i = 0; i < depth; i++) {
		uint32_t symbol = (uint32_t)(test_random() % NR_SYMBOLS);

		node = add_node(list, node, symbol);
		path[i] = (char)('a' + symbol);
		xgrow(list->stacks, list->nr, list->room);
		if (i + 1 < depth && test_random() % 4)
			continue;
		/* the whole stack, and now and then one that it begins with */
		list->stacks[list->nr++] = (struct counted_stack){ node, class, 0, 0, count };
		count_add(&r->rows.totals[class], count);
		memset(shown, 0, sizeof(shown));
		for (size_t k = 0; k <= i; k++)
			shown[k] = r->order == STACKS_CALLEES ? path[i - k] : path[k];
		model_add(shown, class, count);
	}
}

/* Each line is a sum of the model, each sum above the threshold is a line, in order. */
static void compare(const struct stack_report *r, double threshold)
{
	bool callers = r->order != STACKS_CALLEES;
	char path[DEPTH + 2] = "";
	uint64_t last[DEPTH + 2];
	size_t expected = 0;

	memset(last, 0xff, sizeof(last));
	for (size_t i = 0; i < nr_sums; i++)
		expected += stack_is_above(r, sums[i].all, threshold);
	CHECK(r->nr_lines == expected, "%zu lines, not %zu", r->nr_lines, expected);
	for (size_t i = 0; i < r->nr_lines; i++) {
		const struct stack_line *l = &r->lines[i];
		const uint64_t *counts = r->counts + l->counts;
		const struct sum *sum;

		CHECK(l->depth <= strlen(path) && l->depth < DEPTH, "depth %u", l->depth);
		path[l->depth] = r->symbols[l->symbol].name[0];
		path[l->depth + 1] = '\0';
		sum = sum_of(path, l->depth + 1);
		CHECK(!memcmp(sum->all, counts, sizeof(sum->all)), "%s: all", path);
		CHECK(!callers || !memcmp(sum->self, counts + NR_CLASSES, sizeof(sum->self)),
		      "%s: self", path);
		CHECK(counts[0] <= last[l->depth], "%s: more than the one before", path);
		last[l->depth] = counts[0];
		last[l->depth + 1] = UINT64_MAX;
	}
}

static void try_order(enum stacks_order order, double threshold)
{
	struct stack_list stacks = { 0 };
	struct stack_report r;

	make_report(&r, order);
	nr_sums = 0;
	for (int i = 0; i < NR_STACKS; i++)
		add_random_stack(&stacks, &r);
	if (order == STACKS_CALLEES)
		stack_callees_make(&r, &stacks, threshold);
	else
		stack_callers_make(&r, &stacks, threshold);
	compare(&r, threshold);
	stack_list_free(&stacks);
	stacks_free(&r);
	free(sums);
	sums = NULL;
	sums_room = 0;
}

TEST(callers)
{
	try_order(STACKS_CALLERS, 0);
	try_order(STACKS_CALLERS, 2);
}

TEST(callees)
{
	try_order(STACKS_CALLEES, 0);
	try_order(STACKS_CALLEES, 2);
}

/* As deep as stacks can be, of one function calling itself. */
TEST(deep_recursion)
{
	for (enum stacks_order order = STACKS_CALLERS; order <= STACKS_CALLEES; order++) {
		struct stack_list stacks = { 0 };
		struct stack_report r;
		uint32_t node = CALL_NONE;
		uint64_t first;

		make_report(&r, order);
		for (size_t i = 0; i < STACK_FRAMES_MAX; i++)
			node = add_node(&stacks, node, 0);
		xgrow(stacks.stacks, stacks.nr, stacks.room);
		stacks.stacks[stacks.nr++] = (struct counted_stack){ node, 0, 0, 0, 7 };
		r.rows.totals[0] = 7;
		if (order == STACKS_CALLEES)
			stack_callees_make(&r, &stacks, 0.5);
		else
			stack_callers_make(&r, &stacks, 0.5);
		CHECK(r.nr_lines == STACK_FRAMES_MAX, "%zu lines", r.nr_lines);
		first = r.counts[r.lines[0].counts];
		CHECK(first == 7, "the outermost line has %llu", (unsigned long long)first);
		stack_list_free(&stacks);
		stacks_free(&r);
	}
}

TEST_MAIN()

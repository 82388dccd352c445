// SPDX-License-Identifier: GPL-2.0-or-later
/* call_tree.c - random stacks: parents, sums and children of their nodes */
#include "libutil/call_tree.h"

#include <stdlib.h>

#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define NR_STACKS	5000
#define DEPTH		12
#define NR_KEYS		9	/* more children than a node lists */

static uint32_t add_path(struct call_tree *t, const uint32_t *path, size_t depth)
{
	uint32_t node = CALL_NONE;

	for (size_t i = 0; i < depth; i++)
		node = call_tree_node(t, node, path[i]);
	return node;
}

TEST(paths)
{
	struct call_tree t = { 0 };
	uint32_t path[DEPTH];

	for (int i = 0; i < NR_STACKS; i++) {
		size_t depth = 1 + test_random() % DEPTH, nr;
		uint32_t node;

		for (size_t k = 0; k < depth; k++)
			path[k] = test_random() % NR_KEYS;
		node = add_path(&t, path, depth);
		nr = t.nr;
		CHECK(add_path(&t, path, depth) == node && t.nr == nr, "the same path again");
		for (uint32_t n = node; depth-- > 0; n = t.nodes[n].parent) {
			CHECK(t.nodes[n].key == path[depth], "key at depth %zu", depth);
			CHECK(depth ? t.nodes[n].parent < n : t.nodes[n].parent == CALL_NONE,
			      "parent of %u", n);
		}
	}
	call_tree_free(&t);
}

TEST(sums_and_children)
{
	struct call_tree t = { 0 };
	struct call_children children;
	uint64_t *self, *all, totals[2] = { 0, 0 }, expected[2] = { 0, 0 };
	size_t nr_below = 0;

	for (int i = 0; i < NR_STACKS; i++)
		call_tree_node(&t, t.nr && test_random() % 8 ? test_random() % t.nr : CALL_NONE,
			       test_random() % NR_KEYS);
	self = xcalloc(2 * t.nr, sizeof(*self));
	all = xcalloc(2 * t.nr, sizeof(*all));
	for (size_t i = 0; i < 2 * t.nr; i++)
		expected[i % 2] += self[i] = all[i] = test_random() % 100;
	call_tree_sum(&t, all, 2, totals);
	CHECK(totals[0] == expected[0] && totals[1] == expected[1], "totals");
	call_children_make(&t, &children);
	for (size_t i = 0; i <= t.nr; i++) {
		uint32_t parent = i < t.nr ? (uint32_t)i : CALL_NONE, last = 0;
		uint64_t sum = 0;

		for (uint32_t k = call_children_first(&children, parent); k != CALL_NONE;
		     k = children.next[k], nr_below++) {
			CHECK(t.nodes[k].parent == parent, "parent of %u", k);
			CHECK(!last || k > last, "order of %u", k);
			sum += all[2 * k];
			last = k;
		}
		CHECK(i == t.nr || sum + self[2 * i] == all[2 * i], "sum of %zu", i);
	}
	CHECK(nr_below == t.nr, "%zu of %zu nodes", nr_below, t.nr);
	call_children_free(&children);
	call_tree_free(&t);
	free(self);
	free(all);
}

TEST_MAIN()

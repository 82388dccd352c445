/* SPDX-License-Identifier: GPL-2.0-or-later */
/* picture.c - a cut keeps all samples; texts in a page are not markup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/picture/data.h"
#include "pp/picture/json.h"
#include "pp/picture/tree.h"
#include "tests/tap.h"

#define NR_CLASSES	2
#define NR_PROFILES	2

static struct report_image prog = { .path = (char *)"/usr/bin/prog",
				   .name = (char *)"/usr/bin/prog" };
static struct report_image moved = { .path = (char *)"/opt/bin/prog",
				    .name = (char *)"/opt/bin/prog" };
static struct report_image other = { .path = (char *)"/lib/other.so",
				    .name = (char *)"/lib/other.so" };

/* Random stacks of a few functions: with recursion, and with common outer frames. */
static void make_tree(struct picture *p, unsigned int seed, size_t nr_stacks)
{
	srand(seed);
	picture_init(p, NR_CLASSES, NR_PROFILES);
	for (size_t i = 0; i < nr_stacks; i++) {
		uint32_t node = picture_root(p, rand() % 3 ? &prog : NULL,
					     rand() % 4 ? "" : "/box");

		for (int depth = rand() % 12; depth > 0; depth--) {
			char name[2] = { (char)('a' + rand() % 5), '\0' };

			node = picture_child(p, node, picture_symbol(p, name, &other));
		}
		picture_self(p, node)[rand() % p->nr_values] += (uint64_t)(rand() % 50);
	}
	picture_sum(p);
}

static void check_order(const struct picture *p)
{
	struct call_children children;

	call_children_make(&p->tree, &children);
	for (uint32_t i = 0; i < p->tree.nr; i++) {
		const struct call_node *n = &p->tree.nodes[i];
		uint64_t below = 0;

		CHECK(n->parent == PICTURE_NONE || n->parent < i, "node %u below %u", i, n->parent);
		for (uint32_t k = children.first[i]; k != CALL_NONE; k = children.next[k])
			below += picture_all(p, k)[0];
		CHECK(below + picture_self(p, i)[0] == picture_all(p, i)[0], "node %u", i);
	}
	call_children_free(&children);
}

static uint64_t sum_of_small(const struct picture *p, size_t value)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < p->tree.nr; i++) {
		const struct call_node *n = &p->tree.nodes[i];
		bool is_small = n->parent == PICTURE_NONE
				? p->groups[n->key].is_small
				: p->symbols[n->key].kind == PICTURE_SMALL;

		sum += is_small ? picture_self(p, i)[value] : 0;
	}
	return sum;
}

TEST(a_cut_keeps_all_samples)
{
	static const size_t sizes[] = { 100000, 300, 40, 3, 1, 0 };

	for (unsigned int seed = 1; seed <= 20; seed++) {
		struct picture p;
		uint64_t totals[NR_CLASSES * NR_PROFILES];
		size_t nr_before;

		make_tree(&p, seed, 400);
		memcpy(totals, p.totals, sizeof(totals));
		nr_before = p.tree.nr;
		/* one after the other, as an SVG is cut from what a page has kept */
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			picture_cut(&p, sizes[i], 0);
			check_order(&p);
			CHECK(!memcmp(totals, p.totals, sizeof(totals)), "%zu nodes", sizes[i]);
			CHECK(p.tree.nr <= 2 * sizes[i] + 1, "%zu of %zu", p.tree.nr, sizes[i]);
			for (size_t v = 0; v < p.nr_values; v++)
				CHECK(p.small_nodes[v] == sum_of_small(&p, v), "%zu nodes",
				      sizes[i]);
		}
		CHECK(p.nr_small_nodes <= nr_before, "%zu of %zu", p.nr_small_nodes, nr_before);
		picture_free(&p);
	}
}

TEST(a_threshold_merges_nodes_below_it_in_every_value)
{
	struct picture p;

	make_tree(&p, 7, 400);
	picture_cut(&p, SIZE_MAX, 5);
	for (uint32_t i = 0; i < p.tree.nr; i++)
		if (p.tree.nodes[i].parent != PICTURE_NONE &&
		    p.symbols[p.tree.nodes[i].key].kind != PICTURE_SMALL)
			CHECK(picture_share(&p, picture_all(&p, i)) >= 0.05, "node %u", i);
	picture_free(&p);
}

/* a calls b calls a: 10 samples end in the second a, 1 in b. */
TEST(a_sample_goes_through_a_function_once)
{
	struct picture p;
	uint32_t a, b, node;
	const uint64_t *row;

	picture_init(&p, 1, 1);
	a = picture_symbol(&p, "a", &prog);
	b = picture_symbol(&p, "b", &prog);
	node = picture_child(&p, picture_child(&p, picture_root(&p, &prog, ""), a), b);
	picture_self(&p, node)[0] = 1;
	picture_self(&p, picture_child(&p, node, a))[0] = 10;
	picture_sum(&p);
	picture_table(&p, 1);
	CHECK(p.nr_rows == 1 && p.rows[0].symbol == a, "%zu rows", p.nr_rows);
	row = p.row_counts + p.rows[0].counts;
	CHECK(row[0] == 10 && row[1] == 11, "%d self, %d all", (int)row[0], (int)row[1]);
	CHECK(p.nr_small_rows == 1 && p.small_rows[0] == 1, "%zu more", p.nr_small_rows);
	picture_free(&p);
}

TEST(images_of_two_runs_match_by_base_name)
{
	struct picture p;

	picture_init(&p, 1, 2);
	CHECK(picture_symbol(&p, "f", &prog) == picture_symbol(&p, "f", &moved), "two runs");
	CHECK(picture_symbol(&p, "f", &prog) != picture_symbol(&p, "f", &other), "two images");
	picture_free(&p);
	picture_init(&p, 1, 1);
	CHECK(picture_symbol(&p, "f", &prog) != picture_symbol(&p, "f", &moved), "one run");
	picture_free(&p);
}

static void check_escaped(const char *json, const char *wanted)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	picture_json_in_page(json, out);
	fclose(out);
	CHECK(!strcmp(text, wanted), "%s", text);
	free(text);
}

TEST(texts_in_a_page_are_escaped)
{
	check_escaped("\"</script>\"", "\"\\u003c/script\\u003e\"");
	check_escaped("\"a&amp;<!--\"", "\"a\\u0026amp;\\u003c!--\"");
	check_escaped("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa6", "\\u2028\\u2029\xe2\x80\xa6");
	check_escaped("\xe2\x80", "\xe2\x80");
	check_escaped("a\xe2", "a\xe2");
	check_escaped("\xe2<\xe2\x80\xa7", "\xe2\\u003c\xe2\x80\xa7");
}

TEST_MAIN()

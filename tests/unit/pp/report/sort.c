/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sort.c - sort keys and the order they give */
#include "tests/tap.h"

#include <errno.h>
#include "libutil/xalloc.h"
#include "pp/report/sort.h"

static struct report_image image_a = {
	.kind = IMAGE_FILE, .path = (char[]){"/z/a"}, .name = (char[]){"/z/a"}};
static struct report_image image_b = {
	.kind = IMAGE_FILE, .path = (char[]){"/a/b"}, .name = (char[]){"/a/b"}};

static const struct {
	const char *sort;
	bool reverse, long_names;
	const char *want;
} orders[] = {
	{ NULL, false, false, "wxyz" },		/* samples, then image, ... */
	{ NULL, true, false, "zyxw" },
	{ "symbol", false, false, "zyxw" },
	{ "vma", false, false, "xzwy" },
	{ "image", false, false, "wyxz" },
	{ "image", false, true, "xzwy" },
	{ "image,symbol", false, false, "ywzx" },
	{ "debug", false, false, "xzyw" },	/* without a line first */
};

TEST(orders)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		struct sort_order order = { .reverse = orders[i].reverse,
					    .long_names = orders[i].long_names };
		struct row_list rows;
		char got[5] = "";
		bool vma;

		rows_init(&rows, 1);
		/* the last letters are in order of creation; symbol names are in reverse order */
		rows_add(&rows, &image_a, &image_a, "d-w", 30)->counts[0] = 10;
		rows_add(&rows, &image_b, &image_b, "c-x", 10)->counts[0] = 10;
		rows_add(&rows, &image_a, &image_a, "b-y", 40)->counts[0] = 5;
		rows_add(&rows, &image_b, &image_b, "a-z", 20)->counts[0] = 1;
		rows.rows[0]->line = xstrdup("m.c:10");
		rows.rows[2]->line = xstrdup("m.c:9");
		rows.rows[3]->line = xstrdup("a.c:100");
		CHECK(!sort_order_parse(orders[i].sort, &order, &vma, NULL), "%zu", i);
		sort_rows(&rows, &order);
		for (int j = 0; j < 4; j++)
			got[j] = rows.rows[j]->name[2];
		CHECK(!strcmp(got, orders[i].want), "%s: want %s, got %s",
		      orders[i].sort ? orders[i].sort : "default", orders[i].want, got);
		rows_free(&rows);
	}
}

TEST(words)
{
	struct sort_order order = { 0 };
	struct op_error e = { "" };
	bool vma = true;

	CHECK(sort_order_parse("sample,size", &order, &vma, &e) == -EINVAL, "refused");
	CHECK(strstr(e.text, "'size'"), "%s", e.text);
	CHECK(!sort_order_parse("symbol,symbol", &order, &vma, NULL) && !vma, "twice is once");
	CHECK(order.keys[0] == SORT_SYMBOL && order.keys[1] == SORT_SAMPLE, "then the others");
	CHECK(!sort_order_parse("vma", &order, &vma, NULL) && vma, "vma");
}

TEST_MAIN()

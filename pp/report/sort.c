/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sort.c - compare rows key by key; names as they are shown */
#include "pp/report/sort.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/radix_sort.h"
#include "libutil/xalloc.h"

static const char *const key_names[NR_SORT_KEYS] = {
	[SORT_SAMPLE] = "sample",     [SORT_IMAGE] = "image", [SORT_APP_NAME] = "app-name",
	[SORT_SYMBOL] = "symbol",     [SORT_DEBUG] = "debug", [SORT_VMA] = "vma",
	[SORT_DIFF] = "diff",
};

static int find_key(const char *word, size_t len, struct op_error *e)
{
	for (int key = 0; key < NR_SORT_KEYS; key++)
		if (strlen(key_names[key]) == len && !strncmp(word, key_names[key], len))
			return key;
	return op_error_set(e, -EINVAL, "invalid value '%.*s' for --sort: expected sample, image, "
			    "app-name, symbol, debug, vma or diff", (int)(len > 80 ? 80 : len),
			    word);
}

int sort_order_parse(const char *list, struct sort_order *ret, bool *ret_has_vma,
		     struct op_error *e)
{
	struct sort_order order = { .reverse = ret->reverse, .long_names = ret->long_names };
	bool used[NR_SORT_KEYS] = { false };
	size_t nr = 0;

	while (list && *list) {
		size_t len = strcspn(list, ",");
		int key = find_key(list, len, e);

		if (key < 0)
			return key;
		if (!used[key])
			order.keys[nr++] = key;
		used[key] = true;
		list += len + (list[len] == ',');
	}
	*ret_has_vma = used[SORT_VMA];
	for (int key = 0; key < NR_SORT_KEYS; key++)
		if (!used[key] && key != SORT_DIFF)
			order.keys[nr++] = key;
	order.nr_keys = nr;
	*ret = order;
	return 0;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Lines by file name, then number: "a.c:9" comes before "a.c:10". */
static int compare_lines(const char *a, const char *b)
{
	const char *x, *y;
	size_t n;
	int order;

	if (!a || !b)
		return !b - !a;
	x = strrchr(a, ':');
	y = strrchr(b, ':');
	n = (size_t)(x - a) < (size_t)(y - b) ? (size_t)(x - a) : (size_t)(y - b);
	order = strncmp(a, b, n);
	if (!order)
		order = compare_u64(x - a, y - b);
	return order ? order : compare_u64(strtoul(x + 1, NULL, 10), strtoul(y + 1, NULL, 10));
}

/* By how much a share changed, up or down, in percent of all samples. */
static int compare_changes(const struct row_diff *a, const struct row_diff *b)
{
	double x = a ? fabs(a->points) : 0, y = b ? fabs(b->points) : 0;

	return x > y ? -1 : x < y;
}

static int compare_key(const struct symbol_row *a, const struct symbol_row *b, enum sort_key key)
{
	switch (key) {
	case SORT_SAMPLE:
		return compare_u64(b->counts[0], a->counts[0]);
	case SORT_IMAGE:
		return compare_u64(a->image_rank, b->image_rank);
	case SORT_APP_NAME:
		return compare_u64(a->app_rank, b->app_rank);
	case SORT_SYMBOL:
		return a->shown == b->shown ? 0 : strcmp(a->shown, b->shown);
	case SORT_DEBUG:
		return compare_lines(a->line, b->line);
	case SORT_VMA:
		return compare_u64(a->vma, b->vma);
	case SORT_DIFF:
		return compare_changes(a->diff, b->diff);
	default:
		return 0;
	}
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct symbol_row *x = *(struct symbol_row *const *)a;
	const struct symbol_row *y = *(struct symbol_row *const *)b;
	const struct sort_order *order = context;

	for (size_t i = 0; i < order->nr_keys; i++) {
		int result = compare_key(x, y, order->keys[i]);

		if (result)
			return order->reverse ? -result : result;
	}
	return compare_u64(x->serial, y->serial);
}

struct ranked_image {
	const struct report_image *image;
	const char *name;
	uint32_t rank;
};

static int compare_names(const void *a, const void *b)
{
	const struct ranked_image *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int compare_pointers(const void *a, const void *b)
{
	const struct ranked_image *x = a, *y = b;

	return x->image < y->image ? -1 : x->image > y->image;
}

/* The different images and applications of all rows, by pointer; returns how many. */
static size_t collect_images(const struct row_list *rows, struct ranked_image *ret)
{
	size_t nr = 0, kept = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		const struct symbol_row *row = rows->rows[i];

		/* rows are in order of images: most repeat the last ones */
		if (nr < 2 || ret[nr - 2].image != row->image || ret[nr - 1].image != row->app) {
			ret[nr++].image = row->image;
			ret[nr++].image = row->app;
		}
	}
	qsort(ret, nr, sizeof(*ret), compare_pointers);
	for (size_t i = 0; i < nr; i++)
		if (!kept || ret[kept - 1].image != ret[i].image)
			ret[kept++] = ret[i];
	return kept;
}

static uint32_t rank_of(const struct ranked_image *images, size_t nr,
			const struct report_image *image)
{
	const struct ranked_image key = { .image = image }, *hit;

	hit = bsearch(&key, images, nr, sizeof(key), compare_pointers);
	return hit ? hit->rank : 0;
}

/* Names of images are compared here, once each; the sort compares their ranks. */
static void rank_images(struct row_list *rows, bool long_names)
{
	struct ranked_image *images = xcalloc(2 * rows->nr, sizeof(*images));
	size_t nr = collect_images(rows, images);
	const struct symbol_row *last = NULL;

	for (size_t i = 0; i < nr; i++)
		images[i].name = image_shown_name(images[i].image, long_names);
	qsort(images, nr, sizeof(*images), compare_names);
	for (size_t i = 1; i < nr; i++)
		images[i].rank = images[i - 1].rank + !!compare_names(&images[i], &images[i - 1]);
	qsort(images, nr, sizeof(*images), compare_pointers);
	for (size_t i = 0; i < rows->nr; i++) {
		struct symbol_row *row = rows->rows[i];

		row->image_rank = last && last->image == row->image
			? last->image_rank : rank_of(images, nr, row->image);
		row->app_rank = last && last->app == row->app
			? last->app_rank : rank_of(images, nr, row->app);
		last = row;
	}
	free(images);
}

/* Leading keys that are numbers and fit into 64 bits together, to be sorted as one number. */
struct packing {
	enum sort_key keys[NR_SORT_KEYS];
	uint64_t most[NR_SORT_KEYS];	/* the largest of each */
	unsigned int bits[NR_SORT_KEYS];
	size_t nr;
};

static bool key_number(const struct symbol_row *row, enum sort_key key, uint64_t *ret)
{
	switch (key) {
	case SORT_SAMPLE:
		*ret = row->counts[0];
		return true;
	case SORT_IMAGE:
		*ret = row->image_rank;
		return true;
	case SORT_APP_NAME:
		*ret = row->app_rank;
		return true;
	case SORT_VMA:
		*ret = row->vma;
		return true;
	default:
		return false;
	}
}

static void choose_packing(const struct row_list *rows, const struct sort_order *order,
			   struct packing *ret)
{
	unsigned int used = 0, bits;
	uint64_t most, n;

	*ret = (struct packing){ .nr = 0 };
	for (size_t k = 0; k < order->nr_keys; k++) {
		most = 0;
		for (size_t i = 0; i < rows->nr; i++) {
			if (!key_number(rows->rows[i], order->keys[k], &n))
				return;
			most = n > most ? n : most;
		}
		bits = most ? 64 - (unsigned int)__builtin_clzll(most) : 0;
		if (used + bits > 64)
			return;
		used += bits;
		ret->keys[ret->nr] = order->keys[k];
		ret->most[ret->nr] = most;
		ret->bits[ret->nr++] = bits;
	}
}

static uint64_t pack(const struct packing *p, const struct symbol_row *row)
{
	uint64_t packed = 0, n = 0;

	for (size_t k = 0; k < p->nr; k++) {
		key_number(row, p->keys[k], &n);
		if (p->keys[k] == SORT_SAMPLE)
			n = p->most[k] - n;	/* descending */
		packed = p->bits[k] < 64 ? packed << p->bits[k] | n : n;
	}
	return packed;
}

/* Sort by the packed keys; then rows with equal ones by all keys. */
static void sort_packed(struct row_list *rows, const struct packing *packing,
			const struct sort_order *order)
{
	struct symbol_row **sorted = xcalloc(rows->nr, sizeof(*sorted));
	struct radix_item *items = xcalloc(rows->nr, 2 * sizeof(*items)), *in_order;

	for (size_t i = 0; i < rows->nr; i++) {
		uint64_t packed = pack(packing, rows->rows[i]);

		items[i] = (struct radix_item){ order->reverse ? ~packed : packed, i };
	}
	in_order = radix_sort(items, items + rows->nr, rows->nr);
	for (size_t i = 0; i < rows->nr; i++)
		sorted[i] = rows->rows[in_order[i].value];
	for (size_t i = 0, end; i < rows->nr; i = end) {
		for (end = i + 1; end < rows->nr && in_order[end].key == in_order[i].key; end++)
			;
		if (end - i > 1)
			qsort_r(&sorted[i], end - i, sizeof(*sorted), compare_rows, (void *)order);
	}
	memcpy(rows->rows, sorted, rows->nr * sizeof(*sorted));
	free(items);
	free(sorted);
}

void sort_rows(struct row_list *rows, const struct sort_order *order)
{
	struct packing packing;

	if (!rows->nr || !rows->nr_classes)
		return;
	rank_images(rows, order->long_names);
	choose_packing(rows, order, &packing);
	if (packing.nr)
		sort_packed(rows, &packing, order);
	else
		qsort_r(rows->rows, rows->nr, sizeof(*rows->rows), compare_rows, (void *)order);
}

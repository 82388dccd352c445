/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_boots.c - sort the rows by name, then add up what stands in the same place of its boot */
#include "merge_boots.h"

#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

struct boot_row {
	struct symbol_row *row;
	size_t boot;
};

static int compare_names(const struct boot_row *a, const struct boot_row *b)
{
	if (a->row->app != b->row->app)
		return (uintptr_t)a->row->app < (uintptr_t)b->row->app ? -1 : 1;
	return strcmp(a->row->name, b->row->name);
}

/* Rows of a boot were made in the order of addresses. */
static int compare_rows(const void *a, const void *b)
{
	const struct boot_row *x = a, *y = b;
	int order = compare_names(x, y);

	if (order)
		return order;
	if (x->boot != y->boot)
		return x->boot < y->boot ? -1 : 1;
	return x->row->serial < y->row->serial ? -1 : x->row->serial > y->row->serial;
}

/* @group: rows of one name, boot after boot. */
static void merge_group(struct row_list *rows, struct boot_row *group, size_t nr)
{
	size_t nr_kept = 0, nth = 0;

	for (size_t i = 0; i < nr; i++) {
		nth = i && group[i].boot == group[i - 1].boot ? nth + 1 : 0;
		if (nth < nr_kept)
			row_move_counts(rows, group[i].row, group[nth].row);
		else
			group[nr_kept++].row = group[i].row;
	}
}

void merge_boots(struct row_list *rows, const size_t *starts, size_t nr, size_t limit)
{
	size_t first = starts[0], nr_rows = limit - first, boot = 0;
	struct boot_row *sorted = xcalloc(nr_rows + 1, sizeof(*sorted));

	for (size_t i = 0; i < nr_rows; i++) {
		while (boot + 1 < nr && starts[boot + 1] <= first + i)
			boot++;
		sorted[i] = (struct boot_row){ rows->rows[first + i], boot };
	}
	qsort(sorted, nr_rows, sizeof(*sorted), compare_rows);
	for (size_t i = 0, end; i < nr_rows; i = end) {
		for (end = i + 1; end < nr_rows && !compare_names(&sorted[i], &sorted[end]);)
			end++;
		merge_group(rows, &sorted[i], end - i);
	}
	free(sorted);
	rows_drop_empty(rows, first, limit);
}

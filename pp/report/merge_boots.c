/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge_boots.c - sort rows by name, then add up the n-th of each boot */
#include "pp/report/merge_boots.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

static int compare_pointers(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

static int compare_names(const struct symbol_row *a, const struct symbol_row *b)
{
	int order = compare_pointers(a->app, b->app);

	if (!order)
		order = compare_pointers(a->image, b->image);
	return order ? order : strcmp(a->name, b->name);
}

/* By address within a session; sessions are in memory in the order of reading. */
static int compare_rows(const void *a, const void *b)
{
	const struct symbol_row *x = *(struct symbol_row *const *)a;
	const struct symbol_row *y = *(struct symbol_row *const *)b;
	int order = compare_names(x, y);

	if (!order)
		order = compare_pointers(x->session, y->session);
	if (!order && x->vma != y->vma)
		order = x->vma < y->vma ? -1 : 1;
	return order ? order : x->serial < y->serial ? -1 : x->serial > y->serial;
}

/* The rows of kernels, sorted; malloc'd. NULL if all are of one session. */
static struct symbol_row **kernel_rows(const struct row_list *rows, size_t *ret_nr)
{
	struct symbol_row **sorted = xcalloc(rows->nr + 1, sizeof(*sorted));
	bool several = false;
	size_t nr = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		if (!rows->rows[i]->session)
			continue;
		several |= nr && rows->rows[i]->session != sorted[0]->session;
		sorted[nr++] = rows->rows[i];
	}
	if (!several) {
		free(sorted);
		return NULL;
	}
	qsort(sorted, nr, sizeof(*sorted), compare_rows);
	*ret_nr = nr;
	return sorted;
}

/* @group: rows of one name, boot by boot. @into, by serial: the row it was added to. */
static void merge_group(struct row_list *rows, struct symbol_row **group, size_t nr,
			struct symbol_row **into)
{
	const struct report_session *last = NULL;
	size_t nr_kept = 0, nth = 0;

	for (size_t i = 0; i < nr; i++) {
		struct symbol_row *row = group[i];

		nth = row->session == last ? nth + 1 : 0;
		last = row->session;
		if (nth < nr_kept) {
			row_move_counts(rows, row, group[nth]);
			into[row->serial] = group[nth];
		} else {
			group[nr_kept++] = row;
		}
	}
}

static void drop_merged(struct row_list *rows, struct symbol_row *const *into)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		if (into[rows->rows[i]->serial])
			rows_free_one(rows, i);
		else
			rows->rows[kept++] = rows->rows[i];
	}
	rows->nr = kept;
}

static struct symbol_row *merged_row(struct symbol_row *row, struct symbol_row *const *into)
{
	return into[row->serial] ? into[row->serial] : row;
}

void merge_boots(struct row_list *rows, struct raw_arc *arcs, size_t nr_arcs)
{
	size_t nr = 0;
	struct symbol_row **sorted = kernel_rows(rows, &nr), **into;

	if (!sorted)
		return;
	into = xcalloc(rows->next_serial + 1, sizeof(*into));
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && !compare_names(sorted[i], sorted[end]);)
			end++;
		merge_group(rows, &sorted[i], end - i, into);
	}
	for (size_t i = 0; i < nr_arcs; i++) {
		arcs[i].caller = merged_row(arcs[i].caller, into);
		arcs[i].callee = merged_row(arcs[i].callee, into);
	}
	drop_merged(rows, into);
	free(into);
	free(sorted);
}

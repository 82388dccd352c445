/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols.c - the container of rows */
#include "pp/report/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/print_line.h"
#include "libutil/xalloc.h"

#define BLOCK_SIZE	(64 * 1024)

/* Rows and names are many and small and freed together: no malloc() for each. */
struct row_block {
	struct row_block *next;
	size_t used, size;
	_Alignas(max_align_t) char bytes[];
};

static void *block_alloc(struct row_list *list, size_t size)
{
	struct row_block *b = list->blocks;
	void *p;

	size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (!b || b->size - b->used < size) {
		size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;

		b = xmalloc(sizeof(*b) + room);
		*b = (struct row_block){ .next = list->blocks, .size = room };
		list->blocks = b;
	}
	p = b->bytes + b->used;
	b->used += size;
	return p;
}

static void blocks_free(struct row_block *b)
{
	while (b) {
		struct row_block *next = b->next;

		free(b);
		b = next;
	}
}

void rows_init(struct row_list *list, size_t nr_classes)
{
	*list = (struct row_list){ .nr_classes = nr_classes };
	list->totals = xcalloc(nr_classes + 1, sizeof(*list->totals));
}

const char *rows_text(struct row_list *list, const char *text)
{
	size_t n = strlen(text) + 1;

	return memcpy(block_alloc(list, n), text, n);
}

struct symbol_row *rows_add(struct row_list *list, const struct report_image *image,
			    const struct report_image *app, const char *name, uint64_t vma)
{
	size_t size = sizeof(struct symbol_row) + list->nr_classes * sizeof(uint64_t);
	struct symbol_row *row = block_alloc(list, size);

	memset(row, 0, size);
	row->image = image;
	row->app = app;
	row->name = name;
	row->shown = name;
	row->vma = vma;
	row->serial = list->next_serial++;
	xgrow(list->rows, list->nr, list->room);
	list->rows[list->nr++] = row;
	return row;
}

/* Free the parts that are not in the list's blocks. */
static void row_free(struct symbol_row *row)
{
	for (size_t i = 0; i < row->nr_details; i++)
		free(row->details[i].line);
	free(row->details);
	free(row->detail_counts);
	free(row->code);
	free(row->diff);
	free(row->line);
}

uint64_t *row_add_detail(const struct row_list *list, struct symbol_row *row, uint64_t vma)
{
	size_t nr_classes = list->nr_classes;
	uint64_t *counts;

	if (row->nr_details == row->details_room) {
		row->details_room = row->details_room ? row->details_room * 2 : 8;
		row->details = xrealloc_array(row->details, row->details_room,
					      sizeof(*row->details));
		row->detail_counts = xrealloc_array(row->detail_counts,
						    row->details_room * nr_classes,
						    sizeof(*row->detail_counts));
	}
	counts = &row->detail_counts[row->nr_details * nr_classes];
	memset(counts, 0, nr_classes * sizeof(*counts));
	row->details[row->nr_details++] = (struct row_detail){ .vma = vma };
	return counts;
}

const uint64_t *row_detail_counts(const struct row_list *list, const struct symbol_row *row,
				  size_t detail)
{
	return &row->detail_counts[detail * list->nr_classes];
}

void rows_drop_last(struct row_list *list)
{
	row_free(list->rows[--list->nr]);
}

static void add_counts(uint64_t *to, const uint64_t *from, size_t nr)
{
	for (size_t c = 0; c < nr; c++)
		to[c] += from[c];
}

static int compare_details(const void *a, const void *b)
{
	const struct row_detail *x = *(const struct row_detail *const *)a;
	const struct row_detail *y = *(const struct row_detail *const *)b;

	return x->vma < y->vma ? -1 : x->vma > y->vma;
}

/* Sort by vma and add up equal ones. */
static void sort_details(const struct row_list *list, struct symbol_row *row)
{
	const struct row_detail **order = xcalloc(row->nr_details + 1, sizeof(*order));
	struct row_detail *details = row->details;
	uint64_t *counts = row->detail_counts;
	size_t nr = row->nr_details;

	for (size_t i = 0; i < nr; i++)
		order[i] = &details[i];
	qsort(order, nr, sizeof(*order), compare_details);
	row->details = NULL;
	row->detail_counts = NULL;
	row->nr_details = row->details_room = 0;
	for (size_t i = 0; i < nr; i++) {
		struct row_detail *last = row->nr_details ? &row->details[row->nr_details - 1]
							  : NULL;
		const uint64_t *from = &counts[(size_t)(order[i] - details) * list->nr_classes];
		uint64_t *to;

		if (last && last->vma == order[i]->vma) {
			to = &row->detail_counts[(row->nr_details - 1) * list->nr_classes];
			free(order[i]->line);
		} else {
			to = row_add_detail(list, row, order[i]->vma);
			row->details[row->nr_details - 1].line = order[i]->line;
		}
		add_counts(to, from, list->nr_classes);
	}
	free(details);
	free(counts);
	free(order);
}

void row_move_counts(const struct row_list *list, struct symbol_row *row, struct symbol_row *into)
{
	add_counts(into->counts, row->counts, list->nr_classes);
	memset(row->counts, 0, list->nr_classes * sizeof(*row->counts));
	for (size_t i = 0; i < row->nr_details; i++) {
		uint64_t vma = row->details[i].vma - row->vma + into->vma;
		uint64_t *counts = row_add_detail(list, into, vma);

		into->details[into->nr_details - 1].line = row->details[i].line;
		memcpy(counts, row_detail_counts(list, row, i),
		       list->nr_classes * sizeof(*counts));
	}
	if (row->nr_details)
		sort_details(list, into);
	row->nr_details = 0;
}

void rows_move(struct row_list *list, struct symbol_row *row)
{
	xgrow(list->rows, list->nr, list->room);
	row->serial = list->next_serial++;
	list->rows[list->nr++] = row;
}

void rows_free_one(struct row_list *list, size_t i)
{
	row_free(list->rows[i]);
	list->rows[i] = NULL;
}

void rows_append(struct row_list *list, struct row_list *more)
{
	for (size_t i = 0; i < more->nr; i++)
		rows_move(list, more->rows[i]);
	if (more->blocks) {	/* at the end, so that the block being filled stays the first */
		struct row_block **end = &list->blocks;

		while (*end)
			end = &(*end)->next;
		*end = more->blocks;
		more->blocks = NULL;
	}
	more->nr = 0;
	rows_free(more);
}

void rows_total(struct row_list *list)
{
	memset(list->totals, 0, list->nr_classes * sizeof(*list->totals));
	for (size_t i = 0; i < list->nr; i++)
		for (size_t c = 0; c < list->nr_classes; c++)
			list->totals[c] += list->rows[i]->counts[c];
}

bool row_is_above(const struct row_list *list, const struct symbol_row *row, double percent,
		  bool first_class_only)
{
	size_t nr_classes = first_class_only && list->nr_classes ? 1 : list->nr_classes;

	for (size_t c = 0; c < nr_classes; c++)
		if (list->totals[c] && 100.0 * row->counts[c] / list->totals[c] >= percent)
			return true;
	return percent <= 0;
}

void rows_threshold(struct row_list *list, double percent, bool first_class_only)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->nr; i++) {
		if (row_is_above(list, list->rows[i], percent, first_class_only))
			list->rows[kept++] = list->rows[i];
		else
			row_free(list->rows[i]);
	}
	list->nr = kept;
}

void rows_free(struct row_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (i + 16 < list->nr)	/* sorted rows are scattered in memory */
			__builtin_prefetch(&list->rows[i + 16]->details);
		row_free(list->rows[i]);
	}
	blocks_free(list->blocks);
	free(list->rows);
	free(list->totals);
	*list = (struct row_list){ 0 };
}

void rows_print(const struct row_list *list, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < list->nr; i++) {
		const struct symbol_row *row = list->rows[i];

		strbuf_addf(&line, "row %s in %s of %s at 0x%" PRIx64 ":", row->name,
			    row->image->name, row->app->name, row->vma);
		for (size_t c = 0; c < list->nr_classes; c++)
			strbuf_addf(&line, " %" PRIu64, row->counts[c]);
		print_line(&line, out);
	}
	strbuf_free(&line);
}

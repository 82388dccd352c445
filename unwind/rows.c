// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rows.c - sort functions, cut overlaps, mark gaps, merge equal rows
 *
 * Two passes over the rows: one counts, one writes them to a table of exactly that size.
 */
#include <errno.h>
#include <stdlib.h>
#include "unwind/rows.h"

#define ROOM_MIN	1024

void unwind_rows_init(struct unwind_rows *rows, size_t max)
{
	*rows = (struct unwind_rows){ .max = max };
}

void unwind_rows_free(struct unwind_rows *rows)
{
	free(rows->row);
	free(rows->function);
	*rows = (struct unwind_rows){ 0 };
}

/* Room for one more of @size bytes in *@array. */
static int grow(void *array, size_t size, size_t nr, size_t *room, size_t max)
{
	size_t wanted = *room < ROOM_MIN ? ROOM_MIN : *room + *room / 2;
	void *more;

	if (nr < *room)
		return 0;
	if (nr >= max)
		return -EFBIG;
	more = realloc(*(void **)array, wanted * size);
	if (!more)
		return -ENOMEM;
	*(void **)array = more;
	*room = wanted;
	return 0;
}

int unwind_rows_function(struct unwind_rows *rows, uint32_t begin, uint32_t end)
{
	int err = grow(&rows->function, sizeof(*rows->function), rows->nr_functions,
		       &rows->functions_room, rows->max);

	if (!err)
		rows->function[rows->nr_functions++] = (struct unwind_function){
			.begin = begin, .end = end, .first_row = rows->nr,
		};
	return err;
}

int unwind_rows_add(struct unwind_rows *rows, uint32_t offset, uint16_t rule)
{
	struct unwind_function *f = &rows->function[rows->nr_functions - 1];
	struct unwind_row *last = f->nr_rows ? &rows->row[rows->nr - 1] : NULL;
	int err;

	if (last && last->offset == offset) {
		last->rule = rule;
		return 0;
	}
	if (last && last->rule == rule)
		return 0;
	err = grow(&rows->row, sizeof(*rows->row), rows->nr, &rows->room, rows->max);
	if (err)
		return err;
	rows->row[rows->nr++] = (struct unwind_row){ offset, rule };
	f->nr_rows++;
	return 0;
}

/* By address, then by order of arrival. */
static int compare_functions(const void *a, const void *b)
{
	const struct unwind_function *f = a, *g = b;

	if (f->begin != g->begin)
		return f->begin < g->begin ? -1 : 1;
	return f->first_row < g->first_row ? -1 : f->first_row > g->first_row;
}

static void sort_functions(struct unwind_rows *rows)
{
	for (size_t i = 1; i < rows->nr_functions; i++)
		if (compare_functions(&rows->function[i - 1], &rows->function[i]) > 0) {
			qsort(rows->function, rows->nr_functions, sizeof(*rows->function),
			      compare_functions);
			return;
		}
}

/* End functions where the next one begins; the first of two at one place wins. */
static void cut_functions(struct unwind_rows *rows, struct unwind_counts *counts)
{
	struct unwind_function *last = NULL;

	for (size_t i = 0; i < rows->nr_functions; i++) {
		struct unwind_function *f = &rows->function[i];

		if (last && f->begin == last->begin) {
			f->end = f->begin;
			counts->cut++;
			continue;
		}
		if (last && f->begin < last->end) {
			last->end = f->begin;
			counts->cut++;
		}
		last = f;
	}
}

/* Counts rows, and writes them if there is a table. */
struct writer {
	struct op_unwind_table *table;
	uint32_t first_page, nr_pages, nr_rows;
	uint16_t last_rule;
	struct unwind_counts *counts;
};

static void fill_pages(struct writer *w, uint32_t up_to)
{
	uint32_t *page_row = (uint32_t *)op_unwind_page_rows(w->table);

	while (w->nr_pages <= up_to)
		page_row[w->nr_pages++] = w->nr_rows;
}

static void put(struct writer *w, uint32_t offset, uint16_t rule)
{
	uint32_t page = offset >> OP_UNWIND_PAGE_SHIFT;

	if (w->nr_rows && rule == w->last_rule)
		return;
	if (w->table) {
		fill_pages(w, page - w->first_page);
		((uint16_t *)op_unwind_row_starts(w->table))[w->nr_rows] = offset;
		((uint16_t *)op_unwind_row_rules(w->table))[w->nr_rows] = rule;
	} else {
		if (!w->nr_rows)
			w->first_page = page;
		w->nr_pages = page - w->first_page + 1;
	}
	w->last_rule = rule;
	w->nr_rows++;
}

static void put_function(struct writer *w, const struct unwind_rows *rows,
			 const struct unwind_function *f)
{
	const struct unwind_row *row = &rows->row[f->first_row];

	for (uint32_t i = 0; i < f->nr_rows && row[i].offset < f->end; i++) {
		uint32_t end = i + 1 < f->nr_rows && row[i + 1].offset < f->end ?
			       row[i + 1].offset : f->end;

		put(w, row[i].offset, row[i].rule);
		if (!w->table)
			w->counts->bytes_none += row[i].rule == UNWIND_UNKNOWN_RULE ?
						 end - row[i].offset : 0;
	}
	if (!w->table)
		w->counts->bytes += f->end - f->begin;
}

static void put_all(struct writer *w, const struct unwind_rows *rows)
{
	uint32_t end = 0;

	for (size_t i = 0; i < rows->nr_functions; i++) {
		const struct unwind_function *f = &rows->function[i];

		if (f->begin == f->end)
			continue;
		if (f->begin > end && w->nr_rows)
			put(w, end, UNWIND_NO_RULE);
		put_function(w, rows, f);
		end = f->end;
	}
	if (w->nr_rows)
		put(w, end, UNWIND_NO_RULE);
}

int unwind_rows_table(struct unwind_rows *rows, const struct unwind_rules *rules, size_t limit,
		      struct op_unwind_table **ret, size_t *ret_len, struct unwind_counts *counts)
{
	struct writer w = { .counts = counts };
	struct op_unwind_table *table;
	uint64_t len;

	sort_functions(rows);
	cut_functions(rows, counts);
	put_all(&w, rows);
	if (rules->nr <= UNWIND_UNKNOWN_RULE + 1 || w.nr_rows < 2)
		return -ENODATA;
	len = op_unwind_size(rules->nr, w.nr_pages, w.nr_rows);
	if (len > limit)
		return -EFBIG;
	table = malloc(len);
	if (!table)
		return -ENOMEM;
	*table = (struct op_unwind_table){
		.magic = OP_UNWIND_MAGIC, .version = OP_UNWIND_VERSION, .machine = rules->machine,
		.nr_rules = rules->nr, .first_page = w.first_page, .nr_pages = w.nr_pages,
		.nr_rows = w.nr_rows,
	};
	memcpy(table + 1, rules->rule, rules->nr * sizeof(*rules->rule));
	counts->rows = w.nr_rows;
	counts->rules = rules->nr;
	w = (struct writer){ .table = table, .first_page = w.first_page, .counts = counts };
	put_all(&w, rows);
	fill_pages(&w, table->nr_pages);
	*ret = table;
	*ret_len = len;
	return 0;
}

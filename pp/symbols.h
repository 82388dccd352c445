/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - the container: one row per (application, image, symbol) with its counts
 *
 * Formatters see only this. A row without samples is never made.
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "images.h"

struct symbol_row {
	const struct image *image, *app;
	char *name;		/* as in the binary; "[.plt]": outside every symbol [SY-5] */
	char *shown;		/* demangled, if it was asked for; may be @name itself */
	char *line;		/* "FILE:LINE", or NULL */
	uint64_t vma;
	size_t serial;		/* order of making: the last word in sorting */
	uint64_t counts[];	/* per class */
};

struct row_list {
	struct symbol_row **rows;
	size_t nr, room;
	size_t nr_classes;
	uint64_t *totals;	/* per class, of all rows: what percentages are of */
	size_t next_serial;
};

void rows_init(struct row_list *list, size_t nr_classes);

/* A new row with counts of 0. @name is copied. */
struct symbol_row *rows_add(struct row_list *list, const struct image *image,
			    const struct image *app, const char *name, uint64_t vma);

/* Remove the last row that was added. */
void rows_drop_last(struct row_list *list);

/* Add @row's counts to @into; then drop such rows, now empty, from index @from on. */
void row_move_counts(const struct row_list *list, struct symbol_row *row, struct symbol_row *into);
void rows_drop_empty(struct row_list *list, size_t from);

/* Compute the totals. Call it when all rows are there and before rows_threshold(). */
void rows_total(struct row_list *list);

/* Drop rows below @percent in every class (@first_class_only: in the first). */
void rows_threshold(struct row_list *list, double percent, bool first_class_only);

void rows_free(struct row_list *list);
void rows_print(const struct row_list *list, FILE *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - the container: one row per (application, image, symbol) with its counts
 *
 * Formatters see only this.
 */
#ifndef PP_REPORT_SYMBOLS_H
#define PP_REPORT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "pp/select/images.h"

/* Samples of one address: --details. */
struct row_detail {
	uint64_t vma;
	uint64_t place;		/* in its binary, until rows are merged */
	char *line;		/* "FILE:LINE", or NULL */
};

/* Two profiles that are compared (diff.h). */
struct row_diff {
	bool in_first, in_second;
	const struct symbol_row *partner;	/* if in both: the first's row, in its list */
	double points;		/* share in the second less share in the first, first class, in % */
	double change[];	/* per class: (second - first) / first of the shares, in % */
};

struct symbol_row {
	const struct report_image *image, *app;
	const struct report_session *session;	/* of a kernel; else NULL */
	const char *name;	/* as in the binary; "[.plt]" if outside every symbol [SY-5] */
	const char *shown;	/* demangled if that is wanted; may be @name itself */
	char *line;		/* "FILE:LINE", or NULL */
	uint64_t vma;
	uint64_t id;		/* of the row in its binary: merge_pass.h */
	uint32_t image_rank, app_rank;	/* of their shown names, for sort.c */
	size_t serial;		/* order of creation: decides between equal rows */
	struct row_detail *details;	/* by vma; --details only */
	uint64_t *detail_counts;	/* nr_classes for each detail */
	size_t nr_details, details_room;
	unsigned char *code;	/* its bytes in the image, or NULL */
	size_t code_size;
	struct row_diff *diff;	/* or NULL */
	struct graph_node *node;	/* callgraph.h's, or NULL */
	uint64_t counts[];	/* per class */
};

struct row_list {
	struct symbol_row **rows;
	size_t nr, room;
	size_t nr_classes;
	uint64_t *totals;	/* per class, of all rows: the base of percentages */
	size_t next_serial;
	struct row_block *blocks;	/* storage of rows and names */
};

void rows_init(struct row_list *list, size_t nr_classes);

/* Add a row with counts of 0. @name must live as long as the list: rows_text(). */
struct symbol_row *rows_add(struct row_list *list, const struct report_image *image,
			    const struct report_image *app, const char *name, uint64_t vma);

/* A copy of @text that lives as long as the list and what it is appended to. */
const char *rows_text(struct row_list *list, const char *text);

/* Append a detail to @row. Its counts, all 0, are returned. */
uint64_t *row_add_detail(const struct row_list *list, struct symbol_row *row, uint64_t vma);
const uint64_t *row_detail_counts(const struct row_list *list, const struct symbol_row *row,
				  size_t detail);

/* Remove the last row that was added. */
void rows_drop_last(struct row_list *list);

/* Add @row's counts to @into's, and its details, moved to the address of @into. */
void row_move_counts(const struct row_list *list, struct symbol_row *row, struct symbol_row *into);

/* Move the rows of @more, of as many classes, to the end of @list; @more is freed. */
void rows_append(struct row_list *list, struct row_list *more);

/*
 * Append a row of another list with as many classes. It stays in the storage of that list, which
 * must be freed after @list.
 */
void rows_move(struct row_list *list, struct symbol_row *row);

/* Free row @i and set its element to NULL, which the caller removes. */
void rows_free_one(struct row_list *list, size_t i);

/* Compute the totals: after the last row was added and before rows_threshold(). */
void rows_total(struct row_list *list);

/* Is the row's share @percent or more in any class (@first_class_only: in the first)? */
bool row_is_above(const struct row_list *list, const struct symbol_row *row, double percent,
		  bool first_class_only);

/* Drop rows below @percent in every class (@first_class_only: in the first). */
void rows_threshold(struct row_list *list, double percent, bool first_class_only);

void rows_free(struct row_list *list);
void rows_print(const struct row_list *list, FILE *out);

#endif

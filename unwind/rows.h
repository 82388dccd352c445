/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - collect the rows of a table, and write the table
 *
 * Functions come in any order, may overlap and leave gaps; the table's rows are sorted, and mark
 * the gaps.
 */
#ifndef UNWIND_ROWS_H
#define UNWIND_ROWS_H

#include "unwind/build.h"
#include "unwind/rules.h"

struct unwind_row {
	uint32_t offset;		/* in the file */
	uint16_t rule;
};

struct unwind_function {
	uint32_t begin, end;		/* in the file */
	uint32_t first_row, nr_rows;
};

struct unwind_rows {
	size_t max;			/* rows; more are -EFBIG */
	struct unwind_row *row;
	size_t nr, room;
	struct unwind_function *function;
	size_t nr_functions, functions_room;
};

/* For at most @max rows. */
void unwind_rows_init(struct unwind_rows *rows, size_t max);
void unwind_rows_free(struct unwind_rows *rows);

/* Begin a function, whose rows follow; @begin < @end. -ENOMEM, -EFBIG. */
int unwind_rows_function(struct unwind_rows *rows, uint32_t begin, uint32_t end);
/* A row of the last function from @offset on; offsets rise, an equal one replaces the row. */
int unwind_rows_add(struct unwind_rows *rows, uint32_t offset, uint16_t rule);

/*
 * Write the table; sorts the functions. If two overlap, the first ends where the second begins.
 * -ENODATA: no rules. -EFBIG: more than @limit bytes. -ENOMEM.
 */
int unwind_rows_table(struct unwind_rows *rows, const struct unwind_rules *rules, size_t limit,
		      struct op_unwind_table **ret, size_t *ret_len, struct unwind_counts *counts);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - the rows of a table in the making, and the table made of them
 *
 * Functions come in any order, may overlap and leave gaps; the table's rows rise and tell.
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
	size_t max;			/* rows: more are -EFBIG */
	struct unwind_row *row;
	size_t nr, room;
	struct unwind_function *function;
	size_t nr_functions, functions_room;
};

/* No rows yet; at most @max. */
void unwind_rows_init(struct unwind_rows *rows, size_t max);
void unwind_rows_free(struct unwind_rows *rows);

/* A function of which rows follow; @begin < @end. -ENOMEM, -EFBIG. */
int unwind_rows_function(struct unwind_rows *rows, uint32_t begin, uint32_t end);
/* From @offset of the last function on; offsets rise, the same one again replaces. */
int unwind_rows_add(struct unwind_rows *rows, uint32_t offset, uint16_t rule);

/*
 * The table; sorts the functions. Where two overlap the later one begins ends the earlier.
 * -ENODATA without any rule, -EFBIG past @limit bytes, -ENOMEM.
 */
int unwind_rows_table(struct unwind_rows *rows, const struct unwind_rules *rules, size_t limit,
		      struct op_unwind_table **ret, size_t *ret_len, struct unwind_counts *counts);

#endif

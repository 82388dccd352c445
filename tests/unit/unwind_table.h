/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_table.h - made-up unwind tables for tests: rows and rules in, a table out
 */
#ifndef UNWIND_TABLE_H
#define UNWIND_TABLE_H

#include <stdlib.h>
#include <string.h>
#include "op_unwind.h"

struct test_row {
	u32 offset;
	u16 rule;
};

/* Rows rise; *@ret_len bytes, to be freed. */
static inline struct op_unwind_table *test_table(u16 machine, const struct op_unwind_rule *rules,
						 u32 nr_rules, const struct test_row *rows,
						 u32 nr_rows, u64 *ret_len)
{
	u32 first = rows[0].offset >> 16, nr_pages = (rows[nr_rows - 1].offset >> 16) - first + 1;
	u64 len = op_unwind_size(nr_rules, nr_pages, nr_rows);
	struct op_unwind_table *t = calloc(1, len);
	u32 *page_row, row = 0;

	*t = (struct op_unwind_table){ OP_UNWIND_MAGIC, OP_UNWIND_VERSION, machine,
				       nr_rules, first, nr_pages, nr_rows };
	memcpy((void *)op_unwind_rules(t), rules, nr_rules * sizeof(*rules));
	page_row = (u32 *)op_unwind_page_rows(t);
	for (u32 page = 0; page < nr_pages; page++) {
		page_row[page] = row;
		for (; row < nr_rows && rows[row].offset >> 16 == first + page; row++) {
			((u16 *)op_unwind_row_starts(t))[row] = rows[row].offset;
			((u16 *)op_unwind_row_rules(t))[row] = rows[row].rule;
		}
	}
	page_row[nr_pages] = nr_rows;
	*ret_len = len;
	return t;
}

#endif

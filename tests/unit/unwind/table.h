/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h - make unwind tables from rows and rules, for tests */
#ifndef TESTS_UNIT_UNWIND_TABLE_H
#define TESTS_UNIT_UNWIND_TABLE_H

#include <stdlib.h>
#include <string.h>
#include "unwind/walk.h"

#define BIT(n)		(1u << (n))
#define NO		OP_UNWIND_NO_REGISTER

struct test_row {
	u32 offset;
	u16 rule;
};

/* Rows must be sorted. *@ret_len bytes, malloc'd. */
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

#define X86_KEPT (BIT(OP_X86_RBX) | BIT(OP_X86_RBP) | 0xf000)

/*
 * CFA = @base + @offset; the return address is just below it, the registers of @saved below that.
 */
static inline struct op_unwind_rule x86_rule(u8 base, s32 offset, u32 saved)
{
	struct op_unwind_rule r = { .cfa = OP_CFA_REGISTER, .base = base, .offset = offset,
				    .ra = -1, .ra_register = NO, .save_base = NO, .saved = saved,
				    .kept = X86_KEPT & ~saved };

	for (int i = 0; i < OP_UNWIND_SAVED_MAX; i++)
		r.at[i] = -2 - i;
	return r;
}

/* 0x10000: function of 24 bytes; 0x10100: nothing; 0x30000: the outermost; 0x30020: unknown */
static inline struct op_unwind_table *small_table(u64 *len)
{
	struct op_unwind_rule rules[] = {
		{ .cfa = OP_CFA_NONE }, { .cfa = OP_CFA_END }, x86_rule(OP_X86_RSP, 24, 0),
		{ .cfa = OP_CFA_UNKNOWN },
	};
	static const struct test_row rows[] = {
		{ 0x10000, 2 }, { 0x10100, 0 }, { 0x30000, 1 }, { 0x30010, 0 },
		{ 0x30020, 3 }, { 0x30030, 0 },
	};

	return test_table(OP_UNWIND_X86_64, rules, 4, rows, 6, len);
}

#endif

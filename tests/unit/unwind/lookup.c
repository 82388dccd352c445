// SPDX-License-Identifier: GPL-2.0-or-later
/* lookup.c - find the row for an offset; refuse invalid tables */
#include "tests/tap.h"
#include "tests/unit/unwind/table.h"

TEST(lookup_finds_the_row_at_or_below)
{
	static const struct { u64 offset; int rule; } want[] = {
		{ 0, -1 }, { 0xffff, -1 }, { 0x10000, 2 }, { 0x100ff, 2 }, { 0x10100, 0 },
		{ 0x1ffff, 0 }, { 0x20000, 0 }, { 0x2ffff, 0 }, { 0x30000, 1 }, { 0x3000f, 1 },
		{ 0x30010, 0 }, { 0x3ffff, 0 }, { 0x40000, -1 }, { 0x100010000, -1 }, { ~0ull, -1 },
	};
	u64 len;
	struct op_unwind_table *t = small_table(&len);

	CHECK(op_unwind_check(t, len), "sound");
	for (unsigned int i = 0; i < sizeof(want) / sizeof(*want); i++) {
		const struct op_unwind_rule *r = op_unwind_lookup(t, want[i].offset);

		CHECK((r ? r - op_unwind_rules(t) : -1) == want[i].rule, "at %lx", want[i].offset);
	}
	free(t);
}

TEST(lookup_agrees_with_a_plain_search)
{
	enum { ROWS = 5000 };
	struct op_unwind_rule rules[64] = { { .cfa = OP_CFA_NONE } };
	struct test_row *rows = calloc(ROWS, sizeof(*rows));
	struct op_unwind_table *t;
	u32 offset = 12345, row = 0;
	u64 len;

	srand(1);
	for (int i = 0; i < ROWS; i++) {
		rows[i] = (struct test_row){ offset, i == ROWS - 1 ? 0 : rand() % 64 };
		offset += 1 + (rand() % 50 ? rand() % 60 : rand() % 200000);
	}
	t = test_table(OP_UNWIND_X86_64, rules, 64, rows, ROWS, &len);
	CHECK(op_unwind_check(t, len), "sound");
	for (offset = rows[0].offset; offset < rows[ROWS - 1].offset; offset += 1 + rand() % 90) {
		const struct op_unwind_rule *r = op_unwind_lookup(t, offset);

		while (rows[row + 1].offset <= offset)
			row++;
		if (r - op_unwind_rules(t) != rows[row].rule)
			CHECK(false, "at %x", offset);
	}
	free(t);
	free(rows);
}

TEST(check_refuses_invalid_tables)
{
	u64 len;
	struct op_unwind_table *t = small_table(&len);
	struct op_unwind_rule *rule = (void *)op_unwind_rules(t);
	u32 *page_row = (u32 *)op_unwind_page_rows(t);
	u16 *start = (u16 *)op_unwind_row_starts(t), *row_rule = (u16 *)op_unwind_row_rules(t);

#define REFUSED(field, wrong)                                                                  \
	do {                                                                                   \
		__typeof__(field) was = (field);                                               \
		(field) = (wrong);                                                             \
		CHECK(!op_unwind_check(t, len), #field " = " #wrong);                          \
		(field) = was;                                                                 \
		CHECK(op_unwind_check(t, len), "sound again");                                 \
	} while (0)

	REFUSED(len, 0);
	REFUSED(len, len - 1);
	REFUSED(len, len + 1);
	REFUSED(t->magic, 1);
	REFUSED(t->version, 2);
	REFUSED(t->machine, 3);
	REFUSED(t->nr_rules, 0);
	REFUSED(t->nr_rules, 2);
	REFUSED(t->nr_rows, 0);
	REFUSED(t->nr_rows, ~0u);
	REFUSED(t->nr_pages, ~0u);
	REFUSED(t->first_page, 65535);
	REFUSED(page_row[0], 1);
	REFUSED(page_row[1], 5);
	REFUSED(page_row[2], 1);
	REFUSED(page_row[3], 3);
	REFUSED(start[1], 0);
	REFUSED(start[3], 0);
	REFUSED(row_rule[0], 4);
	REFUSED(row_rule[5], 2);
	REFUSED(rule[2].cfa, OP_CFA_KINDS);
	REFUSED(rule[2].base, OP_X86_REGISTERS);
	REFUSED(rule[2].ra_register, 16);
	REFUSED(rule[2].exact, 2);
	REFUSED(rule[2].index, OP_X86_REGISTERS);
	REFUSED(rule[2].kept, BIT(16));
	REFUSED(rule[2].saved, BIT(OP_X86_RBX));
	REFUSED(rule[0].saved, 0x1fff);
	REFUSED(rule[0].from_base, 1);
	free(t);
}

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/* made.c - tables of code that a process made and registered */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "libutil/opener/registered.h"
#include "tests/registered_elf.h"
#include "tests/tap.h"
#include "unwind/build.h"

#define LIMIT		(1 << 20)
#define WINDOW		(UINT64_C(1) << 32)

static unsigned char copy[1 << 20];
static size_t copy_size;

static void new_copy(void)
{
	memset(copy, 0, sizeof(copy));
	memcpy(copy, &(struct registered_head){ .magic = REGISTERED_MAGIC },
	       sizeof(struct registered_head));
	copy_size = sizeof(struct registered_head);
}

static void add_image(struct made_bytes image)
{
	memcpy(copy + copy_size, &(struct registered_image){ image.size }, sizeof(uint64_t));
	memcpy(copy + copy_size + sizeof(uint64_t), image.bytes, image.size);
	copy_size += sizeof(uint64_t) + (image.size + 7) / 8 * 8;
	free(image.bytes);
}

static struct op_unwind_table *build(uint64_t address, int expected)
{
	struct op_unwind_table *table = NULL;
	size_t len;
	int err = unwind_build_copy(copy, copy_size, unwind_window(address), LIMIT, &table, &len,
				    NULL);

	CHECK(err == expected, "error %d", err);
	CHECK(err || op_unwind_check(table, len), "malformed");
	return table;
}

/* What the CFA is at @address: the stack pointer and so much; -1: unknown. */
static int cfa_at(const struct op_unwind_table *table, uint64_t address)
{
	const struct op_unwind_rule *rule = op_unwind_lookup(table, (uint32_t)address);

	return rule && rule->cfa == OP_CFA_REGISTER && rule->base == OP_X86_RSP ? rule->offset : -1;
}

static void check_functions(enum made_frames frames, uint64_t text)
{
	struct made_function f[MADE_FUNCTIONS];
	struct op_unwind_table *table;
	unsigned char code[1024];

	new_copy();
	add_image(made_elf(f, MADE_FUNCTIONS, text, made_functions(code, f), frames));
	table = build(text, 0);
	for (unsigned int i = 0; i < MADE_FUNCTIONS && table; i++) {
		uint64_t at = text + f[i].at;

		bool is_followed = i + 1 < MADE_FUNCTIONS && f[i + 1].at == f[i].at + f[i].size;

		CHECK(cfa_at(table, at) == 8 && cfa_at(table, at + 1) == 16 &&
		      cfa_at(table, at + 5) == 16 + f[i].frame &&
		      cfa_at(table, at + f[i].size - 1) == 8 &&
		      cfa_at(table, at + f[i].size) == (is_followed ? 8 : -1),
		      "function %u", i);
	}
	CHECK(table && cfa_at(table, text - 1) == -1, "before");
	free(table);
}

TEST(frames_have_addresses_or_are_relocated)
{
	check_functions(MADE_DEBUG_FRAME, UINT64_C(0x7f1234567000));
	check_functions(MADE_EH_FRAME, UINT64_C(0x7f1234567000));
	check_functions(MADE_EH_FRAME, UINT64_C(0x10000));
}

TEST(code_across_4_gib_is_in_both_tables)
{
	const uint64_t text = 7 * WINDOW - 3;
	const struct made_function f = { "f", 0, 200, 0x40 };
	struct op_unwind_table *table;

	new_copy();
	add_image(made_elf(&f, 1, text, f.size, MADE_DEBUG_FRAME));
	table = build(text, 0);
	CHECK(table && cfa_at(table, text) == 8 && cfa_at(table, text + 1) == 16, "below");
	free(table);
	table = build(text + 3, 0);
	CHECK(table && cfa_at(table, text + 3) == 16 && cfa_at(table, text + 4) == 16 &&
	      cfa_at(table, text + 5) == 16 + 0x40 && cfa_at(table, text + 199) == 8 &&
	      cfa_at(table, text + 200) == -1, "above");
	free(table);
	build(text + WINDOW + 3, -ENODATA);
}

TEST(a_malformed_image_does_not_spoil_others)
{
	const struct made_function f = { "f", 0, 100, 0x40 };
	struct made_bytes bad[4];
	struct op_unwind_table *table;

	new_copy();
	for (unsigned int i = 0; i < 4; i++)
		bad[i] = made_elf(&f, 1, 0x10000, f.size, MADE_EH_FRAME);
	((Elf64_Ehdr *)bad[0].bytes)->e_shoff = UINT64_MAX - 8;
	((Elf64_Ehdr *)bad[1].bytes)->e_machine = EM_PPC64;
	bad[2].size = 64;
	((Elf64_Shdr *)(bad[3].bytes + ((Elf64_Ehdr *)bad[3].bytes)->e_shoff))[MADE_RELA].sh_size =
		UINT64_MAX;
	for (unsigned int i = 0; i < 4; i++)
		add_image(bad[i]);
	add_image(made_elf(&f, 1, 0x20000, f.size, MADE_DEBUG_FRAME));
	table = build(0, 0);
	CHECK(table && cfa_at(table, 0x20000) == 8, "the good one");
	free(table);
}

TEST(nothing_is_no_table)
{
	const struct made_function f = { "f", 0, 100, 0x40 };

	new_copy();
	build(0, -ENODATA);
	add_image(made_elf(&f, 1, 0x10000, f.size, MADE_NO_FRAMES));
	build(0, -ENODATA);
	copy_size = 5;
	build(0, -ENODATA);
}

TEST_MAIN()

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

/* ---- HotSpot ---- */

#define CODE_AT		UINT64_C(0x7f1234560000)

static void add_code(const char *kind, uint64_t start, uint32_t frame, uint32_t complete,
		     const void *code, uint32_t size)
{
	struct registered_blob blob = { .magic = REGISTERED_BLOB, .frame_size = frame,
					.start = start, .size = size, .complete = complete };
	struct made_bytes image = { malloc(sizeof(blob) + size), sizeof(blob) + size };

	memcpy(blob.kind, kind, strnlen(kind, sizeof(blob.kind)));
	memcpy(image.bytes, &blob, sizeof(blob));
	memcpy(image.bytes + sizeof(blob), code, size);
	add_image(image);
}

static const struct op_unwind_rule *rule_at(const struct op_unwind_table *table, uint64_t address)
{
	const struct op_unwind_rule *rule = op_unwind_lookup(table, (uint32_t)address);
	static const struct op_unwind_rule none;

	return rule ? rule : &none;
}

/* At an offset of code: a CFA of rsp and so much, with rbp saved there or not. */
struct expected { unsigned int at; int cfa; bool is_saved; };

static void expect(const struct op_unwind_table *table, const struct expected *e, size_t nr)
{
	for (size_t i = 0; table && i < nr; i++) {
		const struct op_unwind_rule *rule = rule_at(table, CODE_AT + e[i].at);
		bool is_saved = rule->saved & 1u << OP_X86_RBP;

		CHECK(cfa_at(table, CODE_AT + e[i].at) == e[i].cfa && is_saved == e[i].is_saved,
		      "at %u: rsp + %d", e[i].at, cfa_at(table, CODE_AT + e[i].at));
	}
}

TEST(compiled_methods_have_frames_of_one_size)
{
	static const unsigned char pushing[] = {
		0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff,	/* 0: mov %eax, -0x14000(%rsp) */
		0x55, 0x48, 0x83, 0xec, 0x20,			/* 7: push %rbp; sub $32, %rsp */
		0x90, 0x48, 0x83, 0xc4, 0x20, 0x5d,		/* 12: nop; add; pop %rbp */
		0x49, 0x3b, 0xa7, 0x40, 0x03, 0, 0,		/* 18: cmp 0x340(%r15), %rsp */
		0x0f, 0x87, 0, 0, 0, 0, 0xc3,			/* 25: ja; ret */
		0x48, 0x83, 0xc4, 0x28, 0x5d, 0xc3,		/* 32: not of this frame */
		0x48, 0x83, 0xc4, 0x20, 0x5d, 0xc3, 0x90,	/* 38: without a poll */
	}, moving[] = {
		0x48, 0x81, 0xec, 0x28, 0, 0, 0,		/* 0: sub $40, %rsp */
		0x48, 0x89, 0x6c, 0x24, 0x20,			/* 7: mov %rbp, 32(%rsp) */
		0x90, 0x90,
	};
	static const struct expected of_pushing[] = {
		{ 0, 8, false }, { 7, 8, false }, { 8, 16, true }, { 12, 48, true },
		{ 13, 48, true }, { 17, 16, true }, { 18, 8, false }, { 31, 8, false },
		{ 32, 48, true }, { 36, 48, true }, { 42, 16, true }, { 43, 8, false },
		{ 44, 48, true },
	}, of_moving[] = {
		{ 0, 8, false }, { 7, 48, false }, { 12, 48, true }, { 13, 48, true },
	};
	struct op_unwind_table *table;

	new_copy();
	add_code("nmethod", CODE_AT, 48, 12, pushing, sizeof(pushing));
	table = build(CODE_AT, 0);
	expect(table, of_pushing, sizeof(of_pushing) / sizeof(*of_pushing));
	free(table);
	new_copy();
	add_code("nmethod", CODE_AT, 48, 12, moving, sizeof(moving));
	table = build(CODE_AT, 0);
	expect(table, of_moving, sizeof(of_moving) / sizeof(*of_moving));
	CHECK(table && rule_at(table, CODE_AT + 12)->kept == 0, "no other register is kept");
	free(table);
	new_copy();
	add_code("nmethod", CODE_AT, 56, 12, moving, sizeof(moving));
	add_code("nmethod", CODE_AT + 100, 48, 12, moving, sizeof(moving));
	table = build(CODE_AT, 0);
	CHECK(table && rule_at(table, CODE_AT + 12)->cfa == OP_CFA_UNKNOWN, "another frame");
	free(table);
}

TEST(other_code_of_hotspot_has_frame_pointers_or_none)
{
	static const unsigned char entering[] = {
		0x90, 0x55, 0x48, 0x8b, 0xec, 0x90, 0xc9, 0xc3,	/* 1: enter; 6: leave; ret */
		0x90, 0x55, 0x48, 0x8b, 0xec, 0x90,
	};
	static const struct expected of_entering[] = {
		{ 0, 8, false }, { 1, 8, false }, { 2, 16, true }, { 7, 8, false }, { 9, 8, false },
		{ 10, 16, true },
	};
	const uint64_t other = CODE_AT + 0x1000;
	const struct op_unwind_rule *rule;
	struct op_unwind_table *table;

	new_copy();
	add_code("StubRoutines (1)", CODE_AT, 0, sizeof(entering), entering, sizeof(entering));
	add_code("Interpreter", other, 0, 0, entering, sizeof(entering));
	add_code("vtable chunks", other + 0x100, 0, 0, entering, sizeof(entering));
	add_code("I2C/C2I adapters", other + 0x200, 0, 0, entering, sizeof(entering));
	table = build(CODE_AT, 0);
	if (!table)
		return;
	expect(table, of_entering, sizeof(of_entering) / sizeof(*of_entering));
	rule = rule_at(table, CODE_AT + 5);
	CHECK(rule->base == OP_X86_RBP && rule->offset == 16, "a frame pointer");
	rule = rule_at(table, CODE_AT + 8);
	CHECK(rule->base == OP_X86_RBP && rule->offset == 16, "behind a return");
	rule = rule_at(table, other + 3);
	CHECK(rule->cfa == OP_CFA_DEREF && rule->base == OP_X86_RBP && rule->offset == -8 &&
	      rule->ra_register == OP_UNWIND_AT_BASE && rule->save_base == OP_X86_RBP &&
	      rule->ra == 1 && rule->from_base == 1u << OP_X86_RBP, "the interpreter");
	CHECK(cfa_at(table, other + 0x103) == 8, "a stub that only jumps");
	CHECK(rule_at(table, other + 0x203)->cfa == OP_CFA_UNKNOWN, "an adapter");
	free(table);
}

TEST(the_code_for_exceptions_is_jumped_to)
{
	static const unsigned char thrown[] = {
		0x52, 0x48, 0x83, 0xec, 0x08,		/* 0: push %rdx; sub $8, %rsp */
		0x48, 0x89, 0x2c, 0x24, 0x90,		/* 5: mov %rbp, (%rsp); nop */
		0x48, 0x8b, 0x2c, 0x24,			/* 10: mov (%rsp), %rbp */
		0x48, 0x83, 0xc4, 0x08, 0x5a, 0x90,	/* 14: add $8, %rsp; pop %rdx; nop */
	};
	static const struct expected of_thrown[] = {
		{ 1, 8, false }, { 5, 16, false }, { 9, 16, true }, { 17, 16, true },
		{ 18, 8, false },
	};
	struct op_unwind_table *table;

	new_copy();
	add_code("ExceptionBlob", CODE_AT, 16, sizeof(thrown), thrown, sizeof(thrown));
	table = build(CODE_AT, 0);
	expect(table, of_thrown, sizeof(of_thrown) / sizeof(*of_thrown));
	CHECK(table && rule_at(table, CODE_AT)->cfa == OP_CFA_UNKNOWN &&
	      rule_at(table, CODE_AT + 19)->cfa == OP_CFA_UNKNOWN, "before and after");
	free(table);
}

TEST(code_of_no_sane_size_has_no_table)
{
	static const unsigned char code[] = { 0x55, 0x5d };
	const struct registered_blob wild[] = {
		{ REGISTERED_BLOB, 16, CODE_AT, 3, 1, "nmethod" },
		{ REGISTERED_BLOB, 16, CODE_AT, 2, 3, "nmethod" },
		{ REGISTERED_BLOB, 16, UINT64_MAX, 2, 1, "nmethod" },
		{ REGISTERED_BLOB, 16, CODE_AT, UINT32_MAX, 1, "nmethod" },
	};

	for (size_t i = 0; i < sizeof(wild) / sizeof(*wild); i++) {
		struct made_bytes image = { malloc(sizeof(*wild) + 2), sizeof(*wild) + 2 };

		memcpy(image.bytes, &wild[i], sizeof(*wild));
		memcpy(image.bytes + sizeof(*wild), code, 2);
		new_copy();
		add_image(image);
		build(CODE_AT, -EPROTO);
	}
	new_copy();
	for (uint32_t frame = UINT32_MAX; frame; frame >>= 1)
		add_code("nmethod", CODE_AT + frame % 4096, frame, 1, code, sizeof(code));
	build(CODE_AT, -ENODATA);
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

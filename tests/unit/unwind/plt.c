// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plt.c - code without call frame information: linkage tables of each form, returns from signal
 * handlers
 */
#include "tests/tap.h"
#include "tests/unit/unwind/image.h"
#include "unwind/build.h"
#include "unwind/walk.h"

#define SP_OF(machine)	((machine) == OP_UNWIND_ARM64 ? OP_ARM64_SP : OP_X86_RSP)

/* The table of a binary with nothing but @code as its linkage table. */
static struct op_unwind_table *table_with(u16 machine, const void *code, size_t n)
{
	struct op_unwind_table *t = NULL;
	size_t len;
	int err;

	new_image();
	plt_size = n;
	memcpy(image + PLT, code, n);
	end_image()->e_machine = machine;
	err = unwind_build_image(image, image_size, 1 << 20, &t, &len, NULL);
	CHECK(!err && op_unwind_check(t, len), "%s", err ? unwind_refusal(err) : "unsound");
	return err ? NULL : t;
}

/* Frame size, and whether pushes depend on the place in the entry, at a byte of the table. */
static void expect(const struct op_unwind_table *t, unsigned int at, u8 cfa, int offset, int from)
{
	const struct op_unwind_rule *r = op_unwind_lookup(t, PLT + at);

	CHECK(r && r->cfa == cfa, "at %u: kind %d", at, r ? r->cfa : -1);
	if (!r)
		return;
	CHECK(r->base == SP_OF(t->machine) && r->offset == offset && r->offset2 == from,
	      "at %u: base %d, offset %d, %d", at, r->base, r->offset, r->offset2);
	if (t->machine == OP_UNWIND_ARM64 && !offset)
		CHECK(r->ra_register == OP_ARM64_LR, "at %u: return address in x30", at);
	else
		CHECK(r->ra == -1, "at %u: return address at %d", at, r->ra);
}

static void nothing_around(const struct op_unwind_table *t, unsigned int size)
{
	CHECK(!op_unwind_lookup(t, PLT - 1), "before");
	CHECK(op_unwind_lookup(t, PLT + size)->cfa == OP_CFA_NONE, "behind");
}

TEST(entries_that_jump)
{
	static const unsigned char code[64] = { 0xff, 0x25, 1, 2, 3, 4, 0x66, 0x90 };
	struct op_unwind_table *t = table_with(OP_UNWIND_X86_64, code, sizeof(code));

	for (unsigned int at = 0; at < sizeof(code); at++)
		expect(t, at, OP_CFA_REGISTER, 8, 0);
	nothing_around(t, sizeof(code));
	free(t);
}

static void lazy(const unsigned char *second, int from)
{
	unsigned char code[64] = { 0xff, 0x35, 1, 2, 3, 4, 0xff, 0x25 };
	struct op_unwind_table *t;

	memcpy(code + 16, second, 6);
	t = table_with(OP_UNWIND_X86_64, code, sizeof(code));
	expect(t, 0, OP_CFA_REGISTER, 16, 0);
	expect(t, 5, OP_CFA_REGISTER, 16, 0);
	expect(t, 6, OP_CFA_REGISTER, 24, 0);
	expect(t, 15, OP_CFA_REGISTER, 24, 0);
	expect(t, 16, OP_CFA_PLT, 8, from);
	expect(t, 63, OP_CFA_PLT, 8, from);
	nothing_around(t, sizeof(code));
	free(t);
}

TEST(lazy_entries)
{
	/* jmp [rip + n]; push n (at 6, 5 bytes); jmp */
	lazy((const unsigned char[6]){ 0xff, 0x25 }, 11);
	/* endbr64; push n (at 4, 5 bytes); jmp */
	lazy((const unsigned char[6]){ 0xf3, 0x0f, 0x1e, 0xfa, 0x68 }, 9);
}

TEST(arm64_entries)
{
	static const unsigned char push[4] = { 0xf0, 0x7b, 0xbf, 0xa9 };
	unsigned char code[64] = { 0 };
	struct op_unwind_table *t = table_with(OP_UNWIND_ARM64, code, sizeof(code));

	expect(t, 0, OP_CFA_REGISTER, 0, 0);
	expect(t, 63, OP_CFA_REGISTER, 0, 0);
	free(t);
	for (unsigned int at = 0; at <= 4; at += 4) {	/* first, or after bti c */
		memset(code, 0, sizeof(code));
		memcpy(code + at, push, sizeof(push));
		t = table_with(OP_UNWIND_ARM64, code, sizeof(code));
		expect(t, at, OP_CFA_REGISTER, 0, 0);
		expect(t, at + 4, OP_CFA_REGISTER, 16, 0);
		expect(t, 31, OP_CFA_REGISTER, 16, 0);
		expect(t, 32, OP_CFA_REGISTER, 0, 0);
		nothing_around(t, sizeof(code));
		free(t);
	}
}

TEST(call_frame_information_takes_precedence)
{
	struct op_unwind_table *t;
	size_t len;

	new_image();
	plt_size = 64;
	put_fde(put_cie("zR", "", 0), PLT + 16, 16, "\x0e\x30", 2);
	end_image();
	CHECK(!unwind_build_image(image, image_size, 1 << 20, &t, &len, NULL), "table");
	CHECK(op_unwind_lookup(t, PLT)->offset == 8, "before the FDE");
	CHECK(op_unwind_lookup(t, PLT + 16)->offset == 48, "the FDE");
	free(t);
}

TEST(tiny_tables)
{
	static const unsigned char first[16] = { 0xff, 0x35 };

	for (size_t n = 2; n < 16; n++) {
		struct op_unwind_table *t = table_with(OP_UNWIND_X86_64, first, n);

		expect(t, 0, OP_CFA_REGISTER, 16, 0);
		nothing_around(t, n);
		free(t);
	}
}

/* As in musl and Go: without call frame information, or with that of an ordinary function. */
static const struct op_unwind_rule *x86_signal(const void *code, size_t n,
					       struct op_unwind_table **t)
{
	size_t len;

	new_image();
	put_fde(put_cie("zR", "", 0), CODE + 1, 16, "", 0);
	memcpy(image + CODE, code, n);
	end_image();
	*t = NULL;
	CHECK(!unwind_build_image(image, image_size, 1 << 20, t, &len, NULL), "table");
	return *t ? op_unwind_lookup(*t, CODE) : NULL;
}

TEST(x86_signal_returns)
{
	static const struct { const char *code; size_t n; bool is; } rows[] = {
		{ "\x90\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 10, true },	/* musl */
		{ "\xcc\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 10, true },	/* Go */
		{ "\x90\xb8\x0f\0\0\0\x0f\x05", 8, true },
		{ "\xc3\xb8\x0f\0\0\0\x0f\x05", 8, false },	/* the end of another function */
		{ "\x90\xb8\x0e\0\0\0\x0f\x05", 8, false },	/* another system call */
		{ "\x90\xb9\x0f\0\0\0\x0f\x05", 8, false },	/* another register */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct op_unwind_table *t;
		const struct op_unwind_rule *r = x86_signal(rows[i].code, rows[i].n, &t);
		bool is = r && r->cfa == OP_CFA_SIGNAL;

		CHECK(is == rows[i].is, "row %zu: kind %d", i, r ? r->cfa : -1);
		CHECK(!is || (r->base == OP_X86_RSP && r->offset == 40), "row %zu: at %d", i,
		      r ? r->offset : 0);
		free(t);
	}
}

/* At any place relative to the chunks that are read. */
TEST(x86_signal_return_anywhere)
{
	static const char code[] = "\x90\x48\xc7\xc0\x0f\0\0\0\x0f\x05";

	for (unsigned int at = 0xffe0; at < 0x10010; at++) {
		const struct op_unwind_rule *r;
		struct op_unwind_table *t = NULL;
		size_t len;

		new_image();
		image_size = frames_at = 0x20000;
		memcpy(image + at, code, sizeof(code) - 1);
		end_image();
		CHECK(!unwind_build_image(image, image_size, 1 << 20, &t, &len, NULL), "table");
		r = t ? op_unwind_lookup(t, at) : NULL;
		CHECK(r && r->cfa == OP_CFA_SIGNAL, "at %x", at);
		free(t);
	}
}

TEST(arm64_signal_return)
{
	static const unsigned char code[8] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };
	const struct op_unwind_rule *r;
	struct op_unwind_table *t;
	size_t len;

	new_image();
	memcpy(image + CODE, code, sizeof(code));
	end_image()->e_machine = EM_AARCH64;
	CHECK(!unwind_build_image(image, image_size, 1 << 20, &t, &len, NULL), "table");
	r = op_unwind_lookup(t, CODE - 1);	/* the return address is its first instruction */
	CHECK(r && r->cfa == OP_CFA_SIGNAL && r->base == OP_ARM64_SP && r->offset == 312, "rule");
	CHECK(op_unwind_lookup(t, CODE + 7) == r, "up to its end");
	CHECK(op_unwind_lookup(t, CODE + 8)->cfa == OP_CFA_NONE, "and no further");
	free(t);
}

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build.c - tables of made-up binaries: each instruction, and malformed entries
 *
 * Real binaries are compared with libdw in reference.c; these tests are for what they rarely have.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include "tests/tap.h"
#include "tests/unit/unwind/image.h"
#include "unwind/build.h"
#include "unwind/walk.h"

#define LIMIT		(1 << 20)
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static int build(struct op_unwind_table **ret, struct unwind_counts *counts)
{
	size_t len;
	int err = unwind_build_image(image, image_size, LIMIT, ret, &len, counts);

	CHECK(err || op_unwind_check(*ret, len), "what is made is sound");
	return err;
}

/* The rule @n bytes into the only function, which has the given program. */
static struct op_unwind_rule rule_of(const char *program, size_t n, unsigned int at)
{
	struct op_unwind_rule rule = { 0 };
	struct op_unwind_table *t;
	size_t cie;

	new_image();
	cie = put_cie("zR", "", 0);
	put_fde(cie, CODE, 64, program, n);
	put_fde(cie, 0x2000, 16, "", 0);	/* so that the table has a rule in any case */
	end_image();
	if (build(&t, NULL)) {
		CHECK(false, "no table");
		return rule;
	}
	rule = *op_unwind_lookup(t, CODE + at);
	free(t);
	return rule;
}

#define RULE(program, at) rule_of(program, sizeof(program) - 1, at)

TEST(instructions)
{
	struct op_unwind_rule r;

	r = RULE("", 0);
	CHECK(r.cfa == OP_CFA_REGISTER && r.base == 7 && r.offset == 8 && r.ra == -1, "initial");
	CHECK(r.kept == 0xf048 && !r.saved && !r.exact, "kept %x", r.kept);
	r = RULE("\x41\x0e\x10\x86\x02", 1);	/* push rbp */
	CHECK(r.offset == 16 && r.saved == 0x40 && r.at[0] == -2 && r.kept == 0xf008, "push");
	CHECK(RULE("\x41\x0e\x10", 0).offset == 8, "not before");
	CHECK(RULE("\x02\x09\x0e\x10", 9).offset == 16, "advance_loc1");
	CHECK(RULE("\x03\x09\x00\x0e\x10", 9).offset == 16, "advance_loc2");
	CHECK(RULE("\x04\x09\x00\x00\x00\x0e\x10", 9).offset == 16, "advance_loc4");
	CHECK(RULE("\x01\x09\x10\x40\x00\x00\x00\x00\x00\x0e\x10", 9).offset == 16, "set_loc");
	CHECK(RULE("\x0d\x06", 0).base == 6, "def_cfa_register");
	CHECK(RULE("\x12\x06\x7e", 0).offset == 16, "def_cfa_sf");
	CHECK(RULE("\x13\x7d", 0).offset == 24, "def_cfa_offset_sf");
	CHECK(RULE("\x05\x03\x03", 0).at[0] == -3, "offset_extended");
	CHECK(RULE("\x11\x03\x7d", 0).at[0] == 3, "offset_extended_sf");
	CHECK(RULE("\x2f\x03\x03", 0).at[0] == 3, "GNU_negative_offset_extended");
	CHECK(RULE("\x86\x02\xc6", 0).kept == 0xf048, "restore");
	CHECK(RULE("\x86\x02\x06\x06", 0).kept == 0xf048, "restore_extended");
	CHECK(RULE("\x86\x02\x08\x06", 0).kept == 0xf048, "same_value");
	r = RULE("\x86\x02\x07\x06", 0);
	CHECK(r.kept == 0xf008 && !r.saved, "undefined: lost");
	CHECK(RULE("\x0a\x0e\x20\x41\x0b", 1).offset == 8, "remember, restore state");
	CHECK(RULE("\x09\x10\x02", 0).ra_register == 2, "register");
	CHECK(RULE("\x09\x10\x02", 0).exact, "in rcx: a landing pad");
	CHECK(!RULE("\x09\x10\x01", 0).exact, "in rdx: none");
	CHECK(RULE("\x0c\x02\x08", 0).exact, "by rcx");
	CHECK(!RULE("\x0c\x01\x08", 0).exact, "by rdx");
	CHECK(RULE("\x07\x10", 0).cfa == OP_CFA_END, "undefined return address");
	CHECK(RULE("\x2e\x10\x2d\x00", 0).offset == 8, "args_size, negate_ra_state, nop");
	CHECK(!(RULE("\x14\x03\x01", 0).kept & 8), "val_offset: lost");
	CHECK(!(RULE("\x16\x03\x02\x76\x00", 0).kept & 8), "val_expression: lost");
	CHECK(RULE("\x90\x00\x0e\x10", 0).ra == 0, "return address elsewhere");
	CHECK(RULE("\xa0\x01", 0).kept == 0xf048, "registers that do not matter");
}

TEST(expressions)
{
	struct op_unwind_rule r;

	r = RULE("\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x00\x10\x03\x02\x76\x70", 0);
	CHECK(r.cfa == OP_CFA_DEREF && r.base == 6 && r.offset == -8 && !r.offset2, "realigned");
	CHECK(r.saved == 0x48 && r.from_base == 0x48 && r.save_base == 6, "from rbp");
	CHECK(r.at[0] == -2 && r.at[1] == 0, "%d %d", r.at[0], r.at[1]);
	r = RULE("\x0f\x05\x77\x28\x06\x23\x08", 0);
	CHECK(r.cfa == OP_CFA_DEREF && r.offset == 40 && r.offset2 == 8, "with an addend");
	r = RULE("\x0f\x02\x76\x10\x10\x03\x02\x76\x00", 0);
	CHECK(r.cfa == OP_CFA_REGISTER && !r.from_base && r.at[0] == -2, "by the CFA after all");
	r = RULE("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22", 0);
	CHECK(r.cfa == OP_CFA_PLT && r.offset == 8 && r.offset2 == 11, "plt");
	r = RULE("\x0f\x0a\x77\x08\x79\x00\x38\x1e\x22\x06\x23\x08", 0);
	CHECK(r.cfa == OP_CFA_INDEXED && r.index == 9 && r.offset2 == 8, "indexed");
	CHECK(RULE("\x0f\x01\x96", 0).cfa == OP_CFA_UNKNOWN, "an operation that is none of these");
	CHECK(RULE("\x0f\x04\x77\x08\x06\x06", 0).cfa == OP_CFA_UNKNOWN, "one too many");
	CHECK(RULE("\x0f\x02\x90\x00", 0).cfa == OP_CFA_UNKNOWN, "the return address as base");
	r = RULE("\x10\x03\x03\x76\x00\x06", 0);
	CHECK(!(r.kept & 8) && !r.saved, "a register saved by one: lost");
}

TEST(unsupported_states_are_unknown)
{
	CHECK(RULE("\x0e\x80\x80\x80\x80\x10", 0).cfa == OP_CFA_UNKNOWN, "CFA + 2^32");
	CHECK(RULE("\x0d\x21", 0).cfa == OP_CFA_UNKNOWN, "CFA by register 33");
	CHECK(RULE("\x0d\x10", 0).cfa == OP_CFA_UNKNOWN, "CFA by the return address");
	CHECK(RULE("\x08\x10", 0).cfa == OP_CFA_UNKNOWN, "return address in itself");
	CHECK(RULE("\x09\x10\x11", 0).cfa == OP_CFA_UNKNOWN, "return address in a vector register");
	CHECK(RULE("\x05\x10\x80\x80\x80\x01", 0).cfa == OP_CFA_UNKNOWN, "return address far away");
	CHECK(RULE("\x87\x02", 0).cfa == OP_CFA_UNKNOWN, "rsp saved");
	CHECK(!RULE("\x05\x03\x80\x80\x80\x01", 0).saved, "register saved far away");
	CHECK(RULE("\x41\x3f\x42\x0e\x10", 2).cfa == OP_CFA_UNKNOWN, "unknown instruction");
	CHECK(RULE("\x41\x3f\x42\x0e\x10", 0).offset == 8, "but before");
	CHECK(RULE("\x41\x0b", 1).cfa == OP_CFA_UNKNOWN, "nothing to restore");
	CHECK(RULE("\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a", 0).cfa ==
	      OP_CFA_UNKNOWN, "remembers too much");
	CHECK(RULE("\x04\xff\xff\xff\xff\x0e\x10", 63).offset == 8, "advances past the end");
	CHECK(RULE("\x42\x01\x01\x10\x40\x00\x00\x00\x00\x00\x0e\x10", 2).cfa ==
	      OP_CFA_UNKNOWN, "back");
	CHECK(RULE("\x0f\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x77", 0).cfa ==
	      OP_CFA_UNKNOWN, "long");
	CHECK(RULE("\x41\x0e\xff", 1).cfa == OP_CFA_UNKNOWN, "cut short");
}

TEST(functions_are_sorted_and_cut)
{
	static const struct { unsigned int at; int offset; } want[] = {
		{ 0x1000, 0 }, { 0x1010, 40 }, { 0x101f, 40 }, { 0x1020, 16 }, { 0x102f, 16 },
		{ 0x1030, 0 }, { 0x1040, 24 }, { 0x104f, 24 }, { 0x1050, 32 }, { 0x1060, 0 },
	};
	struct unwind_counts counts;
	struct op_unwind_table *t;
	size_t cie;

	new_image();
	cie = put_cie("zR", "", 0);
	put_fde(cie, 0x1040, 0x10, "\x0e\x18", 2);
	put_fde(cie, 0x1010, 0x20, "\x0e\x28", 2);	/* overlaps the next */
	put_fde(cie, 0x1020, 0x10, "\x0e\x10", 2);
	put_fde(cie, 0x1020, 0x10, "\x0e\x30", 2);	/* at the same place: the first wins */
	put_fde(cie, 0x1050, 0x10, "\x0e\x20", 2);
	put_fde(cie, -TEXT, 0x10, "", 0);		/* at 0: discarded */
	put_fde(cie, 0x100000000, 0x10, "", 0);		/* not in the file */
	put_fde(cie, 0x1060, 0, "", 0);
	put_fde(cie, 0x1070, ~0ull - 0x1000, "", 0);
	end_image();
	CHECK(!build(&t, &counts), "table");
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct op_unwind_rule *r = op_unwind_lookup(t, want[i].at);

		CHECK((r ? r->offset : 0) == want[i].offset, "at %x: %d", want[i].at, r->offset);
	}
	CHECK(counts.functions == 5 && counts.cut == 2, "%lu, %lu", counts.functions, counts.cut);
	CHECK(counts.discarded + counts.skipped == 4, "%lu, %lu", counts.discarded, counts.skipped);
	CHECK(counts.bytes == 0x40 && !counts.bytes_none, "%lu bytes", counts.bytes);
	free(t);
}

TEST(malformed_entries)
{
	static char huge[5000];
	struct unwind_counts counts;
	struct op_unwind_table *t;
	size_t cie, other;

	new_image();
	cie = put_cie("zR", "", 0);
	put_fde(cie, 0x1000, 0x10, "", 0);
	other = put_cie("zR", huge, sizeof(huge));
	put_fde(other, 0x1010, 0x10, "", 0);
	other = put_cie("eh", "", 0);
	put_fde(other, 0x1020, 0x10, "", 0);
	put_fde(image_size, 0x1030, 0x10, "", 0);	/* its own CIE */
	put_fde(0x3000, 0x1040, 0x10, "", 0);		/* before the section */
	put_fde(cie + 4, 0x1050, 0x10, "", 0);
	put32(0);					/* a terminator with more after it */
	put_fde(cie, 0x1060, 0x10, "", 0);
	put32(0x7fffffff);
	end_image();
	CHECK(!build(&t, &counts), "table");
	CHECK(counts.functions == 2 && counts.skipped == 6, "%lu, %lu", counts.functions,
	      counts.skipped);
	CHECK(op_unwind_lookup(t, 0x1060)->offset == 8, "the last one is there");
	free(t);
}

TEST(refused_with_a_reason)
{
	static const struct { size_t at; uint8_t value; int err; } rows[] = {
		{ 0, 'x', -ENOEXEC }, { EI_CLASS, ELFCLASS32, -EPROTO },
		{ EI_DATA, ELFDATA2MSB, -ENOTSUP },
		{ offsetof(Elf64_Ehdr, e_type), ET_REL, -ENOEXEC },
		{ offsetof(Elf64_Ehdr, e_machine), EM_386, -ENOTSUP },	/* of 64 bits */
		{ offsetof(Elf64_Ehdr, e_machine), EM_ARM, -ENOTSUP },
		{ offsetof(Elf64_Ehdr, e_phnum), 0, -EPROTO },
		{ offsetof(Elf64_Ehdr, e_phoff) + 7, 0xff, -EPROTO },
		{ offsetof(Elf64_Ehdr, e_shnum), 0, -ENODATA },
		{ offsetof(Elf64_Ehdr, e_shoff) + 6, 0xff, -ENODATA },
	};
	struct op_unwind_table *t;
	Elf64_Shdr *sections;
	Elf64_Ehdr *h;
	size_t len;

	new_image();
	put_fde(put_cie("zR", "", 0), 0x1000, 0x10, "", 0);
	h = end_image();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t was = image[rows[i].at];
		int err;

		image[rows[i].at] = rows[i].value;
		err = build(&t, NULL);
		CHECK(err == rows[i].err, "row %zu: %d", i, err);
		image[rows[i].at] = was;
	}
	CHECK(unwind_build_image(image, image_size, 100, &t, &len, NULL) == -EFBIG, "small limit");
	sections = (Elf64_Shdr *)(image + h->e_shoff);
	sections[1].sh_flags = SHF_COMPRESSED;
	CHECK(build(&t, NULL) == -EPROTONOSUPPORT, "compressed");
	sections[1].sh_flags = 0;
	sections[1].sh_size = 1ull << 40;
	CHECK(build(&t, NULL) == -ENODATA, "beyond the file");
}

/* At each length: a valid table or an error. */
TEST(truncated_at_each_length)
{
	struct op_unwind_table *t;
	size_t cie, whole;

	new_image();
	frames_at = image_size = 0x400;
	cie = put_cie("zR", "", 0);
	for (int i = 0; i < 20; i++)
		put_fde(cie, 0x40 + i * 0x10, 0x10, "\x41\x0e\x10\x86\x02", 5);
	end_image();
	whole = image_size;
	for (image_size = 0; image_size < whole; image_size++)
		if (!build(&t, NULL))
			free(t);
}

/* Functions that alternate between many long CIEs: the most work per byte. */
TEST(time_is_bounded)
{
	static uint8_t nops[1000];
	struct op_unwind_table *t;
	struct timespec a, b;
	size_t cies[64];
	double seconds;

	new_image();
	for (int i = 0; i < 64; i++)
		cies[i] = put_cie("zR", nops, sizeof(nops));
	for (int i = 0; image_size < MAX - 100000; i++)
		put_fde(cies[i % 64], CODE + i % 1000, 1, "", 0);
	end_image();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	if (!unwind_build_image(image, image_size, 64 << 20, &t, &(size_t){ 0 }, NULL))
		free(t);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	seconds = b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) / 1e9;
	printf("# %.2f s for %d MB\n", seconds, MAX >> 20);
	CHECK(seconds < 5, "%.2f s", seconds);
}

static atomic_bool stop;

static int shrinking = -1;

static void *resize(void *arg)
{
	(void)arg;
	while (!stop)
		if (ftruncate(shrinking, 0x4010) || ftruncate(shrinking, image_size))
			abort();
	return NULL;
}

TEST(file_truncated_meanwhile)
{
	struct op_unwind_table *t;
	pthread_t thread;
	size_t cie, len;

	new_image();
	cie = put_cie("zR", "", 0);
	for (int i = 0; i < 1000; i++)
		put_fde(cie, CODE + i, 1, "", 0);
	end_image();
	shrinking = memfd_create("binary", MFD_CLOEXEC);
	CHECK(write(shrinking, image, image_size) == (ssize_t)image_size, "write");
	if (pthread_create(&thread, NULL, resize, NULL))
		abort();
	for (int i = 0; i < 300; i++) {
		int err = unwind_build_fd(shrinking, LIMIT, &t, &len, NULL);

		if (!err) {
			CHECK(op_unwind_check(t, len), "sound");
			free(t);
		}
	}
	stop = true;
	pthread_join(thread, NULL);
	close(shrinking);
}

TEST_MAIN()

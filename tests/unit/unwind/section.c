// SPDX-License-Identifier: GPL-2.0-or-later
/* section.c - compressed call frame information in both forms, and malformed one */
#include <endian.h>
#include <errno.h>
#include <zlib.h>
#include "tests/tap.h"
#include "tests/unit/unwind/image.h"
#include "unwind/build.h"
#include "unwind/walk.h"

#define LIMIT	(1 << 20)
#define NR	64		/* functions */

/* A .debug_frame: one CIE, and functions with frames of 16 * n bytes. */
static void put_debug_frame(void)
{
	last_entry = image_size;
	put32(0);
	put32(UINT32_MAX);
	put("\x01\x00\x01\x78\x10\x0c\x07\x08\x90\x01", 10);
	end_entry();
	for (unsigned int n = 0; n < NR; n++) {
		uint64_t begin = TEXT + CODE + 16 * n, size = 16;
		uint8_t program[2] = { 0x0e, n };

		last_entry = image_size;
		put32(0);
		put32(0);
		put(&begin, 8);
		put(&size, 8);
		put(program, sizeof(program));
		end_entry();
	}
}

/* Replace the section's bytes by @header and their compressed form. */
static void compress_section(const void *header, size_t n)
{
	size_t len = image_size - frames_at;
	uLongf size = compressBound(len);
	uint8_t *packed = malloc(size);

	if (compress(packed, &size, image + frames_at, len) != Z_OK)
		abort();
	image_size = frames_at;
	put(header, n);
	put(packed, size);
	free(packed);
}

static Elf64_Shdr *section(void)
{
	return (Elf64_Shdr *)(image + ((Elf64_Ehdr *)image)->e_shoff) + 1;
}

/* An error in the decompressed size; the kind of compression; as .zdebug_frame. */
static void new_compressed(int64_t more, uint32_t type, bool zdebug)
{
	struct { char magic[4]; uint64_t size; } __attribute__((packed)) zlib = {
		{ 'Z', 'L', 'I', 'B' }, 0 };
	Elf64_Chdr h = { .ch_type = type };

	new_image();
	put_debug_frame();
	h.ch_size = image_size - frames_at + more;
	zlib.size = htobe64(h.ch_size);
	if (zdebug)
		compress_section(&zlib, sizeof(zlib));
	else
		compress_section(&h, sizeof(h));
	end_image();
	section()->sh_name = zdebug ? NAME_ZDEBUG_FRAME : NAME_DEBUG_FRAME;
	section()->sh_flags = zdebug ? 0 : SHF_COMPRESSED;
}

static int build(struct op_unwind_table **ret, size_t limit)
{
	size_t len;

	*ret = NULL;
	return unwind_build_image(image, image_size, limit, ret, &len, NULL);
}

static void check_functions(const char *what)
{
	struct op_unwind_table *t;
	int err = build(&t, LIMIT);

	CHECK(!err, "%s: %d", what, err);
	for (unsigned int n = 0; n < NR && t; n++) {
		const struct op_unwind_rule *r = op_unwind_lookup(t, CODE + 16 * n);

		CHECK(r && r->cfa == OP_CFA_REGISTER && r->offset == (s16)n, "%s: %u", what, n);
	}
	free(t);
}

static void refused(int wanted, const char *what)
{
	struct op_unwind_table *t;
	int err = build(&t, LIMIT);

	CHECK(err == wanted, "%s: %d", what, err);
	free(t);
}

TEST(plain)
{
	new_image();
	put_debug_frame();
	end_image();
	section()->sh_name = NAME_DEBUG_FRAME;
	check_functions("plain");
}

TEST(compressed)
{
	new_compressed(0, ELFCOMPRESS_ZLIB, false);
	check_functions("SHF_COMPRESSED");
	new_compressed(0, ELFCOMPRESS_ZLIB, true);
	check_functions(".zdebug_frame");
}

TEST(wrong_sizes)
{
	for (int zdebug = 0; zdebug < 2; zdebug++) {
		new_compressed(-1, ELFCOMPRESS_ZLIB, zdebug);
		refused(-EPROTO, "one byte more than told");
		new_compressed(1, ELFCOMPRESS_ZLIB, zdebug);
		refused(-EPROTO, "one less");
		new_compressed(LIMIT, ELFCOMPRESS_ZLIB, zdebug);
		refused(-EFBIG, "past the limit");
		new_compressed(LIMIT / 2, ELFCOMPRESS_ZLIB, zdebug);
		refused(-EPROTO, "more than these bytes can become");
		new_compressed(-LIMIT, ELFCOMPRESS_ZLIB, zdebug);
		refused(-EFBIG, "less than nothing");
	}
}

TEST(broken)
{
	new_compressed(0, 2, false);
	refused(-EPROTONOSUPPORT, "another method");
	new_compressed(0, ELFCOMPRESS_ZLIB, true);
	image[frames_at] = 'X';
	refused(-EPROTO, "no ZLIB");
	for (size_t size = 1; size < 60; size++) {
		new_compressed(0, ELFCOMPRESS_ZLIB, size & 1);
		section()->sh_size = size;
		refused(-EPROTO, "cut short");
	}
	for (size_t at = 24; at < 40; at++) {
		struct op_unwind_table *t;

		new_compressed(0, ELFCOMPRESS_ZLIB, false);
		image[frames_at + at] ^= 0xff;
		CHECK(build(&t, LIMIT) < 0, "damaged at %zu", at);
		free(t);
	}
}

TEST_MAIN()

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_binary.c - look up lines of places in this test, with and without inlined functions */
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>

#include "libutil/file.h"
#include "pp/binary/line/binary.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

extern char __executable_start;
static volatile int inner_line, outer_call;

static inline __attribute__((always_inline)) uintptr_t inner(void)
{
	uintptr_t pc = 0;

	inner_line = __LINE__ + 2;
#ifdef __x86_64__
	__asm__ volatile("lea 0(%%rip), %0" : "=r"(pc));
#endif
	return pc;
}

static inline __attribute__((always_inline)) uintptr_t middle(void)
{
	return inner();
}

static __attribute__((noinline)) uintptr_t function(void)
{
	outer_call = __LINE__ + 1;
	return middle();
}

/* The file offset of the instruction before @pc. */
static uint64_t place_of(const struct binary *b, uintptr_t pc)
{
	uint64_t vma = pc - 1 - (uintptr_t)&__executable_start;

	for (size_t i = 0; i < b->nr_sections; i++) {
		const struct code_section *s = &b->sections[i];

		if (vma >= s->vma && vma - s->vma < s->end - s->start)
			return s->start + (vma - s->vma);
	}
	return 0;
}

static struct line_place find(bool inlines)
{
	const struct binary_options how = { .root = "" };
	const struct line_options options = { .root = "", .inlines = inlines };
	struct line_place place = { NULL, 0 };
	struct op_error e = { "" };
	struct line_binary *lines;
	struct binary b;
	uint64_t where;

	CHECK(!binary_open("/proc/self/exe", &how, &b, &e), "%s", e.text);
	where = place_of(&b, function());
	CHECK(!line_binary_open(&b, "/proc/self/exe", &options, &lines, &e), "%s", e.text);
	line_binary_find(lines, &where, 1, &place);
	CHECK(place.file && strstr(place.file, "line_binary.c"), "the file");
	CHECK(!line_binary_complaint(lines), "not damaged");
	line_binary_close(lines);
	binary_close(&b);
	place.file = NULL;	/* freed with the tables */
	return place;
}

TEST(credited_to_its_own_line)
{
#ifndef __x86_64__
	SKIP("written for x86-64");
#endif
	CHECK(find(false).line == (uint32_t)inner_line, "%u", find(false).line);
}

TEST(credited_to_the_outermost_call)
{
#ifndef __x86_64__
	SKIP("written for x86-64");
#endif
	CHECK(find(true).line == (uint32_t)outer_call, "%u, not %d", find(true).line, outer_call);
}

TEST(nothing_to_find)
{
	const struct binary_options how = { .root = "" };
	const struct line_options options = { .root = "" };
	uint64_t places[] = { 0, 1, UINT64_MAX, 5 };	/* also not in order */
	struct line_place found[4];
	struct op_error e = { "" };
	struct line_binary *lines;
	struct binary b, none = { 0 };

	CHECK(line_binary_open(&none, "/gone", &options, &lines, &e) == -ENODATA && *e.text,
	      "no file");
	CHECK(!binary_open("/proc/self/exe", &how, &b, &e), "%s", e.text);
	CHECK(!line_binary_open(&b, "/proc/self/exe", &options, &lines, &e), "%s", e.text);
	line_binary_find(lines, places, 4, found);
	for (size_t i = 0; i < 4; i++)
		CHECK(!found[i].file, "place %zu", i);
	line_binary_close(lines);
	binary_close(&b);
}

/* As symbols that the history kept: the header of .debug_info is there, its bytes are not. */
TEST(debug_information_without_bytes)
{
	const struct binary_options how = { .root = "" };
	const struct line_options options = { .root = "" };
	const char *path;
	struct op_error e = { "" };
	struct line_binary *lines;
	struct binary b;
	char *file;
	size_t len;
	ElfW(Ehdr) h;
	ElfW(Shdr) s, names;

	tmpdir_make();
	path = tmpdir_path("kept");
	CHECK(!file_read_all("/proc/self/exe", SIZE_MAX, &file, &len), "read");
	memcpy(&h, file, sizeof(h));
	memcpy(&names, file + h.e_shoff + h.e_shstrndx * sizeof(names), sizeof(names));
	for (size_t i = 0; i < h.e_shnum; i++) {
		char *at = file + h.e_shoff + i * sizeof(s);

		memcpy(&s, at, sizeof(s));
		if (!strstr(file + names.sh_offset + s.sh_name, "debug_"))
			continue;
		s.sh_type = SHT_NOBITS;
		memcpy(at, &s, sizeof(s));
	}
	CHECK(!file_write_atomic(path, file, len, 0600), "write");
	CHECK(!binary_open(path, &how, &b, &e), "%s", e.text);
	CHECK(line_binary_open(&b, path, &options, &lines, &e) == -ENODATA &&
	      strstr(e.text, "has no debug information"), "%s", e.text);
	binary_close(&b);
	free(file);
}

TEST_MAIN()

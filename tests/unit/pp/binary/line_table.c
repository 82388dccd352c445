/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_table.c - look up lines and inlined functions of this test, from DWARF and from the cache */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>

#include "pp/binary/line/table.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define FILE_NAME	"tests/unit/pp/binary/line_table.c"

static char cached[5000];	/* the path of the cache's file */

extern char __executable_start;
static volatile int inner_line, inner_call, outer_call;	/* lines of the code below */

static inline __attribute__((always_inline)) uintptr_t inner(void)
{
	uintptr_t pc;
#ifdef __x86_64__
	__asm__ volatile("lea 0(%%rip), %0" : "=r"(pc)); inner_line = __LINE__;
#else
	pc = 0;
#endif
	return pc;
}

static inline __attribute__((always_inline)) uintptr_t outer(void)
{
	inner_call = __LINE__ + 1;
	return inner();
}

static __attribute__((noinline)) uintptr_t function(void)
{
	outer_call = __LINE__ + 1;
	return outer();
}

/* The linked address: the test may be position-independent. */
static uint64_t linked(uintptr_t pc)
{
	return pc - (uintptr_t)&__executable_start;
}

static bool ends_with(const char *text, const char *end)
{
	return text && strlen(text) >= strlen(end) &&
	       !strcmp(text + strlen(text) - strlen(end), end);
}

/* 0x10 is in no unit. The instruction that took its address ends at that address. */
static void check(const char *cache_dir, const char *build_id)
{
	uint64_t addresses[] = { 0x10, linked(function()) - 1 };
	struct line_place places[2];
	struct inline_span frames[8];
	struct line_tables *t;
	struct op_error e = { "" };
	size_t nr;

	CHECK(!line_tables_open("/proc/self/exe", build_id, cache_dir, &t, &e), "%s", e.text);
	line_tables_find(t, addresses, 2, true, places);
	CHECK(!places[0].file, "no unit");
	CHECK(ends_with(places[1].file, FILE_NAME) && places[1].line == (uint32_t)inner_line,
	      "%s:%u, not %d", places[1].file, places[1].line, inner_line);
	CHECK(places[1].file && *places[1].file == '/', "%s: below the compiler's folder",
	      places[1].file);
	nr = line_tables_frames(t, addresses[1], frames, 8);
	CHECK(nr == 3, "%zu", nr);
	if (nr == 3) {
		CHECK(!strcmp(frames[0].function, "inner") &&
			      !strcmp(frames[1].function, "outer") &&
			      !strcmp(frames[2].function, "function"),
		      "names");
		CHECK(frames[0].call_line == (uint32_t)inner_call, "%u", frames[0].call_line);
		CHECK(frames[1].call_line == (uint32_t)outer_call &&
			      ends_with(frames[1].call_file, FILE_NAME),
		      "%s:%u", frames[1].call_file, frames[1].call_line);
	}
	line_tables_close(t);
}

TEST(from_dwarf)
{
#ifndef __x86_64__
	SKIP("written for x86-64");
#endif
	check(NULL, "");
}

/* The only file of the cache in tmpdir. */
static void stat_cached(struct stat *ret)
{
	DIR *dir = opendir(tmpdir);
	struct dirent *entry;
	int nr = 0;

	while (dir && (entry = readdir(dir)) != NULL)
		if (strstr(entry->d_name, ".lines")) {
			snprintf(cached, sizeof(cached), "%s/%s", tmpdir, entry->d_name);
			nr++;
		}
	CHECK(nr == 1 && !stat(cached, ret), "%d files", nr);
	if (dir)
		closedir(dir);
}

TEST(from_cache)
{
	struct stat before, after;

#ifndef __x86_64__
	SKIP("written for x86-64");
#endif
	tmpdir_make();
	check(tmpdir, "abc");
	stat_cached(&before);
	check(tmpdir, "abc");
	stat_cached(&after);
	CHECK(before.st_ino == after.st_ino,
	      "only read");
}

/* Anybody can make a binary with this build ID, whose lines name any file. */
TEST(other_files_with_the_build_id)
{
	struct line_tables *t;
	struct stat st;
	char *copy;

#ifndef __x86_64__
	SKIP("written for x86-64");
#endif
	tmpdir_make();
	check(tmpdir, "abc");
	stat_cached(&st);
	copy = tmpdir_path("copy");
	put_text(copy, "\x7f" "ELF");
	CHECK(line_tables_open(copy, "abc", tmpdir, &t, NULL), "lines of another file");
	CHECK(line_tables_open("/nonexistent", "abc", tmpdir, &t, NULL), "lines of no file");
}

/* The functions at @address, innermost first, without lines. */
static void check_names(const char *cache_dir, uint64_t address)
{
	struct inline_span frames[8];
	struct line_tables *t;

	CHECK(!line_tables_open("/proc/self/exe", "abc", cache_dir, &t, NULL), "opened");
	line_tables_find(t, &address, 1, true, NULL);
	CHECK(line_tables_frames(t, address, frames, 8) == 3, "number of frames");
	CHECK(!strcmp(frames[0].function, "inner") && !strcmp(frames[2].function, "function"),
	      "%s in %s", frames[0].function, frames[2].function);
	CHECK(!frames[0].call_file && !frames[0].call_line, "names only");
	line_tables_close(t);
}

/* Names alone are records of their own: the others stay complete, and in the cache. */
TEST(names_without_lines)
{
	uint64_t address = linked(function()) - 1;
	struct stat before, after;

#ifndef __x86_64__
	SKIP("written for x86-64");
#endif
	tmpdir_make();
	check_names(tmpdir, address);
	stat_cached(&before);
	check_names(tmpdir, address);
	stat_cached(&after);
	CHECK(before.st_ino == after.st_ino,
	      "only read");
	check(tmpdir, "abc");
	stat_cached(&before);
	check_names(tmpdir, address);
	check(tmpdir, "abc");
	stat_cached(&after);
	CHECK(before.st_ino == after.st_ino,
	      "both are kept");
}

/* An incomplete cache is completed, a damaged one replaced. */
TEST(cache_grows)
{
	uint64_t address = linked(function()) - 1;
	struct line_tables *t;
	struct line_place place;
	struct stat st;

#ifndef __x86_64__
	SKIP("written for x86-64");
#endif
	tmpdir_make();
	CHECK(!line_tables_open("/proc/self/exe", "abc", tmpdir, &t, NULL), "opened");
	line_tables_find(t, &address, 1, false, &place);
	line_tables_close(t);
	check(tmpdir, "abc");
	stat_cached(&st);
	CHECK(!truncate(cached, 100), "damaged");
	check(tmpdir, "abc");
}

/* Look up functions one by one: each is added to the unit's known ones. */
TEST(functions_are_added)
{
	void (*const functions[])(void) = {
		test_from_dwarf, test_from_cache, test_cache_grows, tmpdir_remove,
	};
	struct line_tables *t;
	struct inline_span frame;
	struct line_place place;

	CHECK(!line_tables_open("/proc/self/exe", "", NULL, &t, NULL), "opened");
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		uint64_t address = linked((uintptr_t)functions[i]);

		line_tables_find(t, &address, 1, true, &place);
		CHECK(ends_with(place.file, i < 3 ? FILE_NAME : "tests/unit/tmpdir.h"), "%s",
		      place.file);
		for (size_t j = 0; j <= i; j++)
			CHECK(line_tables_frames(t, linked((uintptr_t)functions[j]), &frame, 1) > 0,
			      "function %zu after %zu", j, i);
	}
	line_tables_close(t);
}

TEST(files_without_lines)
{
	struct line_tables *t;
	struct op_error e = { "" };

	tmpdir_make();
	put_text(tmpdir_path("text"), "not a program");
	CHECK(line_tables_open(tmpdir_path("text"), "", NULL, &t, &e) == -ENOEXEC && *e.text,
	      "text");
	CHECK(line_tables_open(tmpdir, "", NULL, &t, &e) == -ENOEXEC, "a folder");
	CHECK(line_tables_open("/dev/zero", "", NULL, &t, &e) == -ENOEXEC, "a device");
	CHECK(line_tables_open(tmpdir_path("nothing"), "", NULL, &t, &e) == -ENOENT, "%s", e.text);
}

/* This very program with some bytes of its debug information changed: any answer, but an answer. */
TEST(damaged_dwarf)
{
	uint64_t addresses[200];
	struct line_place places[200];
	char *bytes;
	size_t size;

	tmpdir_make();
	if (file_read_all("/proc/self/exe", 64u << 20, &bytes, &size))
		SKIP("too large to copy");
	for (size_t i = 0; i < 200; i++)
		addresses[i] = linked((uintptr_t)function) + i;
	for (int round = 0; round < 30; round++) {
		struct line_tables *t;

		for (int i = 0; i < 2000; i++)	/* debug information is the later part */
			bytes[size / 3 + test_random() % (size * 2 / 3)] ^= 1 << test_random() % 8;
		put_file(tmpdir_path("damaged"), bytes, size);
		if (line_tables_open(tmpdir_path("damaged"), "", NULL, &t, NULL))
			continue;
		line_tables_find(t, addresses, 200, true, round % 2 ? places : NULL);
		line_tables_close(t);
	}
	free(bytes);
}

TEST_MAIN()

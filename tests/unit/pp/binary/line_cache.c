/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_cache.c - the cache returns what was stored, or nothing */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "pp/binary/line/cache.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static struct line_record rows_record(uint32_t line, size_t nr)
{
	struct line_row *rows = calloc(nr, sizeof(*rows));
	struct line_record r = { 0 };

	for (size_t i = 0; i < nr; i++)
		rows[i] = (struct line_row){0x1000 + 4 * i, i % 2 ? "/src/a.c" : "/src/b.c", line};
	CHECK(!line_record_rows(rows, nr, &r), "made");
	free(rows);
	return r;
}

static int write_rows(const char *id, uint32_t line, size_t nr, uint64_t limit)
{
	struct line_cache_record records[2] = {
		{ LINE_ROWS, 7, rows_record(line, nr) },
		{ LINE_ROWS, 3, rows_record(line + 1, nr) },
	};
	int err = line_cache_write(tmpdir, id, records, 2, limit);

	line_record_free(&records[0].record);
	line_record_free(&records[1].record);
	return err;
}

/* The line that unit 7 of @id has at 0x1000; 0: none. */
static uint32_t read_line(const char *id, uint64_t unit)
{
	struct line_cache *cache = line_cache_open(tmpdir, id);
	struct line_place place = { NULL, 0 };
	struct line_record r;

	if (cache && line_cache_read(cache, LINE_ROWS, unit, &r)) {
		line_find_row(&r, 0x1000, &place);
		line_record_free(&r);
	}
	line_cache_close(cache);
	return place.line;
}

TEST(write_and_read)
{
	struct line_cache_record *all;
	struct line_cache *cache;
	size_t nr;

	tmpdir_make();
	CHECK(!line_cache_open(tmpdir, "abc"), "nothing yet");
	CHECK(write_rows("abc", 11, 10, LINE_CACHE_MAX) == 0, "written");
	CHECK(read_line("abc", 7) == 11 && read_line("abc", 3) == 12, "both units");
	CHECK(read_line("abc", 5) == 0, "a missing unit");
	cache = line_cache_open(tmpdir, "abc");
	all = line_cache_read_all(cache, &nr);
	CHECK(nr == 2 && all[0].unit == 3 && all[1].unit == 7, "%zu", nr);
	for (size_t i = 0; i < nr; i++)
		line_record_free(&all[i].record);
	free(all);
	line_cache_close(cache);
	CHECK(write_rows("abc", 21, 10, LINE_CACHE_MAX) == 0, "written again");
	CHECK(read_line("abc", 7) == 21, "replaced");
}

/* With each byte changed, and at each length, the right line or none. */
TEST(damage)
{
	char *path, *bytes;
	size_t size;

	tmpdir_make();
	write_rows("abc", 11, 3, LINE_CACHE_MAX);
	path = tmpdir_path("abc.lines");
	CHECK(!file_read_all(path, 1 << 20, &bytes, &size), "read");
	for (size_t i = 0; i < size; i++) {
		uint32_t line;

		bytes[i] ^= 0x41;
		put_file(path, bytes, size);
		line = read_line("abc", 7);
		CHECK(line == 0 || line == 11, "byte %zu: line %u", i, line);
		bytes[i] ^= 0x41;
	}
	for (size_t n = 0; n < size; n++) {
		put_file(path, bytes, n);
		CHECK(read_line("abc", 7) == 0, "%zu bytes", n);
	}
	put_file(path, bytes, size);
	CHECK(read_line("abc", 7) == 11, "whole again");
	put_file(tmpdir_path("def.lines"), bytes, size);
	CHECK(read_line("def", 7) == 0, "another build's file under this name");
	free(bytes);
}

TEST(not_a_file)
{
	tmpdir_make();
	CHECK(!mkdir(tmpdir_path("abc.lines"), 0700), "made");
	CHECK(read_line("abc", 7) == 0, "a folder");
	CHECK(write_rows("abc", 1, 3, LINE_CACHE_MAX) < 0, "cannot be replaced");
	CHECK(!symlink("/etc/passwd", tmpdir_path("def.lines")), "made");
	CHECK(read_line("def", 7) == 0, "a link is not followed");
	CHECK(!mkfifo(tmpdir_path("aaa.lines"), 0600), "made");
	CHECK(read_line("aaa", 7) == 0, "a pipe does not block");
}

static void set_age(const char *name, time_t seconds)
{
	struct timespec times[2] = { { time(NULL) - seconds, 0 }, { time(NULL) - seconds, 0 } };

	CHECK(!utimensat(AT_FDCWD, tmpdir_path(name), times, 0), "%s", name);
}

TEST(size_is_bounded)
{
	struct stat st;
	uint64_t limit;

	tmpdir_make();
	write_rows("aa", 1, 1000, LINE_CACHE_MAX);
	stat(tmpdir_path("aa.lines"), &st);
	limit = 3 * st.st_size;
	write_rows("bb", 2, 1000, limit);
	write_rows("cc", 3, 1000, limit);
	set_age("aa.lines", 100);
	set_age("bb.lines", 200);
	set_age("cc.lines", 300);
	put_text(tmpdir_path("aa.lines.x1y2z3"), "left by a writer that died");
	set_age("aa.lines.x1y2z3", 8000);
	put_text(tmpdir_path("notes"), "not ours");
	CHECK(read_line("cc", 7) == 3, "reading marks it as used");
	CHECK(write_rows("dd", 4, 1000, limit) == 0, "a fourth");
	CHECK(read_line("bb", 7) == 0, "the one used least recently is gone");
	CHECK(read_line("aa", 7) == 1 && read_line("cc", 7) == 3 && read_line("dd", 7) == 4,
	      "others");
	CHECK(!file_exists(tmpdir_path("aa.lines.x1y2z3")), "leftovers are removed");
	CHECK(file_exists(tmpdir_path("notes")), "other files stay");
	CHECK(write_rows("ee", 5, 1000, 100) == -EFBIG, "larger than the limit");
}

/* With concurrent writers, a reader gets the file of one of them. */
TEST(concurrent_writers)
{
	tmpdir_make();
	for (uint32_t writer = 1; writer <= 4; writer++) {
		if (fork())
			continue;
		for (int round = 0; round < 200; round++)
			write_rows("abc", writer * 100, 50, LINE_CACHE_MAX);
		_exit(0);
	}
	for (int round = 0; round < 2000; round++) {
		uint32_t line = read_line("abc", 7);

		CHECK(line % 100 == 0 && line <= 400, "%u", line);
	}
	for (int status; wait(&status) > 0; )
		CHECK(status == 0, "a writer failed");
	CHECK(read_line("abc", 7) > 0, "one of them is there");
}

TEST(owner_of_folder)
{
	char *dir;

	tmpdir_make();
	setenv("OPROFILE_CACHE_DIR", "", 1);
	CHECK(!line_cache_dir(), "none");
	setenv("OPROFILE_CACHE_DIR", tmpdir_path("a/b"), 1);
	dir = line_cache_dir();
	CHECK(dir && file_is_dir(tmpdir_path("a/b")), "made");
	free(dir);
	chmod(tmpdir_path("a/b"), 0777);
	CHECK(!line_cache_dir(), "others may write to it");
	unsetenv("OPROFILE_CACHE_DIR");
	setenv("XDG_CACHE_HOME", tmpdir, 1);
	dir = line_cache_dir();
	CHECK(dir && !strcmp(dir, tmpdir_path("oprofile")), "%s", dir);
	free(dir);
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", tmpdir, 1);
	dir = line_cache_dir();
	CHECK(dir && !strcmp(dir, tmpdir_path(".cache/oprofile")), "%s", dir);
	free(dir);
	setenv("HOME", tmpdir_path("nobody"), 1);
	CHECK(!line_cache_dir() && !file_exists(tmpdir_path("nobody")), "no home is created");
}

TEST_MAIN()

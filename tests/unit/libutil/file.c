// SPDX-License-Identifier: GPL-2.0-or-later
/* file.c - whole files, trees and paths; messages of programs */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libutil/file.h"
#include "libutil/message.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

TEST(read_all)
{
	static const size_t sizes[] = { 0, 1, 4094, 4095, 4096, 4097, 100000 };
	char *text;
	size_t len;

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char *bytes = malloc(sizes[i] + 1);

		memset(bytes, 'x', sizes[i]);
		put_file(tmpdir_path("f"), bytes, sizes[i]);
		CHECK(!file_read_all(tmpdir_path("f"), sizes[i], &text, &len) && len == sizes[i] &&
		      !text[len] && !memcmp(text, bytes, len), "%zu bytes", sizes[i]);
		free(text);
		if (sizes[i])
			CHECK(file_read_all(tmpdir_path("f"), sizes[i] - 1, &text, &len) == -EFBIG,
			      "limit %zu", sizes[i] - 1);
		free(bytes);
	}
	CHECK(file_read_all(tmpdir_path("none"), 10, &text, NULL) == -ENOENT, "none");
	CHECK(file_read_all(tmpdir, 10, &text, NULL) == -EISDIR, "folder");
}

TEST(read_all_without_a_length)
{
	char *text;
	size_t len;
	int ends[2];

	CHECK(!file_read_all("/proc/self/maps", 10000000, &text, &len) && len > 100, "/proc");
	free(text);
	CHECK(file_read_all("/proc/self/maps", 100, &text, &len) == -EFBIG, "limit");
	CHECK(!pipe(ends), "pipe");
	if (!fork()) {
		for (int i = 0; i < 20000; i++)
			if (write(ends[1], "0123456789", 10) != 10)
				_exit(1);
		_exit(0);
	}
	close(ends[1]);
	CHECK(!file_read_all_fd(ends[0], 1000000, &text, &len) && len == 200000 &&
	      !strncmp(text + 199990, "0123456789", 11), "pipe: %zu", len);
	free(text);
	close(ends[0]);
	wait(NULL);
}

TEST(read_line_and_number)
{
	static const struct {
		const char *text, *line;
		int err;
		uint64_t number;
	} rows[] = {
		{ "123\n", "123", 0, 123 }, { "123", "123", 0, 123 }, { "0x10\nx", "0x10", 0, 16 },
		{ "5 \t\n", "5 \t", 0, 5 }, { "\n5\n", "", -EINVAL, 7 }, { "", "", -EINVAL, 7 },
		{ "a\n", "a", -EINVAL, 7 },
		{ "0123456789abcdefghi", "0123456789abcde", -EINVAL, 7 },
	};
	char line[16];

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t number = 7;

		put_text(tmpdir_path("f"), rows[i].text);
		CHECK(!file_read_line(tmpdir_path("f"), line, sizeof(line)) &&
		      !strcmp(line, rows[i].line), "row %zu: '%s'", i, line);
		CHECK(file_read_u64(tmpdir_path("f"), &number) == rows[i].err &&
		      number == rows[i].number, "row %zu", i);
	}
	CHECK(file_read_line(tmpdir_path("none"), line, sizeof(line)) == -ENOENT, "none");
}

TEST(writing)
{
	struct stat st;
	char *text;

	tmpdir_make();
	CHECK(file_write_existing(tmpdir_path("f"), "x") == -ENOENT, "does not create");
	CHECK(!file_write_atomic(tmpdir_path("f"), "old", 3, 0640), "create");
	CHECK(!stat(tmpdir_path("f"), &st) && (st.st_mode & 0777) == 0640, "%o", st.st_mode);
	CHECK(!file_write_atomic(tmpdir_path("f"), "newer", 5, 0644), "replace");
	CHECK(!file_write_durable(tmpdir_path("f"), "newest", 6, 0644), "replace, durably");
	CHECK(!file_write_existing(tmpdir_path("f"), "NEW"), "overwrite");
	CHECK(!file_read_all(tmpdir_path("f"), 10, &text, NULL) && !strcmp(text, "NEWest"), "%s",
	      text);
	free(text);
	CHECK(file_write_atomic(tmpdir_path("no/f"), "x", 1, 0644) == -ENOENT, "no folder");
	CHECK(!mkdir(tmpdir_path("d"), 0755), "mkdir");
	CHECK(file_write_atomic(tmpdir_path("d"), "x", 1, 0644) == -EISDIR, "a folder");
	CHECK(file_write_existing("/dev/full", "x") == -ENOSPC, "full");
	CHECK(!unlink(tmpdir_path("f")) && !rmdir(tmpdir_path("d")) && !rmdir(tmpdir),
	      "no leftovers");
}

/* What is written in pieces is read as a whole; an end before that is an error. */
TEST(reading_a_pipe)
{
	char got[8] = "";
	int ends[2];

	CHECK(!pipe(ends), "pipe");
	if (!fork()) {
		for (int i = 0; i < 10; i++)
			(void)!write(ends[1], &"abcdefghij"[i], 1);
		_exit(0);
	}
	close(ends[1]);
	CHECK(!file_read_fd(ends[0], got, 7) && !strcmp(got, "abcdefg"), "%s", got);
	CHECK(file_read_fd(ends[0], got, 4) == -EPROTO, "3 of 4 bytes");
	CHECK(!file_read_fd(ends[0], got, 0), "none");
	close(ends[0]);
	CHECK(file_read_fd(ends[0], got, 1) == -EBADF, "closed");
	while (wait(NULL) > 0)
		;
}

TEST(folders)
{
	tmpdir_make();
	CHECK(!file_make_dirs(tmpdir_path("a//b/c/"), 0755), "make");
	CHECK(!file_make_dirs(tmpdir_path("a/b/c"), 0755) && file_is_dir(tmpdir_path("a/b/c")),
	      "again");
	put_text(tmpdir_path("a/f"), "");
	CHECK(file_make_dirs(tmpdir_path("a/f"), 0755) == -ENOTDIR, "a file");
	CHECK(file_make_dirs(tmpdir_path("a/f/g/h"), 0755) == -ENOTDIR, "below a file");
	CHECK(!file_make_parent_dirs(tmpdir_path("p/q/r"), 0755) &&
		      file_is_dir(tmpdir_path("p/q")) && !file_exists(tmpdir_path("p/q/r")),
	      "parents");
	CHECK(!file_make_parent_dirs("/x", 0755) && !file_make_parent_dirs("x", 0755),
	      "none to make");
	CHECK(file_exists(tmpdir_path("a/f")) && !file_is_dir(tmpdir_path("a/f")), "kinds");
}

TEST(remove_tree)
{
	struct rlimit files = { 20, 20 };
	int fd, here;

	tmpdir_make();
	CHECK(!file_remove_tree(tmpdir_path("none")), "none");
	put_text(tmpdir_path("keep"), "x");
	CHECK(!file_make_dirs(tmpdir_path("t/a/b"), 0755), "make");
	CHECK(!file_make_dirs(tmpdir_path("t/a/c"), 0755), "make");
	for (int i = 0; i < 50; i++) {
		char name[64];

		snprintf(name, sizeof(name), "t/a/d%d", i);
		CHECK(!mkdir(tmpdir_path(name), 0755), "mkdir");
		strcat(name, "/f");
		put_text(tmpdir_path(name), "x");
	}
	CHECK(!symlink("../keep", tmpdir_path("t/link")), "symlink");
	CHECK(!symlink("..", tmpdir_path("t/a/up")), "symlink");
	/* deeper than the limit of open files, and than PATH_MAX */
	here = open(tmpdir_path("t"), O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 3000; i++) {
		CHECK(!mkdirat(here, "dd", 0755), "deep");
		fd = openat(here, "dd", O_RDONLY | O_DIRECTORY);
		close(here);
		here = fd;
	}
	close(here);
	CHECK(!setrlimit(RLIMIT_NOFILE, &files), "setrlimit");
	CHECK(!file_remove_tree(tmpdir_path("t")) && !file_exists(tmpdir_path("t")), "removed");
	CHECK(file_exists(tmpdir_path("keep")), "links are not followed");
	CHECK(!symlink("keep", tmpdir_path("l")) && !file_remove_tree(tmpdir_path("l")) &&
	      file_exists(tmpdir_path("keep")), "a link itself");
	CHECK(!file_remove_tree(tmpdir_path("keep")) && !file_exists(tmpdir_path("keep")),
	      "a file");
}

TEST(path_parts)
{
	static const struct {
		const char *dir, *name, *want;
	} rows[] = {
		{ "/a", "b", "/a/b" }, { "/a/", "b", "/a/b" }, { "/a//", "//b", "/a/b" },
		{ "/", "b", "/b" }, { "a", "b/c", "a/b/c" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *path = path_join(rows[i].dir, rows[i].name);

		CHECK(!strcmp(path, rows[i].want), "%s", path);
		free(path);
	}
	CHECK(!strcmp(path_base("/a/b"), "b") && !strcmp(path_base("b"), "b") &&
	      !strcmp(path_base("/a/"), ""), "base");
}

TEST(path_absolute)
{
	static const struct {
		const char *path, *want;		/* want below the test's folder */
	} rows[] = {
		{ "d/e", "/d/e" }, { "d/./e/../e", "/d/e" }, { "l/e", "/d/e" }, { "", "" },
		{ "d/none/x", "/d/none/x" }, { "none/../d/.//x", "/d/x" }, { "l/none/..", "/d" },
		{ "none/../../../../../../../../../../x", NULL },
	};
	char *top;

	tmpdir_make();
	top = realpath(tmpdir, NULL);
	CHECK(!file_make_dirs(tmpdir_path("d/e"), 0755) && !symlink("d", tmpdir_path("l")),
	      "set up");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *got = path_absolute(tmpdir_path(rows[i].path));

		if (rows[i].want)
			CHECK(!strncmp(got, top, strlen(top)) &&
				      !strcmp(got + strlen(top), rows[i].want),
			      "%s: %s", rows[i].path, got);
		else
			CHECK(!strcmp(got, "/x"), "%s", got);
		free(got);
		CHECK(!chdir(tmpdir), "chdir");
		got = path_absolute(rows[i].path);
		if (rows[i].want)
			CHECK(!strcmp(got + strlen(top), rows[i].want), "relative %s: %s",
			      rows[i].path, got);
		free(got);
	}
	free(top);
}

TEST(program_dir)
{
	char *dir = path_program_dir();

	CHECK(dir[0] == '/' && file_is_dir(dir), "%s", dir);
	free(dir);
}

/* A message is one line, whatever it quotes. */
TEST(messages_are_one_line)
{
	char *text;

	tmpdir_make();
	if (!fork()) {
		if (!freopen(tmpdir_path("err"), "w", stderr))
			_exit(1);
		set_program_name("prog");
		report_error("cannot open '%s'", "a\nb\033[31m");
		report_warning("%d", 5);
		report_note("x");
		_exit(0);
	}
	wait(NULL);
	CHECK(!file_read_all(tmpdir_path("err"), 1000, &text, NULL), "read");
	CHECK(!strcmp(text, "prog: cannot open 'a?b?[31m'\nprog: warning: 5\nprog: note: x\n"),
	      "%s", text);
	free(text);
}

TEST_MAIN()

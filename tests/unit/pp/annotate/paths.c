/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paths.c - find, select and create source files */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pp/annotate/files.h"
#include "pp/annotate/paths.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static struct spec_list list(struct spec_item *items, size_t nr)
{
	return (struct spec_list){ .items = items, .nr = nr };
}

TEST(spelling)
{
	static const char *const paths[][2] = {
		{"/src/a.c", "/src/a.c"},
		{"/src/./a.c", "/src/a.c"},
		{"/src//a.c", "/src/a.c"},
		{"/src/lib/../a.c", "/src/a.c"},
		{"/x/y/../../src/a.c", "/src/a.c"},
		{"./malloc/./malloc/m.c", "malloc/malloc/m.c"},
		{"../a.c", "../a.c"},
		{"x/../../a.c", "../a.c"},
		{"a.c", "a.c"},
		{"/", "/"},
		{"", ""},
		{"/a/..", "/"},
		{"../../x/..", "../../"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct annotated_files files = { 0 };
		size_t a = annotated_file_add(&files, paths[i][0], false);

		CHECK(!strcmp(files.paths[a], paths[i][1]), "%s: %s", paths[i][0], files.paths[a]);
		CHECK(annotated_file_add(&files, paths[i][1], true) == a, "one file");
		annotated_files_free(&files);
	}
}

TEST(many_files)
{
	struct annotated_files files = { 0 };
	char path[32];

	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 3000; i++) {
			snprintf(path, sizeof(path), "/src/%zu.c", i);
			CHECK(annotated_file_add(&files, path, false) == i, "%zu", i);
		}
	}
	annotated_files_free(&files);
}

TEST(choosing)
{
	static const struct {
		const char *glob, *path;
		bool matches;
	} cases[] = {
		{"hash.c", "/src/hash.c", true},
		{"*.h", "/src/hash.c", false},
		{"/src/*", "/src/hash.c", true},
		{"src", "/src/hash.c", true},
		{"src", "src.c", false},
		{"hash.c", "/hash.c/x.c", true},
		{"h*", "/h/x", true},
		{"x", "/h/x", true},
		{"/", "/h/x", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct spec_item item = { .text = (char *)cases[i].glob };
		struct annotate_options o = { .include_files = list(&item, 1) };

		CHECK(source_is_wanted(&o, cases[i].path) == cases[i].matches, "%s %s",
		      cases[i].glob, cases[i].path);
		o = (struct annotate_options){ .exclude_files = list(&item, 1) };
		CHECK(source_is_wanted(&o, cases[i].path) != cases[i].matches, "not %s %s",
		      cases[i].glob, cases[i].path);
	}
}

static uid_t owner;	/* of the binary that names the sources */

/* The file opened for @path, or "". */
static const char *found(const struct annotate_options *o, const char *path)
{
	static char name[5000];
	char *where = NULL;
	FILE *f = source_open(o, path, owner, &where);
	int err = errno;

	name[0] = '\0';
	if (f) {
		snprintf(name, sizeof(name), "%s", where + strlen(tmpdir));
		fclose(f);
	}
	free(where);
	errno = err;
	return name;
}

TEST(searching)
{
	char *dir, *path;
	struct spec_item search[2], base = { .text = (char *)"/build/" };
	struct annotate_options o = { .search_dirs = list(search, 2), .base_dirs = list(&base, 1) };

	tmpdir_make();
	dir = strdup(tmpdir_path("moved"));
	search[0].text = (char *)"/nonexistent";
	search[1].text = dir;
	chmod(tmpdir, 0755);
	mkdir(dir, 0755);
	mkdir(tmpdir_path("moved/lib"), 0755);
	put_text(tmpdir_path("moved/lib/x.c"), "x");
	put_text(tmpdir_path("moved/top.c"), "x");
	put_text(tmpdir_path("here.c"), "x");
	path = strdup(tmpdir_path("here.c"));
	CHECK(!strcmp(found(&o, "/build/lib/x.c"), "/moved/lib/x.c"), "below the base");
	CHECK(!strcmp(found(&o, "/lib/x.c"), "/moved/lib/x.c"),
	      "whole path below the search folder");
	CHECK(!strcmp(found(&o, "/other/top.c"), "/moved/top.c"), "by its base name");
	CHECK(!strcmp(found(&o, path), "/here.c"), "at the path itself");
	CHECK(!strcmp(found(&o, "/build/none.c"), ""), "not found");
	o.compat = true;
	CHECK(!strcmp(found(&o, "/other/top.c"), ""), "compatibility mode does not search by name");
	o.search_dirs.nr = 0;
	CHECK(!strcmp(found(&o, "/dev/zero"), "") && !strcmp(found(&o, tmpdir), ""),
	      "not regular files");
	free(path);
	free(dir);
}

/* A program of any user may name /etc/shadow as its source. */
TEST(what_root_does_not_show)
{
	static const struct {
		mode_t mode;
		uid_t source, binary;
		bool is_shown;
	} rows[] = {
		{ 0644, 0, 0, true }, { 0644, 1000, 0, true }, { 0644, 1000, 1001, true },
		{ 0600, 0, 0, false }, { 0600, 0, 1000, false }, { 0640, 0, 1000, false },
		{ 0600, 1000, 1000, true }, { 0600, 1000, 1001, false }, { 0600, 1000, 0, false },
	};
	const struct annotate_options o = { .compat = false };
	char *path;

	if (getuid())
		SKIP("needs root, who can read all files");
	tmpdir_make();
	chmod(tmpdir, 0755);
	put_text(tmpdir_path("s.c"), "x");
	path = strdup(tmpdir_path("s.c"));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK(!chmod(path, rows[i].mode) && !chown(path, rows[i].source, 0), "chown");
		owner = rows[i].binary;
		CHECK(!strcmp(found(&o, path), rows[i].is_shown ? "/s.c" : ""), "row %zu", i);
		CHECK(rows[i].is_shown || strstr(source_error(errno), "not everybody"), "%s",
		      strerror(errno));
	}
	free(path);
}

/* Everybody may read the source, but not everybody reaches it. */
TEST(folders_that_others_cannot_enter)
{
	static const struct {
		mode_t mode;
		uid_t folder, binary;
		bool is_shown;
	} rows[] = {
		{ 0755, 0, 0, true }, { 0711, 0, 1000, true }, { 0700, 0, 1000, false },
		{ 0750, 0, 1000, false }, { 0700, 1000, 1000, true }, { 0700, 1000, 1001, false },
		{ 0700, 0, 0, false },
	};
	const struct annotate_options o = { .compat = false };
	char *folder, *path;

	if (getuid())
		SKIP("needs root, who can read all files");
	tmpdir_make();
	chmod(tmpdir, 0755);
	folder = strdup(tmpdir_path("f"));
	path = strdup(tmpdir_path("f/s.c"));
	mkdir(folder, 0755);
	put_text(path, "x");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK(!chmod(folder, rows[i].mode) && !chown(folder, rows[i].folder, 0), "chown");
		owner = rows[i].binary;
		CHECK(!strcmp(found(&o, path), rows[i].is_shown ? "/f/s.c" : ""), "row %zu", i);
	}
	owner = 0;
	CHECK(!strcmp(found(&o, "/proc/kallsyms"), ""), "what the kernel makes up");
	free(folder);
	free(path);
}

TEST(writing)
{
	struct annotate_options o = { 0 };
	struct op_error e = { "" };
	char *source;

	tmpdir_make();
	o.output_dir = strdup(tmpdir_path("out"));
	CHECK(!source_write_copy(&o, "/src/../../../x/./a\nb.c", NULL, "x", 1, &e) &&
	      file_exists(tmpdir_path("out/src/x/a?b.c")), "%s", e.text);
	source = strdup(tmpdir_path("out/src/s.c"));
	put_text(source, "int main;");
	CHECK(source_write_copy(&o, "/src/s.c", source, "x", 1, &e) &&
	      strstr(e.text, "overwrite"), "%s", e.text);
	put_text(tmpdir_path("out/file"), "x");
	CHECK(source_write_copy(&o, "/file/a.c", NULL, "x", 1, &e) && *e.text,
	      "a file instead of a folder");
	free(source);
	free(o.output_dir);
}

TEST_MAIN()

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tmpdir.h - a folder of its own for a test, and what is done with files in it */
#ifndef TMPDIR_H
#define TMPDIR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "file.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static char tmpdir[4096];

static inline void tmpdir_remove(void)
{
	file_remove_tree(tmpdir);
}

/* Make the folder; it goes when the test's process ends. */
static inline void tmpdir_make(void)
{
	const char *base = getenv("TMPDIR");

	snprintf(tmpdir, sizeof(tmpdir), "%s/optest.XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(tmpdir)) {
		perror(tmpdir);
		exit(1);
	}
	atexit(tmpdir_remove);
}

/* Path of @name in it; the last four results stay valid. */
static inline char *tmpdir_path(const char *name)
{
	static char paths[4][5000];
	static unsigned int turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", tmpdir, name);
	return path;
}

static inline void put_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f)) {
		perror(path);
		exit(1);
	}
}

static inline void put_text(const char *path, const char *text)
{
	put_file(path, text, strlen(text));
}

/* A small generator, seeded per test, so that a failure comes again. */
static uint64_t test_random_state = 88172645463325252u;

static inline uint64_t test_random(void)
{
	test_random_state ^= test_random_state << 13;
	test_random_state ^= test_random_state >> 7;
	test_random_state ^= test_random_state << 17;
	return test_random_state;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tmpdir.h - a folder of its own for a test, and what is done with files in it */
#ifndef TESTS_UNIT_TMPDIR_H
#define TESTS_UNIT_TMPDIR_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "libutil/file.h"
#include "tests/tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define TMPDIR_SIZE 4096

/* Empty: there is none. Shared with the process that started the test, which removes it. */
static char *tmpdir;

static inline void tmpdir_remove(void)
{
	if (tmpdir[0])
		file_remove_tree(tmpdir);
	tmpdir[0] = '\0';
}

/*
 * A test that crashes, skips, gives up root or mounts something there cannot remove it itself:
 * whoever started it can, for its mounts (in a namespace of its own) are gone with it.
 */
__attribute__((constructor)) static void tmpdir_share(void)
{
	tmpdir = mmap(NULL, TMPDIR_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tmpdir == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	tap_after = tmpdir_remove;
}

/* Make the folder, instead of the one before if there is one; it goes when the test has ended. */
static inline void tmpdir_make(void)
{
	const char *base = getenv("TMPDIR");

	tmpdir_remove();
	snprintf(tmpdir, TMPDIR_SIZE, "%s/%s.XXXXXX", base ? base : "/tmp",
		 program_invocation_short_name);
	if (!mkdtemp(tmpdir)) {
		perror(tmpdir);
		exit(1);
	}
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

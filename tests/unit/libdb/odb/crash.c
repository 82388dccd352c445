// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crash.c - after kill -9 at any moment the file holds everything that was added
 *
 * A child adds keys in a known order and counts the adds that have returned in shared memory. It is
 * killed at a random moment. Then the file must be readable, hold every add that returned and at
 * most those in progress besides, and pass odb_check() once a writer has opened it.
 */
#include <errno.h>
#include "libdb/odb/file.h"
#include "libdb/session/header.h"
#include "tests/tap.h"
#include "tests/unit/crash_test.h"
#include "tests/unit/tmpdir.h"

#define HEADER	SAMPLE_HEADER_SIZE
#define ROUNDS	80
#define BATCH	100

/* The key of sample @i: mostly new ones, so that the table grows often. */
static uint64_t key_of(uint64_t i)
{
	uint64_t x = i % 4 ? i : i / 8;

	return (x * 0x9e3779b97f4a7c15u) >> 20;
}

static void child(const char *path, uint64_t i)
{
	uint64_t keys[BATCH];
	struct odb *db;

	if (odb_open(path, HEADER, &db, NULL))
		_exit(1);
	for (bool many = i / BATCH % 2;; many = !many) {
		for (int k = 0; k < BATCH; k++)
			keys[k] = key_of(i + (uint64_t)k);
		if (many && odb_add_many(db, keys, BATCH, NULL))
			_exit(1);
		for (int k = 0; !many && k < BATCH; k++) {
			if (odb_add(db, keys[k], 1))
				_exit(1);
			crash_tell(i + (uint64_t)k + 1);
		}
		i += BATCH;
		crash_tell(i);
	}
}

static uint64_t total_of(const char *path)
{
	struct odb_snapshot s;
	struct op_error e = { "" };
	uint64_t total = 0;
	int err = odb_read(path, HEADER, &s, &e);

	if (err == -ENODATA || err == -ENOENT)
		return 0;	/* killed before the file was created */
	CHECK(!err, "read: %d %s", err, e.text);
	if (err)
		return 0;
	for (uint32_t i = 0; i < s.nr_nodes; i++)
		total += s.nodes[i].count;
	odb_snapshot_free(&s);
	return total;
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Check that the file holds the first @nr keys, each often enough; false after a failed check. */
static bool holds_first(const char *path, uint64_t nr)
{
	struct odb_snapshot s;
	uint64_t *want = malloc((nr + 1) * sizeof(*want)), *have;
	uint64_t missing = 0, n = 0;

	if (!nr || odb_read(path, HEADER, &s, NULL)) {
		free(want);
		return !nr;
	}
	for (uint64_t i = 0; i < nr; i++)
		want[i] = key_of(i);
	for (uint32_t i = 0; i < s.nr_nodes; i++)
		n += s.nodes[i].count;
	have = malloc((n + 1) * sizeof(*have));
	n = 0;
	for (uint32_t i = 0; i < s.nr_nodes; i++)
		for (uint32_t c = 0; c < s.nodes[i].count; c++)
			have[n++] = s.nodes[i].key;
	qsort(want, nr, sizeof(*want), compare_keys);
	qsort(have, n, sizeof(*have), compare_keys);
	for (uint64_t i = 0, j = 0; i < nr; i++) {
		while (j < n && have[j] < want[i])
			j++;
		if (j < n && have[j] == want[i])
			j++;
		else
			missing++;
	}
	odb_snapshot_free(&s);
	free(want);
	free(have);
	CHECK(!missing, "%llu of %llu samples are gone", (unsigned long long)missing,
	      (unsigned long long)nr);
	return !missing;
}

TEST(kill_9)
{
	uint64_t from = 0, longest = 0;
	char *path;

	tmpdir_make();
	path = strdup(tmpdir_path("a"));
	crash_share();
	for (int round = 0; round < ROUNDS; round++) {
		struct op_error e = { "" };
		struct odb *db = NULL;
		uint64_t total;

		if (round % 20 == 0) {
			unlink(path);		/* young files are grown more often */
			shared->added = from = 0;
		}
		crash_run(child, path, from);
		from = shared->added;
		total = total_of(path);
		CHECK(total >= from && total <= from + BATCH, "round %d: %llu added, %llu there",
		      round, (unsigned long long)from, (unsigned long long)total);
		if (!holds_first(path, from))
			break;
		CHECK(!odb_open(path, HEADER, &db, &e), "round %d: open: %s", round, e.text);
		CHECK(!odb_check(path, HEADER, &e), "round %d: check: %s", round, e.text);
		odb_close(db);
		CHECK(total_of(path) == total, "round %d: opening changed the counts", round);
		/* the adds in progress count from here on */
		shared->added = from = total;
		if (total > longest)
			longest = total;
	}
	CHECK(longest > 10000, "only %llu samples were added", (unsigned long long)longest);
	free(path);
}

TEST_MAIN()

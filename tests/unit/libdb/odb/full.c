// SPDX-License-Identifier: GPL-2.0-or-later
/* full.c - on a full disk the call that needs room returns -ENOSPC, and nothing is lost */
#include <errno.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "libdb/odb/file.h"
#include "libdb/session/header.h"
#include "tests/unit/small_disk.h"

#define HEADER SAMPLE_HEADER_SIZE

static char *full_path;

static void on_small_disk(const char *options)
{
	tmpdir_make();
	small_disk_mount(options);
	full_path = strdup(tmpdir_path("a"));
}

/* Add distinct keys until that fails; returns how many were added. */
static uint32_t add_until(struct odb *db, bool many, int want_err)
{
	uint64_t keys[10];
	size_t done;
	int err = 0;

	for (uint64_t i = 0; !err; i += ARRAY_SIZE(keys)) {
		done = ARRAY_SIZE(keys);
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			keys[k] = (i + k) * 64 + 1;
		if (many)
			err = odb_add_many(db, keys, ARRAY_SIZE(keys), &done);
		for (size_t k = 0; !many && !err && k < ARRAY_SIZE(keys); k++)
			err = odb_add(db, keys[k], 1);
		if (many && err)
			CHECK(odb_nr_nodes(db) == i + done, "done %zu of %u", done,
			      odb_nr_nodes(db));
	}
	CHECK(err == want_err, "%d", err);
	return odb_nr_nodes(db);
}

static void still_whole(uint32_t nr)
{
	struct odb_snapshot s;
	struct op_error e = { "" };
	struct stat st;

	CHECK(!odb_check(full_path, HEADER, &e), "%s", e.text);
	CHECK(!odb_read(full_path, HEADER, &s, &e), "%s", e.text);
	CHECK(s.nr_nodes == nr, "%u of %u", s.nr_nodes, nr);
	odb_snapshot_free(&s);
	CHECK(!stat(full_path, &st) && (size_t)st.st_size == odb_file_length(HEADER, nr + 1),
	      "%lld bytes", (long long)st.st_size);
}

static void fill_disk(bool many)
{
	struct odb *db = NULL;
	uint32_t nr;

	CHECK(!odb_open(full_path, HEADER, &db, NULL), "open");
	nr = add_until(db, many, -ENOSPC);
	CHECK(nr > 1000, "%u keys before", nr);
	still_whole(nr);
	/* known keys still count, new ones keep failing */
	CHECK(!odb_add(db, 1, 5) && odb_add(db, 2, 1) == -ENOSPC, "after");
	still_whole(nr);
	odb_close(db);
}

TEST(full_disk)
{
	on_small_disk("size=400k");
	fill_disk(false);
}

TEST(full_disk_many)
{
	on_small_disk("size=400k");
	fill_disk(true);
}

TEST(room_is_freed)
{
	struct odb *db = NULL;
	char filler[4096] = "";
	uint32_t nr;
	FILE *f;

	on_small_disk("size=400k");
	CHECK(!odb_open(full_path, HEADER, &db, NULL), "open");
	f = fopen(tmpdir_path("filler"), "w");
	for (int i = 0; i < 50; i++)
		fwrite(filler, 1, sizeof(filler), f);
	fclose(f);
	nr = add_until(db, true, -ENOSPC);
	unlink(tmpdir_path("filler"));
	CHECK(!odb_add(db, 2, 1) && odb_nr_nodes(db) == nr + 1, "grows again");
	CHECK(!odb_check(full_path, HEADER, NULL), "whole");
	odb_close(db);
}

TEST(no_room_to_create)
{
	struct op_error e = { "" };
	struct odb *db = NULL;

	on_small_disk("size=16k");
	small_disk_fill(tmpdir_path("filler"));
	CHECK(odb_open(full_path, HEADER, &db, &e) == -ENOSPC && strstr(e.text, "No space"), "%s",
	      e.text);
	unlink(tmpdir_path("filler"));
	CHECK(!odb_open(full_path, HEADER, &db, &e) && odb_is_new(db), "%s", e.text);
	odb_close(db);
}

/* A limit on file sizes works without root: -EFBIG instead. */
TEST(file_size_limit)
{
	struct rlimit limit = { 100000, 100000 };
	struct odb *db = NULL;
	uint32_t nr;

	tmpdir_make();
	full_path = strdup(tmpdir_path("a"));
	signal(SIGXFSZ, SIG_IGN);
	CHECK(!odb_open(full_path, HEADER, &db, NULL), "open");
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit), "setrlimit");
	nr = add_until(db, true, -EFBIG);
	CHECK(nr == 4095, "%u", nr);
	still_whole(nr);
	odb_close(db);
}

TEST_MAIN()

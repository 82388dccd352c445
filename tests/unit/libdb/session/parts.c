/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.c - parts of a session: numbered, looked up, refused, settled */
#include <errno.h>
#include <stdint.h>
#include "libdb/odb/odb.h"
#include "libdb/session/header.h"
#include "libdb/session/parts.h"
#include "libdb/session/session.h"
#include "libdb/session/settle.h"
#include "libutil/file.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

TEST(numbers)
{
	struct session_parts parts = { 0 }, again = { 0 };
	size_t n = 99;
	char *path;

	tmpdir_make();
	CHECK(session_parts_read(tmpdir, &parts, NULL) == -ENOENT, "there are none");
	CHECK(session_parts_get(tmpdir, &parts, "", "", &n) == -EINVAL && n == 99, "of nothing");
	CHECK(!session_parts_get(tmpdir, &parts, "5f3a", "", &n) && n == 0, "%zu", n);
	CHECK(!session_parts_get(tmpdir, &parts, "", "/a b\n", &n) && n == 1, "%zu", n);
	CHECK(!session_parts_get(tmpdir, &parts, "5f3a", "/a b\n", &n) && n == 2, "%zu", n);
	CHECK(!session_parts_get(tmpdir, &parts, "5f3a", "", &n) && n == 0 && parts.nr == 3,
	      "found again: %zu of %zu", n, parts.nr);
	CHECK(!session_parts_read(tmpdir, &again, NULL) && again.nr == 3, "%zu", again.nr);
	CHECK(!strcmp(again.parts[2].build_id, "5f3a") &&
	      !strcmp(again.parts[2].cgroup, "/a b\n") && !*again.parts[0].cgroup &&
	      !*again.parts[1].build_id, "read back");
	path = session_part_path("/s/stats", 2);
	CHECK(!strcmp(path, "/s/stats/parts/2"), "%s", path);
	free(path);
	session_parts_free(&parts);
	session_parts_free(&again);
}

TEST(maximum)
{
	struct session_parts parts = { 0 };
	char cgroup[20];
	size_t n;

	tmpdir_make();
	for (size_t i = 0; i < SESSION_PARTS_MAX; i++) {
		snprintf(cgroup, sizeof(cgroup), "/%zu", i);
		CHECK(!session_parts_get(tmpdir, &parts, "", cgroup, &n) && n == i, "%zu", n);
	}
	CHECK(session_parts_get(tmpdir, &parts, "", "/more", &n) == -ENOSPC, "one more");
	CHECK(!session_parts_get(tmpdir, &parts, "", "/7", &n) && n == 7, "%zu", n);
	session_parts_free(&parts);
}

TEST(refused)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "\n", ":1: expected a build ID and" },
		{ "- /a\n12\n", ":2: expected a build ID and" },
		{ "- /a b\n", ":1: expected a build ID and" },
		{ "XY /a\n", ":1: expected a build ID in hex" },
		{ "12 /a\\9\n", ":1: invalid escape" },
		{ "- -\n", ":1: both build ID and control group are '-'" },
	};
	struct session_parts parts = { 0 };
	struct op_error e;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = strdup(rows[i].text);

		CHECK(session_parts_parse(text, strlen(text), "f", &parts, &e) == -EPROTO &&
		      strstr(e.text, rows[i].says) && !parts.nr, "'%s': %s", rows[i].text, e.text);
		free(text);
	}
}

static void put_samples(const char *folder, uint32_t count)
{
	struct sample_header h = { .version = SAMPLE_VERSION_1X };
	char *path = path_join(folder, "{root}/bin/a/{dep}/{root}/bin/a/TIMER.0.0.all.all.all");
	struct odb *db;

	CHECK(!file_make_parent_dirs(path, 0755), "folders");
	CHECK(!odb_open(path, SAMPLE_HEADER_SIZE, &db, NULL), "%s", path);
	sample_header_store(&h, odb_header(db));
	CHECK(!odb_add(db, 1, count), "add");
	odb_close(db);
	free(path);
}

/* The samples of a killed daemon are found in parts, too. [SS-24] */
TEST(settled)
{
	struct session_counts counts = { 0 };
	struct session_parts parts = { 0 };
	struct settlement s;
	char *stats, *part;
	struct op_error e;
	size_t n;

	tmpdir_make();
	stats = path_join(tmpdir, "stats");
	CHECK(!session_parts_get(stats, &parts, "12", "", &n), "part");
	part = session_part_path(stats, n);
	put_samples(tmpdir, 30);
	put_samples(part, 12);
	CHECK(!session_settle(tmpdir, &s, &e) && s.found == 42, "%s", e.text);
	CHECK(!session_counts_read(stats, &counts) && counts.nr_cpus == 1 &&
	      counts.cpu[0].recorded == 42, "recorded");
	free(counts.cpu);
	session_parts_free(&parts);
	free(part);
	free(stats);
}

TEST_MAIN()

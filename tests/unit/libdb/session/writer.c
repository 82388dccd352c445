// SPDX-License-Identifier: GPL-2.0-or-later
/* writer.c - write records into the sample files of a session, and the files beside them */
#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include "libdb/odb/odb.h"
#include "libdb/session/abi.h"
#include "libdb/session/sample_file.h"
#include "libdb/session/writer.h"
#include "libutil/file.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define FIRST	"{root}/bin/a/{dep}/{root}/bin/a/EVENT.1000.0.all.all.all"
#define SECOND	"{root}/bin/a/{dep}/{root}/lib/b/EVENT.1000.0.all.all.all"

struct seen {
	unsigned int opened, new;
	uint64_t added, failed;
	const char *cgroup;
};

/* File 1 is the program's, others are a library's. */
static void describe(void *context, uint64_t file, struct session_file *ret)
{
	const struct seen *seen = context;

	ret->name = (struct sample_name){
		.app = { .path = "/bin/a" },
		.image = { .path = file == 1 ? "/bin/a" : "/lib/b" },
		.event = "EVENT", .count = 1000,
		.tgid = SAMPLE_ALL, .tid = SAMPLE_ALL, .cpu = SAMPLE_ALL,
	};
	ret->cgroup = seen->cgroup;
	ret->cpu_type = 7;
	ret->mtime = 1234;
}

static void opened(void *context, uint64_t file, bool is_new)
{
	struct seen *seen = context;

	(void)file;
	seen->opened++;
	seen->new += is_new;
}

static void added(void *context, const struct session_record *r, int err)
{
	struct seen *seen = context;

	*(err ? &seen->failed : &seen->added) += r->count;
}

static struct session_file_ops ops = { describe, opened, added, false };

static int write_all(struct session_record *records, size_t nr, struct seen *seen,
		     struct op_error *e)
{
	struct session_writer w;
	int err;

	session_writer_init(&w, tmpdir_path("samples/current"));
	nr = session_records_sum(records, nr);
	err = session_write_records(&w, records, nr, &ops, seen, e);
	session_writer_free(&w);
	return err;
}

/* The count of @key in the file, or -errno. */
static int64_t count_in(const char *file, uint64_t key)
{
	char path[512];
	struct odb_snapshot s;
	int64_t sum = 0;
	int err;

	snprintf(path, sizeof(path), "samples/current/%s", file);
	err = odb_read(tmpdir_path(path), SAMPLE_HEADER_SIZE, &s, NULL);
	if (err)
		return err;
	for (uint32_t i = 0; i < s.nr_nodes; i++)
		sum += s.nodes[i].key == key ? s.nodes[i].count : 0;
	odb_snapshot_free(&s);
	return sum;
}

TEST(records_are_sorted_and_summed)
{
	struct session_record r[] = {
		{ 2, 5, 1 }, { 1, 9, 2 }, { 2, 5, UINT64_MAX }, { 1, 3, 4 }, { 1, 9, 1 },
	};

	CHECK(session_records_sum(r, 0) == 0, "none");
	CHECK(session_records_sum(r, ARRAY_SIZE(r)) == 3, "three keys");
	CHECK(r[0].file == 1 && r[0].key == 3 && r[0].count == 4, "first");
	CHECK(r[1].file == 1 && r[1].key == 9 && r[1].count == 3, "summed");
	CHECK(r[2].file == 2 && r[2].key == 5 && r[2].count == UINT64_MAX, "saturated");
}

TEST(files_and_headers)
{
	struct session_record r[] = {
		{ 1, 16, 3 }, { 2, 32, UINT64_C(1) << 40 }, { 1, 48, 0 }, { 1, 64, 5 },
	};
	struct session_record again = { 1, 16, 4 };
	struct seen seen = { .cgroup = "" };
	struct op_error e = { "" };
	struct sample_header h;
	size_t size;

	tmpdir_make();
	CHECK(!write_all(r, ARRAY_SIZE(r), &seen, &e), "%s", e.text);
	CHECK(seen.opened == 2 && seen.new == 2 && !seen.failed, "%u files", seen.opened);
	CHECK(seen.added == 8 + (UINT64_C(1) << 40), "%llu samples",
	      (unsigned long long)seen.added);
	CHECK(count_in(FIRST, 16) == 3 && count_in(FIRST, 64) == 5, "counts");
	CHECK(count_in(SECOND, 32) == INT64_C(1) << 40, "more than a node has room for");
	CHECK(!sample_header_read(tmpdir_path("samples/current/" FIRST), &h, &size, &e) &&
	      h.cpu_type == 7 && h.mtime == 1234 && h.count == 1000, "header: %s", e.text);
	CHECK(!write_all(&again, 1, &seen, &e) && seen.opened == 3 && seen.new == 2, "again");
	CHECK(count_in(FIRST, 16) == 7, "added to the old count");
}

TEST(parts)
{
	struct session_record r = { 1, 16, 3 };
	struct seen seen = { .cgroup = "/a b" };
	struct op_error e = { "" };
	struct session_parts parts;

	tmpdir_make();
	CHECK(!write_all(&r, 1, &seen, &e), "%s", e.text);
	CHECK(count_in("stats/parts/0/" FIRST, 16) == 3, "in the part");
	CHECK(!session_parts_read(tmpdir_path("samples/current/stats"), &parts, &e) &&
	      parts.nr == 1 && !strcmp(parts.parts[0].cgroup, "/a b"), "index: %s", e.text);
	session_parts_free(&parts);
	CHECK(!write_all(&r, 1, &seen, &e) && count_in("stats/parts/0/" FIRST, 16) == 6,
	      "a later writer finds the part");
}

/* Nor are samples filed as those of another build if there is no room for their part [SS-62]. */
TEST(too_many_parts)
{
	struct session_record r = { 1, 16, 3 };
	struct seen seen = { .cgroup = "/more" };
	struct op_error e = { "" };
	FILE *index;

	tmpdir_make();
	CHECK(!file_make_dirs(tmpdir_path("samples/current/stats/parts"), 0755), "folder");
	index = fopen(tmpdir_path("samples/current/stats/parts/index"), "w");
	for (int i = 0; index && i < SESSION_PARTS_MAX; i++)
		fprintf(index, "- /%d\n", i);
	CHECK(index && !fclose(index), "index");
	CHECK(write_all(&r, 1, &seen, &e) == -ENOSPC, "%s", e.text);
	CHECK(seen.failed == 3 && !seen.added && count_in(FIRST, 16) == -ENOENT, "%llu failed",
	      (unsigned long long)seen.failed);
}

/* A file that cannot be written costs its own samples, and the others only on request. */
TEST(unwritable_file)
{
	struct session_record r[] = { { 1, 16, 3 }, { 2, 32, 5 } };
	struct seen seen = { .cgroup = "" };
	struct op_error e = { "" };

	tmpdir_make();
	CHECK(!file_make_dirs(tmpdir_path("samples/current/" FIRST), 0755), "a folder");
	CHECK(write_all(r, 2, &seen, &e) == -EISDIR && strstr(e.text, "bin/a/EVENT"), "%s", e.text);
	CHECK(seen.failed == 3 && seen.added == 5 && count_in(SECOND, 32) == 5, "the other one");
	ops.stops_at_failure = true;
	seen = (struct seen){ .cgroup = "" };
	CHECK(write_all(r, 2, &seen, &e) == -EISDIR, "%s", e.text);
	CHECK(seen.failed == 3 && !seen.added && count_in(SECOND, 32) == 5, "not the other one");
}

TEST(stats)
{
	struct cpu_counts cpu = { .received = 5, .recorded = 5 };
	const struct session_counts counts = { 1, &cpu };
	struct session_info info = { .model = "timer", .end_time = 9 }, got;
	struct session_counts got_counts;
	struct abi abi, own;

	tmpdir_make();
	session_info_set_machine(&info);
	CHECK(*info.host && *info.kernel && *info.machine, "machine");
	put_text(tmpdir_path("abi"), "another machine's\n");
	CHECK(!session_write_stats(tmpdir, tmpdir, &counts, &info), "write");
	CHECK(!session_info_read(tmpdir, &got) && !memcmp(&got, &info, sizeof(got)), "info");
	CHECK(!session_counts_read(tmpdir, &got_counts) && got_counts.nr_cpus == 1 &&
	      got_counts.cpu[0].recorded == 5, "counts");
	session_counts_free(&got_counts);
	abi_native(SAMPLE_VERSION_1X, &own);
	CHECK(!abi_read(tmpdir_path("abi"), &abi, NULL) && abi_equal(&abi, &own), "abi");
}

TEST(vdso)
{
	char *bytes;
	size_t size;

	tmpdir_make();
	session_write_vdso(tmpdir);
	if (!file_exists(tmpdir_path(SESSION_VDSO_FILE)))
		SKIP("no vdso here");
	CHECK(!file_read_all(tmpdir_path(SESSION_VDSO_FILE), 1 << 20, &bytes, &size), "read");
	CHECK(size >= 4096 && !memcmp(bytes, "\x7f" "ELF", 4), "%zu bytes", size);
	free(bytes);
}

TEST_MAIN()

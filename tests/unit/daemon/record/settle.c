// SPDX-License-Identifier: GPL-2.0-or-later
/* settle.c - the counts of a killed daemon are corrected by its sample files [SS-24] */
#include "libdb/session/settle.h"
#include "tests/unit/daemon/record/counts.h"

static const char APP_FILE[] = "{root}/bin/app/{dep}/{root}/bin/app/TIMER.0.0.all.all.all";

static void write_session(uint64_t end_time, const struct session_counts *counts)
{
	static const struct session_info none;
	struct session_info info = none;
	char *dir = session_stats_path(tmpdir, "current", NULL);

	info.start_time = 1;
	info.end_time = end_time;
	CHECK(!file_make_dirs(dir, 0755) && !session_info_write(dir, &info) &&
		      !session_counts_write(dir, counts),
	      "writing");
	free(dir);
}

/* Write @nr samples at one key, as the daemon does. */
static void make_file_as(const char *name, unsigned int nr)
{
	struct sample_header h = {.version = SAMPLE_VERSION_1X};
	char *path = tmpdir_path("samples/current/");
	struct op_error e = { "" };
	struct odb *db = NULL;
	char file[9000];

	snprintf(file, sizeof(file), "%s%s", path, name);
	if (file_make_parent_dirs(file, 0755) || odb_open(file, SAMPLE_HEADER_SIZE, &db, &e)) {
		CHECK(false, "%s", e.text);
		return;
	}
	sample_header_store(&h, odb_header(db));
	CHECK(!odb_add(db, 0x10, nr), "odb_add");
	odb_close(db);
}

static void make_file(void)
{
	make_file_as(APP_FILE, 100);
}

static struct settlement settle(void)
{
	struct settlement s = { 0 };
	struct op_error e = { "" };

	CHECK(!session_settle(tmpdir_path("samples/current"), &s, &e), "%s", e.text);
	return s;
}

TEST(missing_samples_are_lost)
{
	struct cpu_counts cpu[3] = {{.received = 13, .recorded = 10, .filtered = 3},
				    {.received = 5, .lost[LOST_RING] = 5},
				    {.received = 150, .recorded = 150}};
	struct session_counts counts = {3, cpu};
	struct cpu_counts all;

	tmpdir_make();
	make_file();
	write_session(0, &counts);
	CHECK(settle().missing == 60, "missing");
	all = counts_of("current");
	CHECK(all.received == 168 && all.recorded == 100 && all.lost[LOST_SAMPLE_FILE] == 60,
	      "recorded %" PRIu64, all.recorded);
	CHECK(settle().missing == 0, "missing again");

	write_session(2, &counts);	/* the daemon ended normally: not checked */
	CHECK(!settle().missing, "missing");
	CHECK(counts_of("current").recorded == 160, "changed");
}

/* With --separate=cpu each file belongs to a CPU. */
TEST(files_of_each_cpu)
{
	struct cpu_counts cpu[2] = { { .received = 10, .recorded = 10 },
				     { .received = 9, .recorded = 9 } };
	struct session_counts counts = {2, cpu}, got = { 0, NULL };
	struct settlement s;
	char *dir;

	tmpdir_make();
	dir = session_stats_path(tmpdir, "current", NULL);
	make_file_as("{root}/bin/app/{dep}/{root}/bin/app/TIMER.0.0.all.all.0", 30);
	make_file_as("{root}/bin/app/{dep}/{root}/bin/app/TIMER.0.0.all.all.1", 4);
	make_file_as("{root}/bin/app/{dep}/{root}/bin/app/TIMER.0.0.all.all.3", 5);
	write_session(0, &counts);
	s = settle();
	CHECK(s.found == 25 && s.missing == 5, "found %" PRIu64, s.found);
	CHECK(!session_counts_read(dir, &got) && got.nr_cpus == 4 && got.cpu[0].recorded == 30 &&
		      got.cpu[1].recorded == 4 && got.cpu[1].lost[LOST_SAMPLE_FILE] == 5 &&
		      got.cpu[3].received == 5,
	      "%u CPUs", got.nr_cpus);
	check_agree("current");
	free(got.cpu);
	free(dir);
}

TEST(unusable_counts)
{
	static const struct session_counts no_counts;
	struct settlement s;

	tmpdir_make();
	s = settle();
	CHECK(!s.found && !s.missing && !s.counts.text[0], "no session: %s", s.counts.text);
	make_file();
	CHECK(settle().found == 100, "no counts");
	check_agree("current");
	write_session(0, &no_counts);
	CHECK(settle().found == 100, "no CPUs");
	check_agree("current");
	put_text(tmpdir_path("samples/current/stats/counts"), "cpus 2\ncpu 0 received 1");
	s = settle();
	CHECK(s.found == 100 && strstr(s.counts.text, "counts:2: "), "%s", s.counts.text);
	check_agree("current");
}

/* Other files are not counted, and a broken one has no samples. */
TEST(other_files)
{
	tmpdir_make();
	make_file();
	put_text(tmpdir_path("samples/current/README"), "x");
	put_text(tmpdir_path("samples/current/{root}/bin/app/{dep}/{root}/bin/app/TIMER.0.0.1.1.0"),
		 "DAE\n broken");
	put_text(tmpdir_path("samples/current/{root}/bin/app/{dep}/{root}/bin/app/TIMER.0.0.1.1.1"),
		 "");
	CHECK(!symlink("/", tmpdir_path("samples/current/{root}/link")), "symlink");
	CHECK(!mkfifo(tmpdir_path("samples/current/{root}/bin/app/{dep}/{root}/bin/app/"
				  "TIMER.0.0.1.1.2"), 0600), "mkfifo");
	CHECK(settle().found == 100, "found");
	CHECK(counts_of("current").recorded == 100, "recorded");
}

TEST_MAIN()

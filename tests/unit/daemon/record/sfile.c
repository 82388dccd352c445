// SPDX-License-Identifier: GPL-2.0-or-later
/* sfile.c - more sample files than can be open, full disks, and broken files */
#include <sys/resource.h>
#include "tests/unit/daemon/record/session.h"
#include "tests/unit/small_disk.h"

#define NR_THREADS 300

static void put_threads(int rounds)
{
	fake_user(&fake);
	for (int round = 0; round < rounds; round++)
		for (int tid = 1; tid <= NR_THREADS; tid++) {
			fake_cpu(&fake, tid % 4);
			fake_task(&fake, tid, APP, 1000);
			fake_cookie(&fake, APP);
			for (int i = 0; i < 3; i++)
				fake_sample(&fake, 0x10 + tid, 0);
		}
}

static void check_threads(struct recorder *r, int rounds)
{
	for (int tid = 1; tid <= NR_THREADS; tid++) {
		char name[200];

		snprintf(name, sizeof(name),
			 "{root}/bin/app/{dep}/{root}/bin/app/TIMER.0.0.1000.%d.all", tid);
		CHECK_FILE("current", name, 0x10 + tid, 3 * rounds, 3 * rounds);
	}
	CHECK(test_totals(r).recorded == 3u * rounds * NR_THREADS, "recorded %" PRIu64,
	      test_totals(r).recorded);
}

static void run_threads(void)
{
	struct recorder *r;

	test_config.separate.thread = true;
	put_threads(4);
	r = test_open();
	while (fake.taken < fake.nr)
		CHECK(!recorder_drain(r, false, NULL, NULL), "drain");
	check_threads(r, 4);
	while (recorder_sync(r))
		;
	recorder_close_files(r);
	check_threads(r, 4);
	test_close(r);
}

TEST(a_maximum_of_open_files)
{
	test_prepare();
	test_config.max_open = 7;
	fake.limit = 500;
	run_threads();
}

/* One user's files do not fail a dump, and files that are there go on. */
TEST(a_maximum_of_files)
{
	struct op_error e = { "" };
	struct cpu_counts all;
	struct recorder *r;

	test_prepare();
	test_config.separate.thread = true;
	test_config.max_files = 7;
	put_threads(4);
	r = test_open();
	while (fake.taken < fake.nr)
		CHECK(!recorder_drain(r, false, NULL, NULL), "drain");
	CHECK(!recorder_dump(r, &e), "%s", e.text);
	all = test_totals(r);
	CHECK(all.recorded == 3 * 4 * 7, "%" PRIu64 " recorded", all.recorded);
	CHECK(all.lost[LOST_LIMIT] == 3 * 4 * (NR_THREADS - 7) && !all.lost[LOST_SAMPLE_FILE],
	      "%" PRIu64 " over the limit", all.lost[LOST_LIMIT]);
	test_close(r);
}

static void put_one_of_threads(uint32_t from, uint32_t to)
{
	fake_user(&fake);
	fake_cookie(&fake, APP);
	for (uint32_t tid = from; tid < to; tid++) {
		fake_task(&fake, tid, APP, 21);
		fake_sample(&fake, 0x10, 0);
	}
}

/* A nearly full disk takes no new files, but those that it did not take later. */
TEST(a_disk_with_room_again)
{
	const size_t filler = 64 << 20;
	struct cpu_counts all;
	struct recorder *r;
	int fd;

	test_prepare();
	small_disk_mount("size=110m");
	test_config.kernel.proc_modules = test_config.kernel.proc_kallsyms = "/dev/null";
	test_config.separate.thread = true;
	r = test_open();
	put_one_of_threads(100, 1101);		/* so many are not checked, and one more */
	test_drain(r);
	all = test_totals(r);
	CHECK(all.recorded == 1001 && !all.lost[LOST_LIMIT], "%" PRIu64, all.recorded);

	fd = open(tmpdir_path("filler"), O_WRONLY | O_CREAT, 0600);
	CHECK(fd >= 0 && !posix_fallocate(fd, 0, filler), "fill");
	close(fd);
	put_one_of_threads(1100, 1103);
	test_drain(r);
	all = test_totals(r);
	CHECK(all.recorded == 1002 && all.lost[LOST_LIMIT] == 2, "%" PRIu64 " recorded, %" PRIu64
	      " lost", all.recorded, all.lost[LOST_LIMIT]);

	unlink(tmpdir_path("filler"));
	for (int i = 0; i < 600 && all.recorded == 1002; i++) {		/* retried after a while */
		usleep(100000);
		put_one_of_threads(1101, 1102);
		test_drain(r);
		all = test_totals(r);
	}
	CHECK(all.recorded > 1002, "the file was not tried again");
	CHECK(!all.lost[LOST_SAMPLE_FILE], "%" PRIu64 " as unwritable", all.lost[LOST_SAMPLE_FILE]);
	test_close(r);
}

TEST(out_of_descriptors)
{
	struct rlimit few = { 40, 40 };

	test_prepare();
	test_config.max_open = 10000;		/* more than the system allows */
	if (setrlimit(RLIMIT_NOFILE, &few))
		SKIP("cannot lower the limit");
	run_threads();
}

TEST(losses_on_a_full_disk_are_counted)
{
	struct cpu_counts full, after;
	struct recorder *r;

	test_prepare();
	small_disk_mount("size=1m");
	test_config.kernel.proc_modules = test_config.kernel.proc_kallsyms = "/dev/null";
	r = test_open();
	fake_user(&fake);
	fake_cookie(&fake, APP);
	fake_sample(&fake, 0x10, 0);
	test_drain(r);

	small_disk_fill(tmpdir_path("filler"));
	for (int i = 0; i < 20000; i++)
		fake_sample(&fake, i, 0);
	test_drain(r);
	full = test_totals(r);
	CHECK(full.lost[LOST_SAMPLE_FILE] > 10000, "lost %" PRIu64, full.lost[LOST_SAMPLE_FILE]);
	CHECK(full.recorded > 1, "known keys are not counted");

	unlink(tmpdir_path("filler"));
	for (int i = 0; i < 5; i++) {		/* retried after a while */
		sleep(1);
		for (int j = 0; j < 1000; j++)
			fake_sample(&fake, 0x100000 + j, 0);
		test_drain(r);
	}
	after = test_totals(r);
	CHECK(after.recorded >= full.recorded + 2000, "%" PRIu64 " recorded, before %" PRIu64,
	      after.recorded, full.recorded);
	test_close(r);
}

#define APP_DIR "{root}/bin/app/{dep}/{root}/bin/app"
#define APP_FILE APP_DIR "/TIMER.0.0.all.all.all"

static void put_one_of_app_and_lib(void)
{
	fake_user(&fake);
	fake_cookie(&fake, APP);
	fake_sample(&fake, 0x10, 0);
	fake_cookie(&fake, LIB);
	fake_sample(&fake, 0x10, 0);
}

static void put_at_app(const void *bytes, size_t n)
{
	char path[9000];

	snprintf(path, sizeof(path), "%s/samples/current/" APP_FILE, tmpdir);
	file_make_parent_dirs(path, 0755);
	put_file(path, bytes, n);
}

static bool log_has(const char *words)
{
	char *text;
	bool has;

	if (file_read_all(tmpdir_path("log"), 1 << 20, &text, NULL))
		return false;
	has = strstr(text, words);
	free(text);
	return has;
}

/* A file that is not a sample file is not changed, and no samples are lost because of it. */
TEST(a_broken_file_is_set_aside)
{
	static const char broken[] = "not a sample file";
	struct cpu_counts all;
	struct recorder *r;
	char *text;

	test_prepare();
	for (int i = 1; i <= 2; i++) {
		char name[200];

		put_at_app(broken, strlen(broken));
		r = test_open();
		put_one_of_app_and_lib();
		test_drain(r);
		all = test_totals(r);
		CHECK(all.recorded == 2 * (unsigned int)i && !all.lost[LOST_SAMPLE_FILE],
		      "%" PRIu64 " recorded", all.recorded);
		CHECK_FILE("current", APP_FILE, 0x10, 1, 1);
		snprintf(name, sizeof(name), "samples/current/" APP_FILE ".broken%d", i);
		if (file_read_all(tmpdir_path(name), 1000, &text, NULL)) {
			CHECK(false, "%s is missing", name);
			continue;
		}
		CHECK(!strcmp(text, broken), "the broken file was changed");
		free(text);
		snprintf(name, sizeof(name),
			 "; renamed it to 'TIMER.0.0.all.all.all.broken%d' and started a new", i);
		CHECK(log_has(name), "not logged");
		recorder_stop(r, NULL);
		recorder_close(r);
		fake_collector_free(&fake);
		fake_collector_init(&fake, test_paths, ARRAY_SIZE(test_paths));
	}
	fake_collector_free(&fake);
	log_close();
}

/* A file's name may contain a newline, which must not start a line of the log. */
TEST(names_do_not_add_lines_to_the_log)
{
	test_prepare();
	log_line("cannot open '%s'", "/tmp/x\n2026-01-01 00:00:00 all is well\033[2J");
	CHECK(log_has("/tmp/x?2026-01-01 00:00:00 all is well?[2J'\n"), "added a line");
	fake_collector_free(&fake);
	log_close();
}

/* A truncated file is broken, too. */
TEST(a_truncated_file)
{
	struct recorder *r;
	char path[9000];

	test_prepare();
	r = test_open();
	put_one_of_app_and_lib();
	test_drain(r);
	recorder_close(r);
	snprintf(path, sizeof(path), "%s/samples/current/" APP_FILE, tmpdir);
	CHECK(!truncate(path, 500), "truncate");
	r = test_open();
	put_one_of_app_and_lib();
	test_drain(r);
	CHECK_FILE("current", APP_FILE, 0x10, 1, 1);
	CHECK_FILE("current", "{root}/lib/x.so/{dep}/{root}/lib/x.so/TIMER.0.0.all.all.all", 0x10,
		   2, 2);
	CHECK(log_has("truncated: expected"), "not logged");
	test_close(r);
}

/* A file of OProfile 0.9 has another header, but is valid: it stays. */
TEST(a_file_of_another_version)
{
	struct sample_header h = {.version = SAMPLE_VERSION_099};
	unsigned char bytes[3000] = { 0 };
	struct cpu_counts all;
	struct recorder *r;

	test_prepare();
	CHECK(sample_header_encode(&h, bytes, sizeof(bytes)) == SAMPLE_HEADER_SIZE_099, "header");
	put_at_app(bytes, sizeof(bytes));
	r = test_open();
	put_one_of_app_and_lib();
	test_drain(r);
	all = test_totals(r);
	CHECK(all.recorded == 1 && all.lost[LOST_SAMPLE_FILE] == 1, "%" PRIu64 " recorded",
	      all.recorded);
	CHECK(strstr(recorder_trouble(r), "another version") && log_has("--save=NAME"), "%s",
	      recorder_trouble(r));
	test_close(r);
}

TEST_MAIN()

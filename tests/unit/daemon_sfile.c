// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon_sfile.c - more sample files than can be open, and disks that refuse */
#include <sys/resource.h>
#include <sys/mount.h>
#include <sched.h>
#include "daemon_session.h"

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
	recorder_sync(r);
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

TEST(out_of_descriptors)
{
	struct rlimit few = { 40, 40 };

	test_prepare();
	test_config.max_open = 10000;		/* more than the system gives */
	if (setrlimit(RLIMIT_NOFILE, &few))
		SKIP("cannot lower the limit");
	run_threads();
}

/* A small file system of our own, or skip. */
static void mount_small(const char *options)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", tmpdir, "tmpfs", 0, options))
		SKIP("needs root, to mount a small file system");
}

TEST(a_full_disk_costs_counted_samples)
{
	struct cpu_counts full, after;
	struct recorder *r;
	char filler[64 * 1024];
	FILE *f;

	test_prepare();
	mount_small("size=1m");
	test_config.kernel.proc_modules = test_config.kernel.proc_kallsyms = "/dev/null";
	r = test_open();
	fake_user(&fake);
	fake_cookie(&fake, APP);
	fake_sample(&fake, 0x10, 0);
	test_drain(r);

	f = fopen(tmpdir_path("filler"), "w");
	memset(filler, 1, sizeof(filler));
	setvbuf(f, NULL, _IONBF, 0);
	while (fwrite(filler, 1, 4096, f) == 4096)
		;
	fclose(f);
	for (int i = 0; i < 20000; i++)
		fake_sample(&fake, i, 0);
	test_drain(r);
	full = test_totals(r);
	CHECK(full.lost[LOST_SAMPLE_FILE] > 10000, "lost %" PRIu64, full.lost[LOST_SAMPLE_FILE]);
	CHECK(full.recorded > 1, "keys that were there are counted still");

	unlink(tmpdir_path("filler"));
	for (int i = 0; i < 5; i++) {		/* tried again, after a while */
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

/* What lies where a sample file should be is never harmed; the rest goes on. */
TEST(a_damaged_file_is_left_alone)
{
	struct cpu_counts all;
	struct recorder *r;
	char path[9000], *text;

	test_prepare();
	snprintf(path, sizeof(path), "%s/samples/current/{root}/bin/app/{dep}/{root}/bin/app",
		 tmpdir);
	file_make_dirs(path, 0755);
	strcat(path, "/TIMER.0.0.all.all.all");
	put_text(path, "this is no sample file");
	r = test_open();
	fake_user(&fake);
	fake_cookie(&fake, APP);
	fake_sample(&fake, 0x10, 0);
	fake_cookie(&fake, LIB);
	fake_sample(&fake, 0x10, 0);
	test_drain(r);
	all = test_totals(r);
	CHECK(all.recorded == 1 && all.lost[LOST_SAMPLE_FILE] == 1, "%" PRIu64 " recorded",
	      all.recorded);
	CHECK(!file_read_all(path, 1000, &text, NULL) && !strcmp(text, "this is no sample file"),
	      "it was touched");
	free(text);
	CHECK(!file_read_all(tmpdir_path("log"), 100000, &text, NULL) &&
		      strstr(text, "samples are being lost"),
	      "the log says nothing");
	free(text);
	test_close(r);
}

TEST_MAIN()

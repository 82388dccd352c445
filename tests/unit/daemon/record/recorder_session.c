// SPDX-License-Identifier: GPL-2.0-or-later
/* recorder_session.c - sessions that are continued, saved, discarded, and separated */
#include <time.h>
#include "tests/unit/daemon/record/session.h"

#define APP_FILE "{root}/bin/app/{dep}/{root}/bin/app/TIMER.0.0.all.all.all"

static void put_app_samples(int nr)
{
	fake_user(&fake);
	fake_task(&fake, 22, APP, 21);
	fake_cookie(&fake, APP);
	for (int i = 0; i < nr; i++)
		fake_sample(&fake, 0x10, 0);
}

TEST(save_and_reset)
{
	struct op_error e = { "" };
	struct session_info info;
	struct recorder *r;
	char *stats;

	test_prepare();
	r = test_open();
	put_app_samples(5);
	CHECK(!recorder_save(r, "first", &e), "%s", e.text);
	CHECK_FILE("first", APP_FILE, 0x10, 5, 5);
	CHECK_FILE("current", APP_FILE, 0x10, -1, 0);
	CHECK(test_totals(r).recorded == 0, "counts start from 0");
	stats = session_stats_path(tmpdir, "first", NULL);
	CHECK(!session_info_read(stats, &info) && info.end_time, "the saved session has ended");
	free(stats);

	put_app_samples(3);
	test_drain(r);
	CHECK(test_totals(r).recorded == 3, "counts of the new session");
	CHECK(recorder_save(r, "first", &e) == -EEXIST, "%s", e.text);
	CHECK(recorder_save(r, "../x", &e) == -EINVAL, "%s", e.text);
	CHECK(recorder_save(r, "current", &e) == -EINVAL, "%s", e.text);
	CHECK(recorder_save(r, "", &e) == -EINVAL, "%s", e.text);
	put_app_samples(1);
	test_drain(r);
	CHECK_FILE("current", APP_FILE, 0x10, 4, 4);

	CHECK(!recorder_reset(r, &e), "%s", e.text);
	CHECK_FILE("current", APP_FILE, 0x10, -1, 0);
	put_app_samples(2);
	test_drain(r);
	CHECK_FILE("current", APP_FILE, 0x10, 2, 2);
	CHECK_FILE("first", APP_FILE, 0x10, 5, 5);
	CHECK(test_totals(r).recorded == 2, "counts after the reset");
	test_close(r);
}

static void put_files(const char *below)
{
	for (int i = 0; i < 3000; i++) {
		char path[300];

		snprintf(path, sizeof(path), "%s/{root}/dir%d/file", below, i);
		CHECK(!file_make_parent_dirs(tmpdir_path(path), 0755), "%s", path);
		put_text(tmpdir_path(path), "");
	}
}

static int is_hidden(const struct dirent *entry)
{
	return entry->d_name[0] == '.' && strcmp(entry->d_name, ".") &&
	       strcmp(entry->d_name, "..");
}

static int64_t own_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* However many files it has, the session is renamed, and emptied by another thread. */
TEST(reset_of_many_files)
{
	struct op_error e = { "" };
	struct recorder *r;
	int64_t start, reset, removal;
	struct dirent **entries;
	int nr;

	test_prepare();
	r = test_open();
	put_app_samples(5);
	test_drain(r);
	put_files("samples/current");
	put_files("else");
	start = own_cpu_ns();
	CHECK(!file_remove_tree(tmpdir_path("else")), "remove");
	removal = own_cpu_ns() - start;
	start = own_cpu_ns();
	CHECK(!recorder_reset(r, &e), "%s", e.text);
	reset = own_cpu_ns() - start;
	CHECK(reset < removal / 3, "reset took %" PRId64 " ns, removing the files %" PRId64, reset,
	      removal);
	put_files("samples/current");
	CHECK(!recorder_reset(r, &e), "again, meanwhile: %s", e.text);
	CHECK_FILE("current", APP_FILE, 0x10, -1, 0);
	test_close(r);
	nr = scandir(tmpdir_path("samples"), &entries, is_hidden, alphasort);
	CHECK(!nr, "%d discarded sessions are left", nr);
	free(entries);
}

TEST(a_failed_drain_loses_no_session)
{
	struct op_error e = { "" };
	struct recorder *r;

	test_prepare();
	r = test_open();
	put_app_samples(5);
	test_drain(r);
	fake.fail = -EIO;
	CHECK(recorder_save(r, "first", &e) == -EIO, "%s", e.text);
	CHECK(recorder_reset(r, &e) == -EIO, "%s", e.text);
	fake.fail = 0;
	CHECK_FILE("current", APP_FILE, 0x10, 5, 5);
	test_close(r);
}

TEST(the_next_daemon_continues)
{
	struct session_counts c;
	struct cpu_counts all;
	struct recorder *r;
	char *stats;

	test_prepare();
	for (int run = 1; run <= 3; run++) {
		r = test_open();
		put_app_samples(10);
		test_drain(r);
		recorder_write_counts(r);
		CHECK(test_totals(r).recorded == 10u * run, "run %d: %" PRIu64, run,
		      test_totals(r).recorded);
		recorder_close(r);
		fake_collector_free(&fake);
		fake_collector_init(&fake, test_paths, ARRAY_SIZE(test_paths));
	}
	CHECK_FILE("current", APP_FILE, 0x10, 30, 30);
	stats = session_stats_path(tmpdir, "current", NULL);
	CHECK(!session_counts_read(stats, &c), "counts");
	session_counts_total(&c, &all);
	CHECK(all.received == 30 && all.recorded == 30,
	      "%" PRIu64 " received, %" PRIu64 " recorded", all.received, all.recorded);
	free(c.cpu);
	free(stats);
	fake_collector_free(&fake);
}

/* The note for the next start has @words, once. */
static void check_note(struct recorder *r, const char *words)
{
	char *note = recorder_take_note(r);

	CHECK(note && strstr(note, words), "note: %s", note ? note : "none");
	free(note);
	note = recorder_take_note(r);
	CHECK(!note, "a second note: %s", note);
	free(note);
}

TEST(another_boot_gets_its_own_session)
{
	struct recorder *r;
	char *found;

	test_prepare();
	test_config.kernel.mode = KERNEL_SYMBOLS;
	r = test_open();
	put_app_samples(10);
	test_drain(r);
	recorder_close(r);
	put_text(tmpdir_path("kallsyms"), "ffffffff9a000000 T _stext\nffffffff9a002000 T _etext\n");
	r = test_open();
	put_app_samples(1);
	test_drain(r);
	CHECK_FILE("current", APP_FILE, 0x10, 1, 1);
	found = session_files("");
	CHECK(strstr(found, "boot-until-"), "%s", found);
	free(found);
	check_note(r, "the samples taken before a reboot were saved as session 'boot-until-");
	test_close(r);
}

static void slower_status(struct collector *c, struct collector_status *ret)
{
	(void)c;
	snprintf(ret->model, sizeof(ret->model), "timer");
	ret->period_ns = 250000;
}

/* The next daemon continues the session, with another collector, and adds one sample. */
static struct recorder *add_one_sample(bool slower)
{
	struct recorder *r;

	fake_collector_free(&fake);
	fake_collector_init(&fake, test_paths, ARRAY_SIZE(test_paths));
	if (slower)
		fake.collector.status = slower_status;
	r = test_open();
	put_app_samples(1);
	test_drain(r);
	return r;
}

static unsigned int count_saved_sessions(void)
{
	struct dirent **entries;
	char dir[5000];
	unsigned int nr = 0;
	int n;

	snprintf(dir, sizeof(dir), "%s", tmpdir_path("samples"));
	n = scandir(dir, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (!strncmp(entries[i]->d_name, "before-", 7)) {
			CHECK_FILE(entries[i]->d_name, APP_FILE, 0x10, 1, 1);
			nr++;
		}
		free(entries[i]);
	}
	free(entries);
	return nr;
}

/* A timer's file names have no count, so samples at another rate would be added up. */
TEST(another_period_gets_its_own_session)
{
	struct recorder *r;

	test_prepare();
	test_config.nr_counters = test_config.nr_events = 1;
	recorder_close(add_one_sample(false));
	for (int i = 1; i <= 4; i++) {	/* within a second, but names must differ */
		r = add_one_sample(i % 2);
		CHECK_FILE("current", APP_FILE, 0x10, 1, 1);
		CHECK(test_totals(r).recorded == 1, "counts start from 0");
		check_note(r, i % 2 ? "taken every 100000 ns were saved as session 'before-" :
				      "taken every 250000 ns were saved as session 'before-");
		CHECK(count_saved_sessions() == (unsigned int)i, "%u saved",
		      count_saved_sessions());
		recorder_close(r);
	}
	r = add_one_sample(false);
	CHECK_FILE("current", APP_FILE, 0x10, 2, 2);
	CHECK(!recorder_take_note(r), "a note without a cause");
	CHECK(count_saved_sessions() == 4, "saved a session of the same period");
	test_close(r);
}

TEST(another_cpu_type_gets_its_own_session)
{
	struct recorder *r;

	test_prepare();
	recorder_close(add_one_sample(false));
	test_config.cpu_type = "i386/core_2";
	r = add_one_sample(false);
	CHECK_FILE("current", APP_FILE, 0x10, 1, 1);
	check_note(r, "for CPU type 'timer'");
	test_close(r);
}

/* Samples in other files can stay, and an empty session need not be saved. */
TEST(sessions_are_not_saved_without_need)
{
	static const struct sfile_event counted = { .name = "CYCLES", .count = 100000 };
	static const struct sfile_event rarer = { .name = "CYCLES", .count = 200000 };
	struct recorder *r;

	test_prepare();
	recorder_close(test_open());		/* no samples */
	test_config.events = &counted;
	test_config.nr_counters = test_config.nr_events = 1;
	recorder_close(add_one_sample(true));
	test_config.events = &rarer;
	test_config.separate.cpu = true;
	r = add_one_sample(false);
	CHECK_FILE("current", "{root}/bin/app/{dep}/{root}/bin/app/CYCLES.100000.0.all.all.all",
		   0x10, 1, 1);
	CHECK_FILE("current", "{root}/bin/app/{dep}/{root}/bin/app/CYCLES.200000.0.all.all.0", 0x10,
		   1, 1);
	CHECK(!recorder_take_note(r) && !count_saved_sessions(), "saved");
	test_close(r);
}

TEST_MAIN()

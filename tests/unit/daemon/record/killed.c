// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * killed.c - after kill -9 at any moment the counts of the next daemon balance [SS-24]
 *
 * The daemon is a child process with a recorder on a fake collector, which does the same as
 * oprofiled's main loop, as fast as it can.
 */
#include <signal.h>
#include "tests/unit/daemon/record/counts.h"

static const char APP_FILE[] = "{root}/bin/app/{dep}/{root}/bin/app/TIMER.0.0.all.all.all";

/* @nr samples on two CPUs; some of them are lost or filtered out. */
static void put_samples(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		uint64_t random = test_random();

		fake_cpu(&fake, random & 1);
		fake_task(&fake, 5, APP, 5);
		if (random & 2) {
			fake_user(&fake);
			fake_cookie(&fake, random & 0x1c ? (random & 0x20 ? LIB : APP) : UNKNOWN);
		} else {
			fake_kernel(&fake);
		}
		fake_sample(&fake, random >> 40, 0);
	}
}

/* The daemon: never returns. Dumps, saves and stops come in random order. */
static void work_forever(void)
{
	struct op_error e = { "" };
	struct recorder *r = test_open();
	char name[32];

	recorder_start(r, &e);
	for (unsigned int turn = 0;; turn++) {
		put_samples(test_random() % 300);
		recorder_drain(r, false, NULL, &e);
		switch (test_random() % 16) {
		case 0:
			recorder_write_counts(r);
			break;
		case 1:
			recorder_dump(r, &e);
			break;
		case 2:
			recorder_stop(r, &e);
			recorder_start(r, &e);
			break;
		case 3:
			snprintf(name, sizeof(name), "s%d.%u", getpid(), turn);
			recorder_save(r, turn % 8 ? "last" : name, &e);
			break;
		default:
			break;
		}
	}
}

static pid_t start_daemon(uint64_t seed)
{
	pid_t pid = fork();

	if (!pid) {
		test_random_state = seed * 2 + 1;
		work_forever();
	}
	return pid;
}

static void kill_after(pid_t pid, unsigned int us)
{
	usleep(us);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int is_session(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void check_saved_sessions(void)
{
	struct dirent **entries;
	int nr = scandir(tmpdir_path("samples"), &entries, is_session, NULL);

	for (int i = 0; i < nr; i++) {
		if (strcmp(entries[i]->d_name, "current"))
			check_agree(entries[i]->d_name);
		free(entries[i]);
	}
	CHECK(nr > 0, "no sessions");
	free(entries);
}

/* On a busy machine the daemon may not have recorded anything by then: retry, and wait longer. */
static void kill_daemons(unsigned int times)
{
	uint64_t recorded = 0;
	struct recorder *r;

	for (unsigned int i = 0; i < times || (i < 5 * times && !recorded && !samples_in("last"));
	     i++) {
		uint64_t before = samples_in("current");

		kill_after(start_daemon(test_random()),
			   test_random() % (i < times ? 20000 : 500000));
		(void)counts_of("current");	/* must balance */
		before = samples_in("current");
		r = test_open();
		check_agree("current");
		recorded = counts_of("current").recorded;
		CHECK(recorded == before, "%" PRIu64 " in the files, %" PRIu64 " recorded", before,
		      recorded);
		recorder_close(r);
	}
	check_saved_sessions();
	CHECK(recorded || samples_in("last"), "nothing was recorded");
	fake_collector_free(&fake);
	log_close();
}

TEST(killed_at_60_moments)
{
	test_prepare();
	kill_daemons(60);
}

TEST(killed_with_files_per_cpu)
{
	test_prepare();
	test_config.separate.cpu = true;
	kill_daemons(20);
}

/* Samples that were recorded but not counted are found, and known losses stay. */
TEST(found_in_the_files)
{
	struct cpu_counts all;
	struct recorder *r;
	pid_t pid;

	test_prepare();
	pid = fork();
	if (!pid) {
		struct op_error e;

		r = test_open();
		recorder_start(r, &e);
		fake_cpu(&fake, 1);
		fake_user(&fake);
		fake_cookie(&fake, APP);
		fake_sample(&fake, 0x10, 0);
		fake_cookie(&fake, UNKNOWN);
		fake_sample(&fake, 0x10, 0);
		recorder_drain(r, true, NULL, &e);
		fake.counts.cpu[0].received += 1000;	/* under way */
		recorder_write_counts(r);
		fake_cookie(&fake, APP);
		fake_sample(&fake, 0x10, 0);
		fake_sample(&fake, 0x20, 0);
		recorder_drain(r, true, NULL, &e);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	all = counts_of("current");
	CHECK(all.received == 2 && all.recorded == 1, "before: %" PRIu64, all.received);
	CHECK_FILE("current", APP_FILE, 0x10, 2, 3);

	r = test_open();
	all = test_totals(r);
	CHECK(all.received == 4 && all.recorded == 3 && all.lost[LOST_UNKNOWN_IMAGE] == 1,
	      "after: received %" PRIu64 ", recorded %" PRIu64, all.received, all.recorded);
	check_agree("current");
	test_close(r);
}

/* A daemon that is killed after @nr samples at one place. */
static void record_and_die(unsigned int nr)
{
	pid_t pid = fork();

	if (!pid) {
		struct op_error e = { "" };
		struct recorder *r = test_open();

		recorder_start(r, &e);
		fake_cpu(&fake, 1);
		fake_user(&fake);
		fake_cookie(&fake, APP);
		while (nr--)
			fake_sample(&fake, 0x10, 0);
		recorder_drain(r, true, NULL, &e);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
}

/* What is beyond 2^32-1 is in a second entry, of which the next daemon knows. */
TEST(counts_beyond_32_bits)
{
	const uint64_t many = UINT32_MAX - UINT64_C(3);
	struct odb *db = NULL;
	char path[200];
	struct recorder *r;

	test_prepare();
	record_and_die(1);
	snprintf(path, sizeof(path), "samples/current/%s", APP_FILE);
	CHECK(!odb_open(tmpdir_path(path), SAMPLE_HEADER_SIZE, &db, NULL) &&
	      !odb_add(db, 0x10, many), "a count that is nearly full");
	odb_close(db);
	for (unsigned int i = 1; i < 3; i++) {
		record_and_die(5);
		CHECK(samples_in("current") == many + 1 + i * 5, "after %u times: %" PRIu64, i,
		      samples_in("current"));
	}
	r = test_open();
	CHECK(test_totals(r).recorded == many + 11, "%" PRIu64, test_totals(r).recorded);
	check_agree("current");
	test_close(r);
}

TEST(killed_during_reset)
{
	struct recorder *r;

	test_prepare();
	CHECK(!file_make_dirs(tmpdir_path("samples/.removed.1234/a/b"), 0755) &&
		      !file_make_dirs(tmpdir_path("samples/.tmp_reset.1/c"), 0755) &&
		      !file_make_dirs(tmpdir_path("samples/one"), 0755),
	      "mkdir");
	r = test_open();
	test_close(r);		/* they are removed in the background until then */
	CHECK(!file_exists(tmpdir_path("samples/.removed.1234")) &&
		      !file_exists(tmpdir_path("samples/.tmp_reset.1")),
	      "not removed");
	CHECK(file_is_dir(tmpdir_path("samples/one")), "a session was removed");
}

/* What a collector that fails for good still holds is lost. */
TEST(unread_samples)
{
	struct op_error e = { "" };
	struct cpu_counts all;
	struct recorder *r;

	test_prepare();
	r = test_open();
	recorder_start(r, &e);
	put_samples(10);
	fake.fail = -EIO;
	CHECK(recorder_stop(r, &e) == -EIO, "stop");
	CHECK(recorder_drain(r, true, NULL, &e) == -EIO, "drain");
	test_close(r);
	all = counts_of("current");
	CHECK(all.received == 10 && all.lost[LOST_UNREAD] == 10, "received %" PRIu64, all.received);
}

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon_killed.c - after kill -9 at any moment the next daemon's counts balance [SS-24]
 *
 * The daemon is a child process with a recorder on a fake collector; what it does is what
 * oprofiled's main loop does, as fast as it can.
 */
#include <signal.h>
#include "session_settle.h"
#include "daemon_session.h"

static const char APP_FILE[] = "{root}/bin/app/{dep}/{root}/bin/app/TIMER.0.0.all.all.all";

/* @nr samples, some on each of two CPUs, some of them lost or left out. */
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

/*
 * All samples in the files of @session, as a report reads them: a file whose writer was killed is
 * mended by the next one only. [SF-17]
 */
static uint64_t samples_in(const char *session)
{
	char *files = session_files(session), *name, *rest, path[9000];
	uint64_t sum = 0;

	for (name = strtok_r(files, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest)) {
		struct odb_snapshot s;
		struct op_error e = { "" };
		int err;

		snprintf(path, sizeof(path), "%s/samples/%s/%s", tmpdir, session, name);
		err = odb_read(path, SAMPLE_HEADER_SIZE, &s, &e);
		CHECK(!err || err == -ENODATA, "%s", e.text);
		for (uint32_t i = 0; !err && i < s.nr_nodes; i++)
			sum += s.nodes[i].count;
		if (!err)
			odb_snapshot_free(&s);
	}
	free(files);
	return sum;
}

/* What stats/counts says; each CPU's must balance. */
static struct cpu_counts counts_of(const char *session)
{
	char *dir = session_stats_path(tmpdir, session, NULL);
	struct session_counts c = { 0, NULL };
	struct cpu_counts all;
	int err = session_counts_read(dir, &c);

	CHECK(!err || err == -ENOENT, "counts: %s", strerror(-err));
	for (unsigned int i = 0; i < c.nr_cpus; i++)
		CHECK(c.cpu[i].received == counts_accounted(&c.cpu[i]),
		      "cpu %u of '%s': received %" PRIu64 ", accounted for %" PRIu64, i, session,
		      c.cpu[i].received, counts_accounted(&c.cpu[i]));
	session_counts_total(&c, &all);
	free(c.cpu);
	free(dir);
	return all;
}

static void check_agree(const char *session)
{
	uint64_t files = samples_in(session), counts = counts_of(session).recorded;

	CHECK(files == counts, "'%s': %" PRIu64 " samples in files, %" PRIu64 " recorded", session,
	      files, counts);
}

/* The daemon: never returns. Dumps, counts, saves and stops come in any order. */
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

/* On a busy machine it may have got nowhere in that time: then more often, and later. */
static void kill_it(unsigned int times)
{
	uint64_t recorded = 0;
	struct recorder *r;

	for (unsigned int i = 0; i < times || (i < 5 * times && !recorded && !samples_in("last"));
	     i++) {
		uint64_t before = samples_in("current");

		kill_after(start_daemon(test_random()),
			   test_random() % (i < times ? 20000 : 500000));
		(void)counts_of("current");	/* whatever was written balances */
		before = samples_in("current");
		r = test_open();
		check_agree("current");
		recorded = counts_of("current").recorded;
		CHECK(recorded == before, "%" PRIu64 " in the files, %" PRIu64 " recorded", before,
		      recorded);
		recorder_close(r);
	}
	check_saved_sessions();
	CHECK(recorded || samples_in("last"), "nothing was recorded at all");
	fake_collector_free(&fake);
	log_close();
}

TEST(killed_at_60_moments)
{
	test_prepare();
	kill_it(60);
}

TEST(killed_with_files_of_each_cpu)
{
	test_prepare();
	test_config.separate.cpu = true;
	kill_it(20);
}

/* Recorded, not yet in the counts, and killed: found again, and the losses known are kept. */
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

/* @nr samples at one key, as the daemon writes them. */
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

TEST(what_is_missing_was_lost)
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
	CHECK(settle().missing == 0, "once is enough");

	write_session(2, &counts);	/* ended in order: not looked at */
	CHECK(!settle().missing, "missing");
	CHECK(counts_of("current").recorded == 160, "changed");
}

/* With --separate=cpu the files tell whose they are. */
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

TEST(counts_that_cannot_be_used)
{
	static const struct session_counts no_counts;
	struct settlement s;

	tmpdir_make();
	s = settle();
	CHECK(!s.found && !s.missing && !s.counts.text[0], "no session at all: %s", s.counts.text);
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

/* Other files are none of the counts' business, and a broken one holds nothing. */
TEST(files_that_are_no_sample_files)
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

TEST(killed_while_throwing_away)
{
	struct recorder *r;

	test_prepare();
	CHECK(!file_make_dirs(tmpdir_path("samples/.removed.1234/a/b"), 0755) &&
		      !file_make_dirs(tmpdir_path("samples/.tmp_reset.1/c"), 0755) &&
		      !file_make_dirs(tmpdir_path("samples/one"), 0755),
	      "mkdir");
	r = test_open();
	CHECK(!file_exists(tmpdir_path("samples/.removed.1234")) &&
		      !file_exists(tmpdir_path("samples/.tmp_reset.1")),
	      "left there");
	CHECK(file_is_dir(tmpdir_path("samples/one")), "a session was removed");
	test_close(r);
}

/* A collector that fails for good: what it still held has a name. */
TEST(left_unread)
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

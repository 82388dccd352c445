// SPDX-License-Identifier: GPL-2.0-or-later
/* recorder.c - whole sessions: from words to sample files, which are read back */
#include <malloc.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "tests/unit/daemon/record/session.h"

/* One user sample of a library, one of the kernel, one of anonymous memory. */
static void put_one_of_each(void)
{
	fake_cpu(&fake, 1);
	fake_user(&fake);
	fake_task(&fake, 22, APP, 21);
	fake_cookie(&fake, LIB);
	fake_sample(&fake, 0x100, 0);
	fake_anon(&fake, 0x7000, 0x9000, "");
	fake_sample(&fake, 0x7010, 0);
	fake_kernel(&fake);
	fake_sample(&fake, 0xffffffff81000100, 0);
}

#define K "{kern}/no-vmlinux"
#define A "{root}/bin/app/{dep}/"
#define ANON A "{anon:anon}/21.0x7000.0x9000/"

static const struct {
	struct separation separate;
	const char *files;
} separations[] = {
	{ { .lib = false },
	  K "/{dep}/" K "/TIMER.0.0.all.all.all\n"
	  ANON "TIMER.0.0.all.all.all\n"
	  "{root}/lib/x.so/{dep}/{root}/lib/x.so/TIMER.0.0.all.all.all\n" },
	{ { .lib = true },
	  K "/{dep}/" K "/TIMER.0.0.all.all.all\n"
	  ANON "TIMER.0.0.all.all.all\n"
	  A "{root}/lib/x.so/TIMER.0.0.all.all.all\n" },
	{ { .kernel = true },
	  ANON "TIMER.0.0.all.all.all\n"
	  A K "/TIMER.0.0.all.all.all\n"
	  A "{root}/lib/x.so/TIMER.0.0.all.all.all\n" },
	{ { .thread = true },
	  K "/{dep}/" K "/TIMER.0.0.21.22.all\n"
	  ANON "TIMER.0.0.21.22.all\n"
	  "{root}/lib/x.so/{dep}/{root}/lib/x.so/TIMER.0.0.21.22.all\n" },
	{ { .cpu = true },
	  K "/{dep}/" K "/TIMER.0.0.all.all.1\n"
	  ANON "TIMER.0.0.all.all.1\n"
	  "{root}/lib/x.so/{dep}/{root}/lib/x.so/TIMER.0.0.all.all.1\n" },
	{ { .lib = true, .kernel = true, .thread = true, .cpu = true },
	  ANON "TIMER.0.0.21.22.1\n"
	  A K "/TIMER.0.0.21.22.1\n"
	  A "{root}/lib/x.so/TIMER.0.0.21.22.1\n" },
};

TEST(separation_decides_the_path)
{
	for (size_t i = 0; i < ARRAY_SIZE(separations); i++) {
		struct recorder *r;
		char *files;

		test_prepare();
		test_config.separate = separations[i].separate;
		put_one_of_each();
		r = test_open();
		test_drain(r);
		CHECK(test_totals(r).recorded == 3, "recorded");
		test_close(r);
		files = session_files("current");
		CHECK(!strcmp(files, separations[i].files), "separation %zu: want\n%sgot\n%s", i,
		      separations[i].files, files);
		free(files);
		tmpdir_remove();
	}
}

/* On a busy machine a drain takes long, and is no reason to kill the daemon. */
TEST(watchdog_during_a_drain)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct recorder *r;
	char text[20];

	test_prepare();
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", tmpdir_path("notify"));
	CHECK(!bind(fd, (const struct sockaddr *)&address, sizeof(address)), "bind");
	setenv("NOTIFY_SOCKET", address.sun_path, 1);
	setenv("WATCHDOG_USEC", "2000", 1);
	put_one_of_each();
	r = test_open();
	test_drain(r);
	CHECK(recv(fd, text, sizeof(text), 0) == 10 && !memcmp(text, "WATCHDOG=1", 10), "none");
	unsetenv("WATCHDOG_USEC");
	unsetenv("NOTIFY_SOCKET");
	close(fd);
	test_close(r);
	tmpdir_remove();
}

#define LIB_FILE "{root}/lib/x.so/{dep}/{root}/lib/x.so/TIMER.0.0.all.all.all"
#define APP_FILE "{root}/bin/app/{dep}/{root}/bin/app/TIMER.0.0.all.all.all"

TEST(keys_and_headers)
{
	struct sample_header h;
	struct op_error e = { "" };
	struct recorder *r;
	char path[9000];
	size_t size;

	test_prepare();
	test_config.kernel.mode = KERNEL_SYMBOLS;
	put_one_of_each();
	fake_sample(&fake, 0xffffffffc0010020, 0);
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", LIB_FILE, 0x100, 1, 1);
	CHECK_FILE("current", ANON "TIMER.0.0.all.all.all", 0x10, 1, 1);
	CHECK_FILE("current", "{kern}/ext4/{dep}/{kern}/ext4/TIMER.0.0.all.all.all", 0x20, 1, 1);
	CHECK_FILE("current", "{kern}/kallsyms/{dep}/{kern}/kallsyms/TIMER.0.0.all.all.all",
		   0xffffffff81000100, 1, 1);
	snprintf(path, sizeof(path), "%s/samples/current/%s", tmpdir, ANON "TIMER.0.0.all.all.all");
	CHECK(!sample_header_read(path, &h, &size, &e), "%s", e.text);
	CHECK(h.version == SAMPLE_VERSION_1X && h.anon_start == 0x7000 && !h.is_kernel &&
		      h.cpu_mhz == 1000 && h.mtime == 0 && h.count == 0,
	      "header of the mapping's file");
	snprintf(path, sizeof(path), "%s/samples/current/%s", tmpdir,
		 "{kern}/ext4/{dep}/{kern}/ext4/TIMER.0.0.all.all.all");
	CHECK(!sample_header_read(path, &h, &size, &e) && h.is_kernel,
	      "header of the module's file");
	test_close(r);
}

/* One sample for each way to lose it. */
TEST(every_loss_has_its_reason)
{
	struct cpu_counts all;
	struct recorder *r;

	test_prepare();
	test_config.kernel = (struct kernel_config){.mode = KERNEL_VMLINUX,
						    .vmlinux = "/boot/vmlinux",
						    .start = 0x1000,
						    .end = 0x2000,
						    .proc_modules = "/dev/null",
						    .proc_kallsyms = "/dev/null"};
	fake_sample(&fake, 1, 0);		/* no mode yet */
	fake_kernel(&fake);
	fake_sample(&fake, 0x3000, 0);		/* outside the range */
	fake_sample(&fake, 0x1000, 0);		/* kernel without application: recorded */
	fake_sample(&fake, 0x1000, 7);		/* unknown counter */
	fake_user(&fake);
	fake_cookie(&fake, UNKNOWN);
	fake_sample(&fake, 1, 0);
	fake_cookie(&fake, RELATIVE);
	fake_sample(&fake, 1, 0);
	fake_cookie(&fake, UNNAMEABLE);
	fake_sample(&fake, 1, 0);
	fake_cookie(&fake, OP_NO_COOKIE);
	fake_sample(&fake, 1, 0);		/* mapping of a task with an unknown program */
	fake_task(&fake, 22, APP, 21);
	fake_anon(&fake, 0, 0, "");
	fake_sample(&fake, 1, 0);		/* unknown mapping */
	r = test_open();
	test_drain(r);
	all = test_totals(r);
	CHECK(all.recorded == 1, "recorded %" PRIu64, all.recorded);
	CHECK(all.lost[LOST_NO_MODE] == 1, "no mode %" PRIu64, all.lost[LOST_NO_MODE]);
	CHECK(all.lost[LOST_KERNEL_RANGE] == 1, "kernel range %" PRIu64,
	      all.lost[LOST_KERNEL_RANGE]);
	CHECK(all.lost[LOST_STREAM] == 1, "stream %" PRIu64, all.lost[LOST_STREAM]);
	CHECK(all.lost[LOST_UNKNOWN_IMAGE] == 3, "unknown image %" PRIu64,
	      all.lost[LOST_UNKNOWN_IMAGE]);
	CHECK(all.lost[LOST_SAMPLE_FILE] == 1, "sample file %" PRIu64, all.lost[LOST_SAMPLE_FILE]);
	CHECK(all.lost[LOST_NO_MAPPING] == 1, "no mapping %" PRIu64, all.lost[LOST_NO_MAPPING]);
	test_close(r);
}

TEST(mappings_are_looked_up_per_sample)
{
	struct recorder *r;

	test_prepare();
	file_make_dirs(tmpdir_path("proc/21"), 0755);
	put_text(tmpdir_path("proc/21/maps"),
		 "00400000-00500000 r-xp 00000000 fe:01 77  /bin/app\n"
		 "00600000-00700000 rw-p 00000000 00:00 0   [heap]\n"
		 "00800000-00900000 rwxp 00000000 00:00 0 \n");
	fake_user(&fake);
	fake_task(&fake, 22, APP, 21);
	fake_anon(&fake, 0x7000, 0x9000, "a/b{c}");
	fake_sample(&fake, 0x7010, 0);
	fake_sample(&fake, 0x600010, 0);	/* outside the mapping of the note */
	fake_sample(&fake, 0x800020, 0);
	fake_sample(&fake, 0x400000, 0);	/* in a file's mapping, which cannot be */
	fake_sample(&fake, 0x7010, 0);
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", A "{anon:a_b_c_}/21.0x7000.0x9000/TIMER.0.0.all.all.all", 0x10, 2, 2);
	CHECK_FILE("current", A "{anon:[heap]}/21.0x600000.0x700000/TIMER.0.0.all.all.all", 0x10, 1,
		   1);
	CHECK_FILE("current", A "{anon:anon}/21.0x800000.0x900000/TIMER.0.0.all.all.all", 0x20, 1,
		   1);
	CHECK(test_totals(r).lost[LOST_NO_MAPPING] == 1, "lost");
	test_close(r);
}

TEST(image_filter)
{
	static const char *const wanted[] = { "/bin/app", NULL };
	struct cpu_counts all;
	struct recorder *r;

	test_prepare();
	test_config.wanted = wanted;
	put_one_of_each();			/* of the application: all are recorded */
	fake_user(&fake);
	fake_task(&fake, 32, OTHER, 31);
	fake_cookie(&fake, LIB);
	fake_sample(&fake, 0x100, 0);
	fake_anon(&fake, 0x7000, 0x9000, "");
	fake_sample(&fake, 0x7010, 0);
	fake_kernel(&fake);
	fake_sample(&fake, 0xffffffff81000100, 0);
	fake_user(&fake);
	fake_cookie(&fake, APP);		/* the image itself is named */
	fake_sample(&fake, 0x200, 0);
	r = test_open();
	test_drain(r);
	all = test_totals(r);
	CHECK(all.recorded == 4 && all.filtered == 3, "%" PRIu64 " recorded, %" PRIu64 " filtered",
	      all.recorded, all.filtered);
	test_close(r);
}

TEST(only_the_requested_mode)
{
	static const struct sfile_event user_only = { .name = "TIMER", .no_kernel = true };
	struct cpu_counts all;
	struct recorder *r;

	test_prepare();
	test_config.events = &user_only;
	test_config.nr_counters = test_config.nr_events = 1;
	put_one_of_each();
	r = test_open();
	test_drain(r);
	all = test_totals(r);
	CHECK(all.recorded == 2 && all.filtered == 1, "%" PRIu64 " recorded, %" PRIu64 " filtered",
	      all.recorded, all.filtered);
	test_close(r);
}

TEST(callers_are_not_samples)
{
	struct recorder *r;

	test_prepare();
	fake_user(&fake);
	fake_task(&fake, 22, APP, 21);
	fake_cookie(&fake, APP);
	for (int i = 0; i < 3; i++) {
		fake_put(&fake, OP_ESCAPE);
		fake_put(&fake, OP_TRACE_BEGIN);
		fake_cookie(&fake, APP);
		fake_sample(&fake, 0x10, 0);
		fake_cookie(&fake, LIB);
		fake_put(&fake, 0x20);
		fake_put(&fake, 0);
	}
	r = test_open();
	test_drain(r);
	CHECK(test_totals(r).recorded == 3, "recorded");
	CHECK_FILE("current", APP_FILE, 0x10, 3, 3);
	test_close(r);
}

/* Words in chunks of any size give the same files. */
TEST(chunks_of_words)
{
	for (size_t chunk = 1; chunk < 12; chunk++) {
		struct recorder *r;

		test_prepare();
		fake.chunk = chunk;
		for (int i = 0; i < 50; i++)
			put_one_of_each();
		r = test_open();
		test_drain(r);
		CHECK_FILE("current", LIB_FILE, 0x100, 50, 50);
		CHECK_FILE("current", ANON "TIMER.0.0.all.all.all", 0x10, 50, 50);
		CHECK(test_totals(r).recorded == 150, "recorded");
		CHECK(fake.nr_cookie_questions == 2, "asked %u times about 2 cookies",
		      fake.nr_cookie_questions);
		test_close(r);
		tmpdir_remove();
	}
}

TEST(cookies_are_forgotten_when_they_end)
{
	struct recorder *r;

	test_prepare();
	for (int i = 0; i < 3; i++) {
		put_one_of_each();
		fake_cookie_end(&fake, APP);
		fake_cookie_end(&fake, UNKNOWN);
	}
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", LIB_FILE, 0x100, 3, 3);
	CHECK(test_totals(r).recorded == 9, "all are recorded");
	CHECK(fake.nr_cookie_questions == 4,
	      "asked %u times: 3 for the program, once for the library", fake.nr_cookie_questions);
	test_close(r);
	tmpdir_remove();
}

TEST(garbage_is_accounted_for)
{
	struct op_error e = { "" };
	struct cpu_counts all;
	struct recorder *r;

	test_prepare();
	put_one_of_each();
	fake_put(&fake, OP_ESCAPE);
	fake_put(&fake, 4711);
	for (int i = 0; i < 5; i++)
		fake_sample(&fake, i, 0);
	put_one_of_each();
	r = test_open();
	CHECK(!recorder_start(r, &e), "%s", e.text);
	CHECK(!recorder_stop(r, &e), "%s", e.text);
	all = test_totals(r);
	CHECK(all.recorded == 6 && all.lost[LOST_STREAM] == 5,
	      "%" PRIu64 " recorded, %" PRIu64 " lost", all.recorded, all.lost[LOST_STREAM]);
	test_close(r);
}

/* Any user can run a program with such a name: dumps do not fail, and it is logged once. */
TEST(a_name_that_no_sample_file_can_have)
{
	struct op_error e = { "" };
	struct recorder *r;
	char *text, *first;

	test_prepare();
	r = test_open();
	for (int i = 0; i < 3; i++) {
		fake_user(&fake);
		fake_cookie(&fake, UNNAMEABLE);
		fake_sample(&fake, 1, 0);
		CHECK(!recorder_dump(r, &e), "%s", e.text);
	}
	CHECK(test_totals(r).lost[LOST_SAMPLE_FILE] == 3, "lost");
	CHECK(!*recorder_trouble(r), "%s", recorder_trouble(r));
	CHECK(!file_read_all(tmpdir_path("log"), 100000, &text, NULL), "log");
	first = strstr(text, "cannot form a sample file name from '/lib/{dep}/x'");
	CHECK(first && !strstr(first + 1, "cannot form"), "%s", text);
	free(text);
	test_close(r);
}

/* OProfile's labels, in its order. */
static const char *const labels[] = {
	"\n-- OProfile Statistics --\nNr. sample dumps: 1\n",
	"\nNr. non-backtrace samples: 3\n",
	"\nNr. kernel samples: 1\n",
	"\nNr. lost samples (no kernel/user): 0\n",
	"\nNr. lost kernel samples: 0\n",
	"\nNr. incomplete code structs: 0\n",
	"\nNr. samples lost due to sample file open failure: 0\n",
	"\nNr. samples lost due to no permanent mapping: 0\n",
	"\nNr. user context kernel samples lost due to no app info available: 0\n",
	"\nNr. samples lost due to buffer overflow: 0\n",
	"\nNr. samples lost due to no mapping: 0\n",
	"\nNr. backtraces skipped due to no file mapping: 0\n",
	"\nNr. samples lost due to no mm: 0\n",
	"\n\n---- Statistics for cpu : 1\nNr. samples lost cpu buffer overflow: 0\n",
	"\nNr. samples received: 3\nNr. backtrace aborted: 0\nNr. samples lost invalid pc: 0\n",
};

TEST(the_statistics_block)
{
	struct recorder *r;
	char *text, *at;

	test_prepare();
	put_one_of_each();
	r = test_open();
	test_drain(r);
	recorder_log_statistics(r);
	CHECK(!file_read_all(tmpdir_path("log"), 100000, &text, NULL), "log");
	at = text;
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		char *found = strstr(at, labels[i]);

		CHECK(found, "missing, or out of order: %s", labels[i]);
		at = found ? found : at;
	}
	free(text);
	test_close(r);
}

TEST(two_events_by_counter)
{
	struct recorder *r;

	test_prepare();
	fake_user(&fake);
	fake_cookie(&fake, APP);
	for (int i = 0; i < 10; i++)
		fake_sample(&fake, 0x10, i % 2);
	r = test_open();
	test_drain(r);
	CHECK_FILE("current", APP_FILE, 0x10, 5, 5);
	CHECK_FILE("current", "{root}/bin/app/{dep}/{root}/bin/app/SECOND.500.0.all.all.all", 0x10,
		   5, 5);
	test_close(r);
}

/* Programs that each run once. The first ones have files, the others are over a limit. */
TEST(memory_for_many_binaries)
{
	/* of each path its first build stays known */
	enum { NR = 20000, EACH = 1000, FILES = 500, QUARTER = NR / 4, BYTES_KEPT = 100 };
	static char names[NR][24];
	static const char *paths[NR];
	struct cpu_counts all;
	struct recorder *r;
	size_t used = 0;

	for (int i = 0; i < NR; i++) {
		snprintf(names[i], sizeof(names[i]), "/tmp/program-%d", i);
		paths[i] = names[i];
	}
	test_prepare();
	fake.paths = paths;
	fake.nr_paths = NR;
	test_config.max_files = FILES;
	test_config.max_open = 100;
	r = test_open();
	fake_user(&fake);
	for (op_word cookie = 1; cookie <= NR; cookie++) {
		fake_task(&fake, 22, cookie, 21);
		fake_cookie(&fake, cookie);
		fake_sample(&fake, 0x10, 0);
		if (cookie > 1)
			fake_cookie_end(&fake, cookie - 1);
		if (cookie % EACH)
			continue;
		test_drain(r);
		fake.nr = fake.taken = 0;
		if (cookie == QUARTER)
			used = mallinfo2().uordblks;
	}
	CHECK(mallinfo2().uordblks < used + (NR - QUARTER) * BYTES_KEPT,
	      "%zu bytes, %zu after a quarter",
	      mallinfo2().uordblks, used);
	all = test_totals(r);
	CHECK(all.recorded == FILES && all.lost[LOST_LIMIT] == NR - FILES,
	      "%" PRIu64 " recorded, %" PRIu64 " lost", all.recorded, all.lost[LOST_LIMIT]);
	test_close(r);
}

TEST_MAIN()

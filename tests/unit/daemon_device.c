// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon_device.c - the module's collector on a folder that looks like /dev/oprofile
 *
 * A fifo stands for "buffer": what the module itself does is tested in tests/vm.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include "device.h"
#include "tap.h"
#include "tmpdir.h"

static int write_end;
static const struct collector_config config = { .count = 100000, .kernel = true, .user = true };

static struct collector *mount_fake(void)
{
	static char at[4096];

	tmpdir_make();
	snprintf(at, sizeof(at), "%s", tmpdir);
	put_text(tmpdir_path("abi_version"), "1\n");
	put_text(tmpdir_path("pointer_size"), "8\n");
	put_text(tmpdir_path("enable"), "0\n");
	put_text(tmpdir_path("dump"), "");
	file_make_dirs(tmpdir_path("timer"), 0755);
	put_text(tmpdir_path("timer/count"), "0\n");
	put_text(tmpdir_path("timer/min_count"), "30000\n");
	put_text(tmpdir_path("timer/period_ns"), "38500\n");
	put_text(tmpdir_path("timer/clock_khz"), "2597402\n");
	mkfifo(tmpdir_path("buffer"), 0600);
	write_end = open(tmpdir_path("buffer"), O_RDWR | O_CLOEXEC);
	return collector_device_at(at);
}

static const struct {
	const char *file, *text;	/* NULL text: it is missing */
	int err;
	const char *message;
} refusals[] = {
	{ "buffer", NULL, -ENODEV, "opcontrol --init" },
	{ "abi_version", "7\n", -EPROTO, "speaks version 7" },
	{ "abi_version", NULL, -EPROTO, "unload it" },
	{ "pointer_size", "4\n", -EPROTO, "pointer_size" },
	{ "timer/min_count", "100001\n", -EINVAL, "the smallest is 100001" },
	{ "timer/count", NULL, -ENOENT, "does not take a count of 100000" },
};

TEST(what_is_wrong_is_told)
{
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		struct collector *c = mount_fake();
		struct op_error e = { "" };
		int err;

		unlink(tmpdir_path(refusals[i].file));
		if (refusals[i].text)
			put_text(tmpdir_path(refusals[i].file), refusals[i].text);
		err = c->open(c, &config, &e);
		CHECK(err == refusals[i].err && strstr(e.text, refusals[i].message), "%s: %d %s",
		      refusals[i].file, err, e.text);
		c->close(c);
		close(write_end);
		tmpdir_remove();
	}
}

static op_word got[100000];
static size_t nr_got;

static void take(void *context, const op_word *words, size_t nr)
{
	(void)context;
	memcpy(got + nr_got, words, nr * sizeof(*words));
	nr_got += nr;
}

static void check_file(const char *file, const char *want)
{
	char *text;

	CHECK(!file_read_all(tmpdir_path(file), 1000, &text, NULL), "%s", file);
	CHECK(!strcmp(text, want), "%s holds '%s', want '%s'", file, text, want);
	free(text);
}

TEST(start_drain_stop)
{
	static const op_word words[] = { OP_ESCAPE, OP_KERNEL_ENTER, 1, 0, 2, 0 };
	struct collector *c = mount_fake();
	struct collector_status status = { .period_ns = 0 };
	struct op_error e = { "" };

	CHECK(!c->open(c, &config, &e), "%s", e.text);
	check_file("timer/count", "100000");
	c->status(c, &status);
	CHECK(status.period_ns == 38500 && !strcmp(status.model, "timer"), "status");
	CHECK(status.clock_khz == 2597402, "the clock is the module's: %llu",
	      (unsigned long long)status.clock_khz);
	CHECK(!c->start(c, &e), "%s", e.text);
	check_file("enable", "1\n");
	CHECK(write(write_end, words, sizeof(words)) == sizeof(words), "write");
	CHECK(!c->drain(c, false, take, NULL, &e), "%s", e.text);
	CHECK(nr_got == 6 && !memcmp(got, words, sizeof(words)), "%zu words", nr_got);
	check_file("dump", "");
	CHECK(!c->drain(c, true, take, NULL, &e), "%s", e.text);
	CHECK(nr_got == 6, "words out of nothing");
	check_file("dump", "1");
	CHECK(!c->stop(c, &e), "%s", e.text);
	check_file("enable", "0\n");
	c->close(c);
	close(write_end);
}

TEST(counts_per_cpu)
{
	struct session_counts counts = { 0 };
	struct collector *c = mount_fake();
	struct op_error e = { "" };

	file_make_dirs(tmpdir_path("stats/cpu0"), 0755);
	file_make_dirs(tmpdir_path("stats/cpu2"), 0755);
	file_make_dirs(tmpdir_path("stats/cpufreq"), 0755);
	file_make_dirs(tmpdir_path("stats/cpu99999"), 0755);
	put_text(tmpdir_path("stats/cpu2/sample_received"), "100\n");
	put_text(tmpdir_path("stats/cpu2/sample_lost_overflow"), "1\n");
	put_text(tmpdir_path("stats/cpu2/sample_lost_event_overflow"), "2\n");
	put_text(tmpdir_path("stats/cpu2/sample_lost_no_mm"), "3\n");
	put_text(tmpdir_path("stats/cpu2/sample_lost_no_mapping"), "4\n");
	put_text(tmpdir_path("stats/cpu2/sample_invalid_eip"), "5\n");
	put_text(tmpdir_path("stats/cpu2/sample_throttled"), "6\n");
	CHECK(!c->open(c, &config, &e), "%s", e.text);
	CHECK(!c->counts(c, &counts), "counts");
	CHECK(counts.nr_cpus == 3 && counts.cpu[0].received == 0, "%u cpus", counts.nr_cpus);
	CHECK(counts.cpu[2].received == 100 && counts.cpu[2].throttled == 6 &&
		      counts.cpu[2].lost[LOST_CPU_BUFFER] == 1 &&
		      counts.cpu[2].lost[LOST_EVENT_BUFFER] == 2 &&
		      counts.cpu[2].lost[LOST_NO_MM] == 3 &&
		      counts.cpu[2].lost[LOST_NO_MAPPING] == 4 &&
		      counts.cpu[2].lost[LOST_INVALID_PC] == 5,
	      "cpu 2");
	free(counts.cpu);
	c->close(c);
	close(write_end);
}

TEST_MAIN()

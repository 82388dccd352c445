// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * device.c - the module's collector on a folder that looks like /dev/oprofile
 *
 * A fifo replaces "buffer"; the module itself is tested in tests/vm.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include "daemon/collect/ibs/config.h"
#include "daemon/collect/module/device.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define TEXT_OF_(number)	#number
#define TEXT_OF(number)		TEXT_OF_(number)

static int write_end;
static const struct collector_event cycles = { .count = 100000, .kernel = true, .user = true };
static const struct collector_config config = { .events = &cycles, .nr_events = 1 };

/* The files of 3 counters, all left enabled by an earlier reader. */
static void make_counters(void)
{
	static const char *const files[] = { "event", "unit_mask", "extra", "count", "kernel",
					     "user", "enabled", "enabled_ns", "running_ns" };

	put_text(tmpdir_path("cpu_type"), "i386/arch_perfmon");
	put_text(tmpdir_path("model"), "intel");
	for (int i = 0; i < 3; i++)
		for (size_t j = 0; j < ARRAY_SIZE(files); j++) {
			char file[50];

			snprintf(file, sizeof(file), "%d", i);
			file_make_dirs(tmpdir_path(file), 0755);
			snprintf(file, sizeof(file), "%d/%s", i, files[j]);
			put_text(tmpdir_path(file), "1");
		}
	put_text(tmpdir_path("2/enabled_ns"), "3000\n");
	put_text(tmpdir_path("2/running_ns"), "1000\n");
}

static struct collector *mount_fake(void)
{
	static char at[4096];

	tmpdir_make();
	snprintf(at, sizeof(at), "%s", tmpdir);
	put_text(tmpdir_path("abi_version"), TEXT_OF(OP_ABI_VERSION) "\n");
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
	{ "abi_version", "1\n", -EPROTO, "interface version 1, expected" },
	{ "abi_version", NULL, -EPROTO, "unload it" },
	{ "pointer_size", "4\n", -EPROTO, "pointer_size" },
	{ "timer/min_count", "100001\n", -EINVAL, "expected at least 100001" },
	{ "timer/count", NULL, -ENOENT, "cannot write 100000 to" },
};

TEST(errors_name_the_file)
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

static const struct collector_event counted[] = {
	{ .name = "CYC", .code = 0x3c, .count = 2000000, .counter = 2, .user = true },
	{ .name = "MISS", .code = 0x2e, .unit_mask = 0x41, .count = 5000, .extra = 0x1840000,
	  .kernel = true, .pmu = "" },
};
static const struct collector_config counting = { .cpu_type = "i386/skylake", .events = counted,
						  .nr_events = 2 };

TEST(counters_are_programmed)
{
	struct collector *c = mount_fake();
	struct collector_status status = { .period_ns = 1 };
	uint64_t enabled = 7, running = 7;
	struct op_error e = { "" };

	make_counters();
	CHECK(!c->open(c, &counting, &e), "%s", e.text);
	check_file("2/event", "60");
	check_file("2/unit_mask", "0");
	check_file("2/count", "2000000");
	check_file("2/kernel", "0");
	check_file("2/user", "1");
	check_file("2/extra", "0");
	check_file("2/enabled", "1");
	check_file("0/event", "46");
	check_file("0/unit_mask", "65");
	check_file("0/count", "5000");
	check_file("0/kernel", "1");
	check_file("0/user", "0");
	check_file("0/extra", "25427968");
	check_file("0/enabled", "1");
	check_file("1/enabled", "0");
	check_file("timer/count", "0\n");
	c->status(c, &status);
	CHECK(!strcmp(status.model, "intel") && !strcmp(status.cpu_type, "i386/skylake") &&
		      !status.period_ns && status.clock_khz == 2597402,
	      "%s %s", status.model, status.cpu_type);
	CHECK(!c->event_times(c, 2, &enabled, &running) && enabled == 3000 && running == 1000,
	      "%llu %llu", (unsigned long long)enabled, (unsigned long long)running);
	CHECK(c->event_times(c, 9, &enabled, &running) == -ENODATA, "times of no counter");
	c->close(c);
	close(write_end);
}

TEST(by_time_counters_are_disabled)
{
	struct collector *c = mount_fake();
	uint64_t enabled, running;
	struct op_error e = { "" };

	make_counters();
	CHECK(!c->open(c, &config, &e), "%s", e.text);
	check_file("0/enabled", "0");
	check_file("1/enabled", "0");
	check_file("2/enabled", "0");
	check_file("timer/count", "100000");
	CHECK(c->event_times(c, 0, &enabled, &running) == -ENODATA, "times of a timer");
	c->close(c);
	close(write_end);
}

static const struct {
	const char *file, *text;
	const char *cpu_type;
	struct collector_event event;
	int err;
	const char *message;
} cannot_count[] = {
	{ "cpu_type", "timer", "i386/skylake", { .counter = 0 }, -ENODEV, "cannot count events" },
	{ "cpu_type", "x86-64/generic", "i386/skylake", { .counter = 0 }, -EINVAL,
	  "does not match 'x86-64/generic'" },
	{ "cpu_type", "i386", "i386x/skylake", { .counter = 0 }, -EINVAL, "does not match" },
	{ "cpu_type", NULL, "i386/skylake", { .counter = 0 }, -ENOENT, "cpu_type" },
	{ "model", "intel", "i386/skylake", { .name = "X", .counter = 3 }, -EINVAL,
	  "event 'X': the oprofile module has no counter 3" },
	{ "model", "intel", "i386/skylake", { .name = "X", .pmu = "cpu_atom" }, -EINVAL,
	  "cannot count on 'cpu_atom' only; use --collector=perf" },
	{ "1/unit_mask", NULL, "i386/skylake", { .name = "X", .unit_mask = 5, .counter = 1 },
	  -ENOENT, "event 'X': cannot write 5 to" },
};

TEST(unsupported_events_are_refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(cannot_count); i++) {
		struct collector_config one = { .cpu_type = cannot_count[i].cpu_type,
						.events = &cannot_count[i].event, .nr_events = 1 };
		struct collector *c = mount_fake();
		struct op_error e = { "" };
		int err;

		make_counters();
		unlink(tmpdir_path(cannot_count[i].file));
		if (cannot_count[i].text)
			put_text(tmpdir_path(cannot_count[i].file), cannot_count[i].text);
		err = c->open(c, &one, &e);
		CHECK(err == cannot_count[i].err && strstr(e.text, cannot_count[i].message),
		      "case %zu: %d %s", i, err, e.text);
		c->close(c);
		close(write_end);
		tmpdir_remove();
	}
}

/* [IB-8] Errors are reported before the buffer is opened. */
TEST(ibs_is_programmed)
{
	struct collector *c = mount_fake();
	struct collector_config with = config;
	struct ibs_config ibs;
	struct op_error e = { "" };
	uint64_t count = 0;

	CHECK(!ibs_config_parse("op:IBS_OP_ALL:100000:0", &ibs, &e), "%s", e.text);
	with.ibs = &ibs;
	CHECK(c->open(c, &with, &e) == -ENODEV && strstr(e.text, "ibs_op/max_count"), "%s", e.text);
	c->close(c);
	file_make_dirs(tmpdir_path("ibs_op"), 0755);
	put_text(tmpdir_path("ibs_op/max_count"), "0\n");
	put_text(tmpdir_path("ibs_op/enable"), "0\n");
	CHECK(!c->open(c, &with, &e), "%s", e.text);
	CHECK(!file_read_u64(tmpdir_path("ibs_op/max_count"), &count) && count == 100000, "%lu",
	      count);
	CHECK(!file_read_u64(tmpdir_path("ibs_op/enable"), &count) && count == 1, "%lu", count);
	c->close(c);
	CHECK(!c->open(c, &config, &e), "%s", e.text);
	CHECK(!file_read_u64(tmpdir_path("ibs_op/enable"), &count) && !count, "off again");
	c->close(c);
}

TEST(reasons_come_from_models)
{
	char why[100];

	tmpdir_make();
	device_models_reason(tmpdir, false, why, sizeof(why));
	CHECK(strstr(why, "reason missing in"), "%s", why);
	put_text(tmpdir_path("models"), "intel: chosen, impossible: perf holds counter 0\n"
					"perf: impossible: nothing\ntimer: possible\n");
	device_models_reason(tmpdir, false, why, sizeof(why));
	CHECK(!strcmp(why, "intel: perf holds counter 0"), "%s", why);
	device_models_reason(tmpdir, true, why, sizeof(why));
	CHECK(!strcmp(why, "intel: perf holds counter 0"), "%s", why);
	put_text(tmpdir_path("models"), "amd: chosen\nibs: impossible: perf uses it just now\n");
	device_models_reason(tmpdir, true, why, sizeof(why));
	CHECK(!strcmp(why, "ibs: perf uses it just now"), "%s", why);
	device_models_reason(tmpdir, false, why, sizeof(why));
	CHECK(strstr(why, "reason missing in"), "%s", why);
	put_text(tmpdir_path("models"), "amd: chosen, impossible: stale\nibs: impossible: taken\n");
	device_models_reason(tmpdir, true, why, sizeof(why));
	CHECK(!strcmp(why, "ibs: taken"), "%s", why);
	device_models_reason(tmpdir, false, why, sizeof(why));
	CHECK(!strcmp(why, "amd: stale"), "%s", why);
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
	put_text(tmpdir_path("stats/cpu2/sample_lost_no_image"), "7\n");
	put_text(tmpdir_path("stats/cpu2/sample_invalid_eip"), "5\n");
	put_text(tmpdir_path("stats/cpu2/sample_throttled"), "6\n");
	put_text(tmpdir_path("stats/cpu2/sample_idle"), "7\n");
	put_text(tmpdir_path("stats/cpu2/sample_disturbed"), "8\n");
	put_text(tmpdir_path("stats/cpu2/event_errors"), "9\n");
	CHECK(!c->open(c, &config, &e), "%s", e.text);
	CHECK(!c->counts(c, &counts), "counts");
	CHECK(counts.nr_cpus == 3 && counts.cpu[0].received == 0, "%u cpus", counts.nr_cpus);
	CHECK(counts.cpu[2].received == 100 && counts.cpu[2].throttled == 6 &&
		      counts.cpu[2].idle == 7 && counts.cpu[2].disturbed == 8 &&
		      counts.cpu[2].event_errors == 9 &&
		      counts.cpu[2].lost[LOST_CPU_BUFFER] == 1 &&
		      counts.cpu[2].lost[LOST_EVENT_BUFFER] == 2 &&
		      counts.cpu[2].lost[LOST_NO_MM] == 3 &&
		      counts.cpu[2].lost[LOST_NO_MAPPING] == 4 &&
		      counts.cpu[2].lost[LOST_UNKNOWN_IMAGE] == 7 &&
		      counts.cpu[2].lost[LOST_INVALID_PC] == 5,
	      "cpu 2");
	free(counts.cpu);
	c->close(c);
	close(write_end);
}

TEST_MAIN()

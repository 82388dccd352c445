// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * end.c - operf's warnings about a complete profile, and what it stores in the session
 *
 * With a fake recorder and a fake collector; the warnings are read from stderr.
 */
#include <sys/stat.h>

#include "daemon/collect/perf/copy_size.h"
#include "libdb/session/session.h"
#include "libutil/log.h"
#include "libutil/message.h"
#include "libutil/xalloc.h"
#include "operf/end.h"
#include "control/machine/rights.h"
#include "oprofilefs/op_abi.h"
#include "tests/unit/tmpdir.h"

/* ---- recorder and collector ---- */

static struct cpu_counts counted;	/* of CPU 0 */
static struct stats stats;
static const struct sfile_event asked[] = { { .name = "CYC", .count = 1000 }, { .name = "INST" } };
static uint64_t throttled[2];
static const char *trouble;
static uint32_t copy_bytes;
static size_t lockable;

size_t rights_ring_bytes(void)
{
	return lockable;
}

void recorder_counts(struct recorder *r, struct session_counts *ret)
{
	(void)r;
	*ret = (struct session_counts){ .nr_cpus = 1, .cpu = xcalloc(1, sizeof(*ret->cpu)) };
	ret->cpu[0] = counted;
}

const struct stats *recorder_stats(const struct recorder *r)
{
	(void)r;
	return &stats;
}

const struct sfile_event *recorder_event(const struct recorder *r, unsigned int counter)
{
	(void)r;
	return &asked[counter];
}

const char *recorder_trouble(const struct recorder *r)
{
	(void)r;
	return trouble;
}

static uint64_t get_throttled(struct collector *c, unsigned int counter)
{
	(void)c;
	return throttled[counter];
}

static void get_status(struct collector *c, struct collector_status *ret)
{
	(void)c;
	*ret = (struct collector_status){ .copy_bytes = copy_bytes };
}

/* ---- warnings ---- */

static char *text;			/* on stderr, by the last report() */
static struct operf_end end;
static struct collector collector = { .throttled = get_throttled, .status = get_status };
static struct plan plan = { .nr = 2 };
static struct rusage usage;

static void begin(void)
{
	tmpdir_make();
	counted = (struct cpu_counts){ .received = 1000000, .recorded = 1000000 };
	trouble = "";
	end = (struct operf_end){ .session_dir = tmpdir, .log = "the.log", .collector = &collector,
				  .plan = &plan, .command = "program", .usage = &usage };
	set_program_name("operf");
}

static void report(void)
{
	const char *path = tmpdir_path("stderr");
	int saved = dup(STDERR_FILENO);

	CHECK(freopen(path, "w", stderr) && !log_open(tmpdir_path("log"), NULL), "files");
	operf_end_report(&end);
	log_close();
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	free(text);
	text = NULL;
	CHECK(!file_read_all(tmpdir_path("stderr"), 1 << 16, &text, NULL), "read");
}

TEST(no_warnings)
{
	begin();
	report();
	CHECK(!*text, "%s", text);
}

/* No warning for one lost sample in 10,000. */
TEST(lost)
{
	begin();
	counted.lost[LOST_RING] = 100;
	report();
	CHECK(!*text, "%s", text);
	counted.lost[LOST_NO_MAPPING] = 1;
	report();
	CHECK(strstr(text, "operf: warning: lost 101 of 1000000 samples (0.01 %), most of them "
		     "because "), "%s", text);
	CHECK(strstr(text, "because operf did not run in time; see 'the.log'\n"), "%s", text);
	CHECK(!strstr(text, "sample less often"), "%s", text);
	counted.lost[LOST_RING] = 101;
	report();
	CHECK(strstr(text, "; sample less often, or leave the daemon more CPU time; see 'the.log'"),
	      "%s", text);
	counted.lost[LOST_RING] = 100;
	counted.lost[LOST_NO_MAPPING] = 250000;
	report();
	CHECK(strstr(text, "lost 250100 of 1000000 samples (25.01 %)") &&
	      strstr(text, loss_text(LOST_NO_MAPPING)), "%s", text);
}

TEST(lost_of_few)
{
	begin();
	counted.received = 19999;
	counted.lost[LOST_RING] = 1;
	report();
	CHECK(!*text, "one of 19999: %s", text);
	counted.received = 9999;
	report();
	CHECK(strstr(text, "lost 1 of 9999 samples"), "%s", text);
}

static uint64_t throttled_file(const char *event)
{
	char *dir = session_stats_path(tmpdir, SESSION_CURRENT, "throttled");
	char *path = path_join(dir, event);
	uint64_t value;

	if (file_read_u64(path, &value))
		value = 0;
	free(path);
	free(dir);
	return value;
}

/* By event; with --append the numbers of a session are added up. */
TEST(throttled_events)
{
	begin();
	throttled[1] = 7;
	report();
	CHECK(strstr(text, "operf: warning: the kernel throttled event 'INST' 7 times, ") &&
	      strstr(text, "use a larger count") && !strstr(text, "CYC"), "%s", text);
	CHECK(throttled_file("INST") == 7 && !throttled_file("CYC"), "files");
	throttled[0] = 1;
	report();
	CHECK(strstr(text, "throttled event 'CYC' 1 times") &&
	      strstr(text, "throttled event 'INST' 7 times"),
	      "%s", text);
	CHECK(throttled_file("INST") == 14 && throttled_file("CYC") == 1, "added up");
}

TEST(collector_without_throttling)
{
	begin();
	throttled[0] = 5;
	collector.throttled = NULL;
	report();
	CHECK(!*text, "%s", text);
}

TEST(truncated_stacks)
{
	begin();
	counted.stacks[OP_STACK_COMPLETE] = 990;
	counted.stacks[OP_STACK_SHORT_COPY] = 10;
	copy_bytes = 4096;
	report();
	CHECK(!*text, "one in 100: %s", text);
	counted.stacks[OP_STACK_SHORT_COPY] = 110;
	report();
	CHECK(strstr(text, "10.0 % of the call stacks lack their outermost callers: 4096 bytes "
		     "of each stack were copied; use a larger count"), "%s", text);
	lockable = 1 << 20;
	report();
	CHECK(strstr(text, "ulimit -l") && strstr(text, "kernel.perf_event_mlock_kb"), "%s", text);
	copy_bytes = PERF_COPY_BYTES_MAX;
	report();
	CHECK(strstr(text, "were copied at most") && !strstr(text, "ulimit"), "%s", text);
}

TEST(no_sample)
{
	begin();
	counted = (struct cpu_counts){ .received = 0 };
	end.period_ns = 1000000;
	usage.ru_utime.tv_usec = 2900;
	report();
	CHECK(strstr(text, "no samples: 'program' ended after 2.9 ms of CPU time, with a sample "
		     "every 1.000 ms; use a smaller count"), "%s", text);
	plan.bound = (struct cost_bound){ .asked_ns = 40000, .period_ns = 1000000 };
	report();
	CHECK(strstr(text, "a sample every 1.000 ms; use --exact-count"), "%s", text);
	plan.bound = (struct cost_bound){ .asked_ns = 0 };
	end.period_ns = 0;
	report();
	CHECK(strstr(text, "'program' ended after 2.9 ms of CPU time; use a smaller count"), "%s",
	      text);
	usage.ru_utime.tv_sec = 3;
	report();
	CHECK(strstr(text, "'program' used 3003 ms of CPU time"), "%s", text);
	end.command = NULL;
	report();
	CHECK(strstr(text, "were idle"), "%s", text);
}

TEST(trouble_is_printed)
{
	begin();
	trouble = "the disk is full";
	counted.lost[LOST_SAMPLE_FILE] = 1000000;
	report();
	CHECK(strstr(text, "lost 1000000") && strstr(text, "operf: warning: the disk is full\n"),
	      "%s", text);
}

/* OProfile's labels in its order. */
TEST(statistics)
{
	char *log;

	begin();
	stats = (struct stats){ .samples = 50, .kernel_samples = 20, .stacks_left_out = 2 };
	counted.lost[LOST_RING] = 3;
	counted.lost[LOST_NO_MM] = 4;
	counted.lost[LOST_UNKNOWN_IMAGE] = 5;
	counted.stacks_lost = 6;
	report();
	CHECK(!file_read_all(tmpdir_path("log"), 1 << 16, &log, NULL), "read");
	CHECK(strstr(log, "-- OProfile/operf Statistics --\n"
		     "Nr. non-backtrace samples: 50\n"
		     "Nr. kernel samples: 20\n"
		     "Nr. user space samples: 30\n"), "%s", log);
	CHECK(strstr(log, "Nr. user samples lost due to no app info available: 9\n"
		     "Nr. backtraces skipped due to no file mapping: 8\n"
		     "Nr. hypervisor samples dropped due to address out-of-range: 0\n"
		     "Nr. samples lost reported by perf_events kernel: 3\n"), "%s", log);
	free(log);
}

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * end.c - what operf warns of when a profile is complete, and what of it the session keeps
 *
 * The recorder and the collector are this program's own: it says what they counted, and reads what
 * operf says on stderr.
 */
#include <sys/stat.h>

#include "daemon/collect/perf/copy_size.h"
#include "libdb/session/session.h"
#include "libutil/log.h"
#include "libutil/say.h"
#include "libutil/xalloc.h"
#include "operf/end.h"
#include "operf/rights.h"
#include "oprofilefs/op_abi.h"
#include "tests/unit/tmpdir.h"

/* ---- what was collected ---- */

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

static uint64_t tell_throttled(struct collector *c, unsigned int counter)
{
	(void)c;
	return throttled[counter];
}

static void tell_status(struct collector *c, struct collector_status *ret)
{
	(void)c;
	*ret = (struct collector_status){ .copy_bytes = copy_bytes };
}

/* ---- what is said of it ---- */

static char *said;			/* on stderr, since begin() */
static struct operf_end end;
static struct collector collector = { .throttled = tell_throttled, .status = tell_status };
static struct plan plan = { .nr = 2 };
static struct rusage usage;

static void begin(void)
{
	tmpdir_make();
	counted = (struct cpu_counts){ .received = 1000000, .recorded = 1000000 };
	trouble = "";
	end = (struct operf_end){ .session_dir = tmpdir, .log = "the.log", .collector = &collector,
				  .plan = &plan, .command = "program", .usage = &usage };
	say_set_program("operf");
}

static void tell(void)
{
	const char *path = tmpdir_path("stderr");
	int saved = dup(STDERR_FILENO);

	CHECK(freopen(path, "w", stderr) && !log_open(tmpdir_path("log"), NULL), "files");
	operf_end_tell(&end);
	log_close();
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	free(said);
	said = NULL;
	CHECK(!file_read_all(tmpdir_path("stderr"), 1 << 16, &said, NULL), "read");
}

TEST(nothing_to_say)
{
	begin();
	tell();
	CHECK(!*said, "%s", said);
}

/* One in 10,000 is borne, more are told. */
TEST(lost)
{
	begin();
	counted.lost[LOST_RING] = 100;
	tell();
	CHECK(!*said, "%s", said);
	counted.lost[LOST_NO_MAPPING] = 1;
	tell();
	CHECK(strstr(said, "operf: warning: 101 of 1000000 samples (0.01 %) were lost, most of "
		     "them because "), "%s", said);
	CHECK(strstr(said, loss_text(LOST_RING)) && strstr(said, "; see 'the.log'\n"), "%s", said);
	counted.lost[LOST_NO_MAPPING] = 250000;
	tell();
	CHECK(strstr(said, "250100 of 1000000 samples (25.01 %)") &&
	      strstr(said, loss_text(LOST_NO_MAPPING)), "%s", said);
}

TEST(lost_of_few)
{
	begin();
	counted.received = 19999;
	counted.lost[LOST_RING] = 1;
	tell();
	CHECK(!*said, "one of 19999: %s", said);
	counted.received = 9999;
	tell();
	CHECK(strstr(said, "1 of 9999 samples"), "%s", said);
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

/* Each event by itself; with --append a session's are added up. */
TEST(throttled_events)
{
	begin();
	throttled[1] = 7;
	tell();
	CHECK(strstr(said, "operf: warning: the kernel throttled INST (7 times): ") &&
	      strstr(said, "use a larger count") && !strstr(said, "CYC"), "%s", said);
	CHECK(throttled_file("INST") == 7 && !throttled_file("CYC"), "files");
	throttled[0] = 1;
	tell();
	CHECK(strstr(said, "throttled CYC (1 times)") && strstr(said, "throttled INST (7 times)"),
	      "%s", said);
	CHECK(throttled_file("INST") == 14 && throttled_file("CYC") == 1, "added up");
}

TEST(a_collector_that_cannot_tell)
{
	begin();
	throttled[0] = 5;
	collector.throttled = NULL;
	tell();
	CHECK(!*said, "%s", said);
}

TEST(stacks_that_were_cut)
{
	begin();
	counted.stacks[OP_STACK_COMPLETE] = 990;
	counted.stacks[OP_STACK_SHORT_COPY] = 10;
	copy_bytes = 4096;
	tell();
	CHECK(!*said, "one in 100: %s", said);
	counted.stacks[OP_STACK_SHORT_COPY] = 110;
	tell();
	CHECK(strstr(said, "10.0 % of the call stacks lack their outermost callers: of a stack "
		     "4096 bytes were copied; use a larger count"), "%s", said);
	lockable = 1 << 20;
	tell();
	CHECK(strstr(said, "ulimit -l") && strstr(said, "kernel.perf_event_mlock_kb"), "%s", said);
	copy_bytes = PERF_COPY_BYTES_MAX;
	tell();
	CHECK(strstr(said, "the most there can be") && !strstr(said, "ulimit"), "%s", said);
}

TEST(no_sample)
{
	begin();
	counted = (struct cpu_counts){ .received = 0 };
	end.period_ns = 1000000;
	usage.ru_utime.tv_usec = 2900;
	tell();
	CHECK(strstr(said, "'program' ended after 2.9 ms of CPU time, and a sample is taken every "
		     "1.000 ms; use a smaller count"), "%s", said);
	end.period_ns = 0;
	tell();
	CHECK(strstr(said, "'program' ended after 2.9 ms of CPU time; use a smaller count"), "%s",
	      said);
	usage.ru_utime.tv_sec = 3;
	tell();
	CHECK(strstr(said, "which used 3003 ms of CPU time"), "%s", said);
	end.command = NULL;
	tell();
	CHECK(strstr(said, "has done nothing meanwhile"), "%s", said);
}

TEST(trouble_is_told_last)
{
	begin();
	trouble = "the disk is full";
	counted.lost[LOST_SAMPLE_FILE] = 1000000;
	tell();
	CHECK(strstr(said, "were lost") && strstr(said, "operf: warning: the disk is full\n"),
	      "%s", said);
}

/* The original's labels and order; what each counts is another's. */
TEST(statistics)
{
	char *log;

	begin();
	stats = (struct stats){ .samples = 50, .kernel_samples = 20, .stacks_left_out = 2 };
	counted.lost[LOST_RING] = 3;
	counted.lost[LOST_NO_MM] = 4;
	counted.lost[LOST_UNKNOWN_IMAGE] = 5;
	counted.stacks_lost = 6;
	tell();
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * full_disk.c - oprofiled with a disk that is full, or fills up while it samples
 */
#include <signal.h>
#include <errno.h>
#include "daemon/record/stats.h"
#include "libdb/session/session.h"
#include "libutil/strbuf.h"
#include "tests/unit/daemon/program.h"
#include "tests/unit/small_disk.h"

TEST(full_at_the_start)
{
	need_perf();
	tmpdir_make();
	small_disk_mount("size=256k");
	small_disk_fill(tmpdir_path("filler"));
	CHECK(start(tmpdir_path("sd")) == 1 && has_one_line() && strstr(output, "No space left"),
	      "%s", output);
	CHECK(!file_exists(tmpdir_path("sd/lock")), "lock left behind");
}

static uint64_t status_number(const char *key)
{
	struct strbuf answer = STRBUF_INIT;
	struct op_error e = { "" };
	uint64_t n = 0;
	char *at;

	CHECK(!channel_ask(tmpdir_path("sd/control"), "status", 20000, &answer, &e), "%s", e.text);
	at = strstr(answer.text, key);
	if (at && (at == answer.text || at[-1] == '\n'))
		n = strtoull(at + strlen(key), NULL, 10);
	strbuf_free(&answer);
	return n;
}

/* Whether the answer is an error, which is then in output[]. */
static bool refused(const char *request)
{
	struct op_error e = { "" };
	int err = channel_ask(tmpdir_path("sd/control"), request, 20000, NULL, &e);

	snprintf(output, sizeof(output), "%s", e.text);
	return err == -EREMOTEIO;
}

/* All CPUs of stats/counts, which must balance. */
static struct cpu_counts counts_file(void)
{
	struct session_counts counts = { 0, NULL };
	struct op_error e = { "" };
	struct cpu_counts all;

	CHECK(!session_counts_read_e(tmpdir_path("sd/samples/current/stats"), &counts, &e), "%s",
	      e.text);
	session_counts_total(&counts, &all);
	CHECK(all.received == cpu_counts_accounted(&all), "stats/counts does not balance");
	free(counts.cpu);
	return all;
}

static bool note_of_start(const char *words)
{
	struct strbuf answer = STRBUF_INIT;
	bool yes = !channel_ask(tmpdir_path("sd/control"), "start", 20000, &answer, NULL) &&
		   !strncmp(answer.text, "note ", 5) && strstr(answer.text, words);

	strbuf_free(&answer);
	return yes;
}

static bool in_trouble(const char *why)
{
	struct strbuf answer = STRBUF_INIT;
	const char *at;
	bool yes;

	channel_ask(tmpdir_path("sd/control"), "status", 20000, &answer, NULL);
	at = strstr(answer.text, "\ntrouble ");
	yes = at && strstr(at, why);
	strbuf_free(&answer);
	return yes;
}

/* What has no room is counted as lost; the daemon keeps running, and records again later. */
TEST(full_while_sampling)
{
	uint64_t recorded, lost;
	pid_t busy;

	need_perf();
	tmpdir_make();
	small_disk_mount("size=32m");
	busy = busy_child();
	CHECK(start(tmpdir_path("sd")) == 0, "%s", output);
	small_disk_fill(tmpdir_path("filler"));
	CHECK(!ask("start"), "start");
	for (int i = 0; i < 1000 && !status_number("lost.sample_file "); i++)
		usleep(50000);
	CHECK(refused("dump") && strstr(output, "No space left on device"), "dump: %s", output);
	lost = status_number("lost.sample_file ");
	CHECK(lost > 0, "nothing lost on a full disk");
	CHECK(counts_file().lost[LOST_SAMPLE_FILE] > 0, "no losses in the counts");
	CHECK(note_of_start("samples are being lost: "), "no note for start");
	CHECK(in_trouble("No space left on device"), "no trouble in the status");
	recorded = status_number("recorded ");
	unlink(tmpdir_path("filler"));
	for (int i = 0; i < 500 && (in_trouble("") || status_number("recorded ") == recorded); i++)
		usleep(100000);
	CHECK(refused("stop") && strstr(output, "samples that could not be written"), "stop: %s",
	      output);
	CHECK(!ask("stop"), "reported twice");
	CHECK(status_number("recorded ") > recorded, "no more samples are recorded");
	CHECK(!in_trouble(""), "still in trouble");
	lost = status_number("lost.sample_file ");
	CHECK(status_number("received ") ==
	      status_number("recorded ") + status_number("idle ") + lost,
	      "the counts do not balance");
	CHECK(!ask("shutdown"), "shutdown");
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
}

/* To the end losses are reported, and the files below stats/ are complete. */
TEST(full_to_the_end)
{
	char *stats, *spare;
	struct session_info info;
	pid_t busy;

	need_perf();
	tmpdir_make();
	small_disk_mount("size=8m");
	CHECK(start(tmpdir_path("sd")) == 0, "%s", output);
	small_disk_fill(tmpdir_path("filler"));
	busy = busy_child();
	CHECK(!ask("start"), "start");
	for (int i = 0; i < 1000 && !status_number("lost.sample_file "); i++)
		usleep(50000);
	for (int i = 0; i < 5; i++) {
		small_disk_fill(tmpdir_path("more"));
		refused("dump");
		CHECK(counts_file().lost[LOST_SAMPLE_FILE] > 0, "no losses in the counts");
	}
	CHECK(refused("shutdown") && strstr(output, "No space left on device"), "%s", output);
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	CHECK(!file_exists(tmpdir_path("sd/lock")), "it still runs");
	counts_file();
	stats = session_stats_path(tmpdir_path("sd"), SESSION_CURRENT, NULL);
	CHECK(!session_info_read(stats, &info) && info.end_time, "no end time");
	spare = path_join(stats, SESSION_COUNTS_FILE ".spare");
	CHECK(!file_exists(spare), "the spare file was not removed");
	free(spare);
	free(stats);
}

TEST_MAIN()

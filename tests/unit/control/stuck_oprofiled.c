// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stuck_oprofiled.c - the programs opcontrol and oprofiled: a daemon that does not answer, and a
 * start that fails
 */
#include "control/opcontrol/daemonrc.h"
#include "tests/unit/daemon/fake_daemon.h"
#include "tests/unit/stopwatch.h"

static const char good_start[] = "--collector=perf --event=CPU_CLK_UNHALTED:2000000 --start";
static char output[4000];

static void start_or_skip(void)
{
	if (!run_opcontrol(good_start, output, sizeof(output)))
		return;
	if (getuid() || strstr(output, "perf_event"))
		SKIP("needs root and perf_event_open()");
	CHECK(false, "%s", output);
}

/* The daemon is stopped for longer than the time limit of an answer. */
static void check_status_times_out(void)
{
	double began = seconds();
	int status = run_opcontrol("--status", output, sizeof(output));

	CHECK(WEXITSTATUS(status) == 1 && strstr(output, "did not answer 'status'"), "%s", output);
	CHECK(seconds() - began < 30, "after %.1f s", seconds() - began);
	fflush(stdout);
	exit(tap_failures ? 1 : 0);
}

TEST(stopped_oprofiled_is_killed)
{
	double began;
	pid_t asking;
	int status;

	tmpdir_make();
	start_or_skip();
	signal_daemon(SIGSTOP);
	/* concurrent with the shutdown, which has the same time limit */
	fflush(stdout);
	asking = fork();
	if (asking == 0)
		check_status_times_out();
	began = seconds();
	status = run_opcontrol("--shutdown", output, sizeof(output));
	CHECK(WEXITSTATUS(status) == 1 && strstr(output, "was killed"), "%s", output);
	CHECK(seconds() - began < 40, "after %.1f s", seconds() - began);
	CHECK(waitpid(asking, &status, 0) == asking && !status, "--status: %x", status);
	status = run_opcontrol("--shutdown", output, sizeof(output));
	CHECK(!status && strstr(output, "not running"), "%s", output);
	CHECK(!run_opcontrol("--start", output, sizeof(output)), "%s", output);
	CHECK(!run_opcontrol("--shutdown", output, sizeof(output)), "%s", output);
}

TEST(failed_start_saves_nothing)
{
	const char *const bad[] = {
		"--event=CPU_CLK_UNHALTED:3000000 --session-dir=/proc/foo --start",
		"--buffer-size=1024 --start",
		"--callgraph=5 --session-dir=/proc/foo --start-daemon",
	};
	const char saved[] = "CALLGRAPH=3\n";
	char *text = NULL;

	if (getuid())
		SKIP("needs root");
	tmpdir_make();
	put_text(tmpdir_path("daemonrc"), saved);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		CHECK(run_opcontrol(bad[i], output, sizeof(output)), "%s: %s", bad[i], output);
		CHECK(!file_read_all(tmpdir_path("daemonrc"), 4096, &text, NULL) &&
		      !strcmp(text, saved), "%s saved: %s", bad[i], text);
		free(text);
	}
	CHECK(!file_exists(tmpdir_path("daemonrc_new")), "a set-up is pending");
}

TEST(start_saves_set_up)
{
	struct op_error e = { "" };
	struct setup s;

	tmpdir_make();
	start_or_skip();
	setup_init(&s);
	CHECK(!daemonrc_load(tmpdir_path("daemonrc"), &s, &e), "%s", e.text);
	CHECK(!strcmp(s.session_dir, tmpdir) && s.nr_events == 1 && s.events[0].count == 2000000,
	      "%s, %zu events", s.session_dir, s.nr_events);
	CHECK(!run_opcontrol("--shutdown", output, sizeof(output)), "%s", output);
	setup_free(&s);
}

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control_stuck.c - a daemon that does not answer, and a start that fails: opcontrol says so in
 * time, and nothing is left that would be in the way of the next command
 */
#include <time.h>
#include "daemonrc.h"
#include "fake_daemon.h"

#define END_MS	900

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static pid_t start_stopped(void)
{
	pid_t pid = start(ANSWERS, true);

	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	return pid;
}

/* Far from the machine's own module. */
static struct control control_of_stuck(void)
{
	struct control c = control_of(true);

	c.end_ms = END_MS;
	c.host.driver.mount_point = "/nonexistent/oprofile";
	c.host.driver.modules = "/nonexistent/modules";
	return c;
}

TEST(how_long_an_answer_may_take)
{
	static const char *const quick[] = { "ping", "status", "start", "stop", "reset", "saved" };

	for (size_t i = 0; i < ARRAY_SIZE(quick); i++)
		CHECK(daemon_answer_ms(quick[i]) == 10000, "%s", quick[i]);
	CHECK(daemon_answer_ms("dump") == 30000 && daemon_answer_ms("save one") == 30000,
	      "what writes all");
}

TEST(no_answer_is_told)
{
	struct op_error e = { "" };
	pid_t pid;

	tmpdir_make();
	pid = start_stopped();
	CHECK(daemon_runs(tmpdir), "it holds the lock");
	CHECK(daemon_ask_within(tmpdir, "status", 200, NULL, &e) == -ETIMEDOUT, "%s", e.text);
	CHECK(strstr(e.text, "does not answer 'status'") && strstr(e.text, "--shutdown"), "%s",
	      e.text);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(killed_in_the_end)
{
	struct op_error e = { "" };
	struct control c;
	double began;
	int status = 0;
	pid_t pid;

	tmpdir_make();
	pid = start_stopped();
	c = control_of_stuck();
	put_text(tmpdir_path("daemonrc_new"), "CALLGRAPH=3\n");
	began = seconds();
	CHECK(act(action_shutdown, &c, &e) == -ETIMEDOUT, "%s", e.text);
	CHECK(seconds() - began > END_MS / 1000.0 - 0.1, "after %.1f s", seconds() - began);
	CHECK(strstr(e.text, "was killed") && strstr(e.text, "lost"), "%s", e.text);
	CHECK(waitpid(pid, &status, WNOHANG) == pid && WIFSIGNALED(status), "status %x", status);
	CHECK(!c.running && !file_exists(tmpdir_path("lock")), "seems to run");
	CHECK(file_exists(tmpdir_path("daemonrc")), "the set-up that waited is not in force");
	control_done(&c);
}

TEST(sigterm_is_enough)
{
	struct op_error e = { "" };
	struct control c;
	int status = 0;
	pid_t pid;

	tmpdir_make();
	pid = start(NEVER_ANSWERS, true);
	c = control_of_stuck();
	c.end_ms = 15000;	/* of which 10 s for an answer */
	CHECK(!act(action_shutdown, &c, &e), "%s", e.text);
	CHECK(waitpid(pid, &status, WNOHANG) == pid && WTERMSIG(status) == SIGTERM, "status %x",
	      status);
	CHECK(!c.running, "seems to run");
	control_done(&c);
}

TEST(deinit_goes_on)
{
	struct op_error e = { "" };
	struct control c;
	pid_t pid;

	tmpdir_make();
	pid = start_stopped();
	c = control_of_stuck();
	CHECK(act(action_deinit, &c, &e) == -ETIMEDOUT, "%s", e.text);
	CHECK(strstr(e.text, "was killed"), "%s", e.text);
	CHECK(waitpid(pid, NULL, 0) == pid && !daemon_runs(tmpdir), "runs");
	CHECK(!act(action_deinit, &c, &e), "%s", e.text);
	control_done(&c);
}

/* opcontrol and oprofiled themselves. */

static const char good_start[] = "--collector=perf --event=CPU_CLK_UNHALTED:2000000 --start";
static char said[4000];

static void start_or_skip(void)
{
	if (!run_opcontrol(good_start, said, sizeof(said)))
		return;
	if (getuid() || strstr(said, "perf_event"))
		SKIP("needs root and perf_event_open()");
	CHECK(false, "%s", said);
}

TEST(a_stopped_oprofiled)
{
	double began;
	int status;

	tmpdir_make();
	start_or_skip();
	kill(daemon_pid(tmpdir), SIGSTOP);
	began = seconds();
	status = run_opcontrol("--status", said, sizeof(said));
	CHECK(WEXITSTATUS(status) == 1 && strstr(said, "does not answer 'status'"), "%s", said);
	CHECK(seconds() - began < 30, "after %.1f s", seconds() - began);
	began = seconds();
	status = run_opcontrol("--shutdown", said, sizeof(said));
	CHECK(WEXITSTATUS(status) == 1 && strstr(said, "was killed"), "%s", said);
	CHECK(seconds() - began < 40, "after %.1f s", seconds() - began);
	status = run_opcontrol("--shutdown", said, sizeof(said));
	CHECK(!status && strstr(said, "not running"), "%s", said);
	CHECK(!run_opcontrol("--start", said, sizeof(said)), "%s", said);
	CHECK(!run_opcontrol("--shutdown", said, sizeof(said)), "%s", said);
}

TEST(a_failed_start_saves_nothing)
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
		CHECK(run_opcontrol(bad[i], said, sizeof(said)), "%s: %s", bad[i], said);
		CHECK(!file_read_all(tmpdir_path("daemonrc"), 4096, &text, NULL) &&
		      !strcmp(text, saved), "%s saved: %s", bad[i], text);
		free(text);
	}
	CHECK(!file_exists(tmpdir_path("daemonrc_new")), "waits");
}

TEST(a_start_saves)
{
	struct op_error e = { "" };
	struct setup s;

	tmpdir_make();
	start_or_skip();
	setup_init(&s);
	CHECK(!daemonrc_load(tmpdir_path("daemonrc"), &s, &e), "%s", e.text);
	CHECK(!strcmp(s.session_dir, tmpdir) && s.nr_events == 1 && s.events[0].count == 2000000,
	      "%s, %zu events", s.session_dir, s.nr_events);
	CHECK(!run_opcontrol("--shutdown", said, sizeof(said)), "%s", said);
	setup_free(&s);
}

TEST_MAIN()

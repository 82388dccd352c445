// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stuck.c - a daemon that does not answer: opcontrol's actions time out, and leave nothing that
 * would make the next command fail
 */
#include "tests/unit/daemon/fake_daemon.h"
#include "tests/unit/stopwatch.h"

#define END_MS	900
#define LONG_END_MS	6000	/* if the daemon must get CPU time within a fifth of it */

static pid_t start_stopped(void)
{
	pid_t pid = start(ANSWERS, true);

	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	return pid;
}

/* Does not use the machine's module. */
static struct control control_of_stuck(void)
{
	struct control c = control_of(true);

	c.end_ms = END_MS;
	c.host.driver.mount_point = "/nonexistent/oprofile";
	c.host.driver.modules = "/nonexistent/modules";
	return c;
}

TEST(time_limits)
{
	static const char *const quick[] = { "ping", "status", "starts", "resets", "saved" };

	for (size_t i = 0; i < ARRAY_SIZE(quick); i++)
		CHECK(daemon_answer_ms(quick[i]) == 10000, "%s", quick[i]);
	CHECK(daemon_answer_ms("start") == 30000 && daemon_answer_ms("stop") == 30000 &&
	      daemon_answer_ms("dump") == 30000 && daemon_answer_ms("reset") == 30000 &&
	      daemon_answer_ms("save one") == 30000,
	      "requests that set up counters, or write or remove samples");
}

TEST(no_answer_is_an_error)
{
	struct op_error e = { "" };
	pid_t pid;

	tmpdir_make();
	pid = start_stopped();
	CHECK(daemon_runs(tmpdir), "it holds the lock");
	CHECK(daemon_ask_within(tmpdir, "status", 200, NULL, &e) == -ETIMEDOUT, "%s", e.text);
	CHECK(strstr(e.text, "did not answer 'status'") && strstr(e.text, "--shutdown"), "%s",
	      e.text);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(shutdown_kills)
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
	CHECK(file_exists(tmpdir_path("daemonrc")), "the pending set-up is not in effect");
	control_done(&c);
}

/* [CC-14] The daemon is busy when the time for an answer is over, two thirds of the total. */
TEST(shutdown_waits_for_busy_daemon)
{
	struct op_error e = { "" };
	struct control c;
	double began;
	int status = -1;
	pid_t pid;

	tmpdir_make();
	pid = start(WORKS_ON, true);
	c = control_of_stuck();
	c.end_ms = LONG_END_MS;
	began = seconds();
	CHECK(!act(action_shutdown, &c, &e), "%s", e.text);
	CHECK(seconds() - began > LONG_END_MS * 2 / 3 / 1000.0, "after %.1f s", seconds() - began);
	CHECK(waitpid(pid, &status, WNOHANG) == pid && status == 0, "status %x", status);
	CHECK(!c.running && !file_exists(tmpdir_path("lock")), "seems to run");
	control_done(&c);
}

TEST(shutdown_by_sigterm)
{
	struct op_error e = { "" };
	struct control c;
	int status = 0;
	pid_t pid;

	tmpdir_make();
	pid = start(NEVER_ANSWERS, true);
	c = control_of_stuck();
	c.end_ms = LONG_END_MS;
	CHECK(!act(action_shutdown, &c, &e), "%s", e.text);
	CHECK(waitpid(pid, &status, WNOHANG) == pid && WTERMSIG(status) == SIGTERM, "status %x",
	      status);
	CHECK(!c.running, "seems to run");
	control_done(&c);
}

TEST(deinit_after_a_kill)
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

TEST_MAIN()

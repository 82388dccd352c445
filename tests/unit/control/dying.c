// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dying.c - a daemon that is killed just before a request counts as not running
 *
 * A child process with lock and socket stands for the daemon; it answers, or ends in the middle of
 * an answer. The last test uses the real daemon.
 */
#include <sys/wait.h>
#include "tests/unit/daemon/fake_daemon.h"

/* Change the contents of a file that is locked. */
static void put_in_place(const char *name, const char *text)
{
	int fd = open(tmpdir_path(name), O_WRONLY | O_TRUNC | O_CLOEXEC);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s", name);
	close(fd);
}

TEST(killed_200_times)
{
	struct op_error e = { "" };

	tmpdir_make();
	for (int i = 0; i < 200; i++) {
		pid_t pid = start(ANSWERS, i & 1);

		if (i % 4 == 0)
			CHECK(daemon_runs(tmpdir), "kill %d: it did not run before", i);
		kill(pid, SIGKILL);
		if (i % 4 >= 2) {
			int err = daemon_ask(tmpdir, i % 8 >= 6 ? "status" : "start", NULL, &e);

			CHECK(err == -ESRCH, "kill %d: %d, %s", i, err, e.text);
		}
		CHECK(!daemon_runs(tmpdir), "kill %d: seems to run", i);
		waitpid(pid, NULL, 0);
	}
}

/* Every action with a daemon that ends during the request: as if it had not run. */
static void check_actions(enum behavior behavior)
{
	int (*const actions[])(struct control *, struct op_error *) = {
		action_stop, action_status, action_shutdown, action_reset, action_dump,
	};
	struct op_error e = { "" };

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		pid_t pid = start(behavior, true);
		struct control c = control_of(true);
		int err = act(actions[i], &c, &e), want = actions[i] == action_dump ? -ESRCH : 0;

		CHECK(err == want, "action %zu: %d, %s", i, err, e.text);
		CHECK(!daemon_runs(tmpdir), "action %zu: runs", i);
		waitpid(pid, NULL, 0);
		control_done(&c);
	}
	CHECK(strstr(e.text, "before it answered 'dump'"), "%s", e.text);
}

TEST(ends_during_request)
{
	tmpdir_make();
	check_actions(ENDS_WHEN_ASKED);
	check_actions(ENDS_IN_MID_ANSWER);
}

TEST(save_without_daemon)
{
	struct op_error e = { "" };
	struct control c;
	pid_t pid;

	tmpdir_make();
	CHECK(!file_make_dirs(tmpdir_path("samples/current/{kern}/x"), 0755), "mkdir");
	pid = start(ENDS_WHEN_ASKED, true);
	c = control_of(true);
	CHECK(!action_save(&c, "one", &e), "%s", e.text);
	CHECK(file_is_dir(tmpdir_path("samples/one/{kern}/x")), "not saved");
	waitpid(pid, NULL, 0);
	control_done(&c);
}

/* A daemon whose socket was removed still runs. */
TEST(holds_lock_but_does_not_listen)
{
	struct op_error e = { "" };
	struct control c;
	pid_t pid;

	tmpdir_make();
	pid = start(ANSWERS, true);
	unlink(tmpdir_path("control"));
	CHECK(daemon_runs_after(tmpdir, 50), "the lock is held");
	c = control_of(true);
	CHECK(!act(action_shutdown, &c, &e), "%s", e.text);
	CHECK(waitpid(pid, NULL, 0) == pid, "still there");
	CHECK(!daemon_runs(tmpdir), "runs");
	control_done(&c);
}

/* The daemon's lock may name any process: it was left behind, or the folder is another user's. */
TEST(shutdown_does_not_kill_a_bystander)
{
	struct op_error e = { "" };
	pid_t pid, bystander;
	struct control c;
	char text[32];

	tmpdir_make();
	pid = start(ANSWERS, true);
	unlink(tmpdir_path("control"));
	bystander = fork();
	if (!bystander)
		for (;;)
			pause();
	snprintf(text, sizeof(text), "%d", bystander);
	put_in_place("lock", text);
	c = control_of(true);
	CHECK(act(action_shutdown, &c, &e) == -EPERM &&
	      strstr(e.text, "is not the one that wrote '"), "%s", e.text);
	CHECK(!waitpid(bystander, NULL, WNOHANG), "killed");
	kill(bystander, SIGKILL);
	kill(pid, SIGKILL);
	while (wait(NULL) > 0)
		;
	control_done(&c);
}

/* A daemon that is starting has its lock before its socket. */
TEST(starts_during_request)
{
	struct op_error e = { "" };
	int ends[2];
	pid_t pid;
	char c;

	tmpdir_make();
	CHECK(!pipe(ends), "pipe");
	pid = fork();
	if (!pid) {
		take_lock();
		report_ready(ends[1]);
		usleep(200000);
		serve(ANSWERS, listen_to_control());
	}
	close(ends[1]);
	CHECK(read(ends[0], &c, 1) == 1, "the daemon does not start");
	CHECK(daemon_runs(tmpdir), "not seen");
	CHECK(!daemon_ask(tmpdir, "start", NULL, &e), "%s", e.text);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The programs opcontrol and oprofiled. */
TEST(killed_and_started_at_once)
{
	const char *start_line = "--collector=perf --event=CPU_CLK_UNHALTED:2000000 --start";
	char output[4000];

	tmpdir_make();
	if (run_opcontrol(start_line, output, sizeof(output))) {
		if (getuid() || strstr(output, "perf_event"))
			SKIP("needs root and perf_event_open()");
		CHECK(false, "%s", output);
	}
	for (int i = 0; i < 5; i++) {
		signal_daemon(SIGKILL);
		CHECK(!run_opcontrol(start_line, output, sizeof(output)), "%s", output);
		CHECK(strstr(output, "Daemon started.") &&
		      strstr(output, "Profiler running."), "%s", output);
	}
	signal_daemon(SIGKILL);
	CHECK(!run_opcontrol("--shutdown", output, sizeof(output)) &&
	      strstr(output, "not running"), "%s", output);
}

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control_dying.c - a daemon that is killed just before it is asked is one that does not run
 *
 * The daemon is a child process with the lock and the socket of one; it answers, or ends in the
 * middle of an answer. The last test has the real one.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include "actions.h"
#include "channel.h"
#include "collector.h"
#include "daemon_link.h"
#include "session.h"
#include "tap.h"
#include "tmpdir.h"
#include "xalloc.h"

enum behaviour {
	ANSWERS,
	ENDS_WHEN_ASKED,		/* dies of its own SIGKILL without a word */
	ENDS_IN_MID_ANSWER,
	NEVER_ANSWERS,			/* to anything but ping */
};

/* Takes memory with it, so that dying takes a while. */
static void take_memory(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory != MAP_FAILED)
		memset(memory, 1, bytes);
}

static void answer(int peer, enum behaviour behaviour)
{
	char request[200];
	ssize_t n;

	poll(&(struct pollfd) { .fd = peer, .events = POLLIN }, 1, 1000);
	n = read(peer, request, sizeof(request));
	if (n >= 5 && !memcmp(request, "ping\n", 5))
		(void)!write(peer, "ok\n", 3);
	else if (n > 0 && behaviour == ENDS_IN_MID_ANSWER)
		(void)!write(peer, "pid 1\nstate run", 15);
	else if (n > 0 && behaviour == ANSWERS)
		(void)!write(peer, "ok\n", 3);
	if (n > 0 && request[0] != 'p' && behaviour != ANSWERS && behaviour != NEVER_ANSWERS)
		raise(SIGKILL);
	if (behaviour != NEVER_ANSWERS || request[0] == 'p')
		close(peer);
}

/* With @lock_first the lock is held when the socket is gone already. */
static void serve(enum behaviour behaviour, bool lock_first, int ready)
{
	struct op_error e = { "" };
	int lock = -1, fd = -1, peer;
	uid_t uid;
	pid_t pid;

	if (!lock_first)
		fd = channel_listen(tmpdir_path("control"), 0666, &e);
	lock = open(tmpdir_path("lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) || ftruncate(lock, 0) ||
	    dprintf(lock, "%d", getpid()) < 0)
		_exit(1);
	if (lock_first)
		fd = channel_listen(tmpdir_path("control"), 0666, &e);
	if (fd < 0 || write(ready, "", 1) != 1)
		_exit(1);
	for (;;) {
		poll(&(struct pollfd) { .fd = fd, .events = POLLIN }, 1, -1);
		peer = channel_accept(fd, &uid, &pid);
		if (peer >= 0)
			answer(peer, behaviour);
	}
}

static pid_t start(enum behaviour behaviour, bool lock_first)
{
	int ends[2];
	pid_t pid;
	char c;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		take_memory(4 << 20);
		serve(behaviour, lock_first, ends[1]);
	}
	close(ends[1]);
	CHECK(read(ends[0], &c, 1) == 1, "the daemon does not start");
	close(ends[0]);
	return pid;
}

/* With what the daemon answers to standing there, as after opcontrol's first look. */
static struct control control_of(bool running)
{
	struct control c = { .rc = tmpdir_path("daemonrc"), .running = running };

	setup_init(&c.setup);
	free(c.setup.session_dir);
	c.setup.session_dir = xstrdup(tmpdir);
	driver_init(&c.driver);
	return c;
}

static void control_done(struct control *c)
{
	setup_free(&c->setup);
	driver_free(&c->driver);
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

/* What the action prints is no TAP. */
static int act(int (*action)(struct control *, struct op_error *), struct control *c,
	       struct op_error *e)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), out, err_out, err;

	fflush(stdout);
	out = dup(STDOUT_FILENO);
	err_out = dup(STDERR_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	err = action(c, e);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err_out, STDERR_FILENO);
	close(null);
	close(out);
	close(err_out);
	return err;
}

/* Every action of a daemon that ends while it is asked: as if it had not run. */
static void check_actions(enum behaviour behaviour)
{
	int (*const actions[])(struct control *, struct op_error *) = {
		action_stop, action_status, action_shutdown, action_reset, action_dump,
	};
	struct op_error e = { "" };

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		pid_t pid = start(behaviour, true);
		struct control c = control_of(true);
		int err = act(actions[i], &c, &e), want = actions[i] == action_dump ? -ESRCH : 0;

		CHECK(err == want, "action %zu: %d, %s", i, err, e.text);
		CHECK(!daemon_runs(tmpdir), "action %zu: runs", i);
		waitpid(pid, NULL, 0);
		control_done(&c);
	}
	CHECK(strstr(e.text, "before it had answered 'dump'"), "%s", e.text);
}


TEST(ends_when_asked)
{
	tmpdir_make();
	check_actions(ENDS_WHEN_ASKED);
	check_actions(ENDS_IN_MID_ANSWER);
}

TEST(saved_without_it)
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

/* Its socket was removed by somebody: that is not the same as not running. */
TEST(holds_the_lock_and_does_not_listen)
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

/* In somebody else's folder any number may stand in the lock. */
TEST(whose_process_may_be_killed)
{
	pid_t pid = fork();

	if (!pid) {
		if (getuid() == 0 && setuid(65534))
			_exit(1);
		pause();
	}
	tmpdir_make();
	CHECK(!daemon_owns_lock(tmpdir, getpid()), "no lock");
	put_text(tmpdir_path("lock"), "1");
	CHECK(daemon_owns_lock(tmpdir, getpid()), "ours");
	usleep(100000);
	CHECK(getuid() || !daemon_owns_lock(tmpdir, pid), "another user's");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(!daemon_owns_lock(tmpdir, pid), "nobody's");
}

/* One that is just starting: the lock comes first, the socket later. */
TEST(starting_while_asked)
{
	struct op_error e = { "" };
	int ends[2];
	pid_t pid;

	tmpdir_make();
	CHECK(!pipe(ends), "pipe");
	pid = fork();
	if (!pid) {
		int lock = open(tmpdir_path("lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0644);

		flock(lock, LOCK_EX);
		(void)!write(ends[1], "", 1);
		usleep(200000);
		close(lock);
		serve(ANSWERS, true, ends[1]);
	}
	(void)!read(ends[0], &e, 1);
	e.text[0] = '\0';
	CHECK(daemon_runs(tmpdir), "not seen");
	CHECK(!daemon_ask(tmpdir, "start", NULL, &e), "%s", e.text);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* opcontrol and oprofiled themselves. */

static int run_opcontrol(const char *options, char *said, size_t size)
{
	char *dir = path_program_dir();
	char *command = xasprintf("OPROFILE_DAEMONRC='%s' '%s/../bin/opcontrol' --session-dir='%s' "
				  "%s 2>&1", tmpdir_path("daemonrc"), dir, tmpdir, options);
	FILE *f = popen(command, "r");
	size_t n = f ? fread(said, 1, size - 1, f) : 0;
	int status = f ? pclose(f) : -1;

	said[n] = '\0';
	free(command);
	free(dir);
	return status;
}

TEST(killed_and_started_at_once)
{
	const char *start_line = "--collector=perf --event=CPU_CLK_UNHALTED:2000000 --start";
	char said[4000];

	tmpdir_make();
	if (run_opcontrol(start_line, said, sizeof(said))) {
		if (getuid() || strstr(said, "perf_event"))
			SKIP("needs root and perf_event_open()");
		CHECK(false, "%s", said);
	}
	for (int i = 0; i < 5; i++) {
		kill(daemon_pid(tmpdir), SIGKILL);
		CHECK(!run_opcontrol(start_line, said, sizeof(said)), "%s", said);
		CHECK(strstr(said, "Daemon started.") && strstr(said, "Profiler running."), "%s", said);
	}
	kill(daemon_pid(tmpdir), SIGKILL);
	CHECK(!run_opcontrol("--shutdown", said, sizeof(said)) && strstr(said, "not running"), "%s",
	      said);
}

TEST_MAIN()

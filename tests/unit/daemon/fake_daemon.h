/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_daemon.h - a child process with a daemon's lock and socket, to test its clients
 *
 * Also runs the clients: actions of opcontrol, and opcontrol itself.
 */
#ifndef TESTS_UNIT_DAEMON_FAKE_DAEMON_H
#define TESTS_UNIT_DAEMON_FAKE_DAEMON_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include "control/opcontrol/actions.h"
#include "control/opcontrol/daemon_link.h"
#include "daemon/collect/collector.h"
#include "libdb/session/lock.h"
#include "libdb/session/session.h"
#include "libutil/channel.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

enum behavior {
	ANSWERS,
	ENDS_WHEN_ASKED,		/* kills itself without an answer */
	ENDS_IN_MID_ANSWER,
	NEVER_ANSWERS,			/* except ping */
	WORKS_ON,			/* for FAKE_WORK_MS of CPU time, then ends silently */
};

#define FAKE_WAIT_MS	3500		/* before that */
#define FAKE_WORK_MS	700

static inline void work(void)
{
	clock_t end;

	usleep(FAKE_WAIT_MS * 1000);
	end = clock() + FAKE_WORK_MS * (CLOCKS_PER_SEC / 1000);
	while (clock() < end)
		;
	_exit(0);
}

/* So that dying takes a while. */
static inline void take_memory(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	if (memory != MAP_FAILED)
		memset(memory, 1, bytes);
}

static inline void answer(int peer, enum behavior behavior)
{
	char request[200] = "";
	ssize_t n;

	poll(&(struct pollfd) { .fd = peer, .events = POLLIN }, 1, -1);
	n = read(peer, request, sizeof(request));
	if (n >= 5 && !memcmp(request, "ping\n", 5))
		(void)!write(peer, "ok\n", 3);
	else if (n > 0 && behavior == ENDS_IN_MID_ANSWER)
		(void)!write(peer, "pid 1\nstate run", 15);
	else if (n > 0 && behavior == ANSWERS)
		(void)!write(peer, "ok\n", 3);
	if (n > 0 && request[0] != 'p' && behavior == WORKS_ON)
		work();
	if (n > 0 && request[0] != 'p' && behavior != ANSWERS && behavior != NEVER_ANSWERS)
		raise(SIGKILL);
	if (behavior != NEVER_ANSWERS || request[0] == 'p')
		close(peer);
}

static inline void take_lock(void)
{
	int lock = session_lock_take(tmpdir);

	if (lock < 0 || session_lock_sign(lock))
		_exit(1);
}

static inline int listen_to_control(void)
{
	int fd = channel_listen(tmpdir_path("control"), 0666, NULL);

	if (fd < 0)
		_exit(1);
	return fd;
}

static inline void report_ready(int fd)
{
	if (write(fd, "", 1) != 1)
		_exit(1);
}

static inline void serve(enum behavior behavior, int fd)
{
	uid_t uid;
	pid_t pid;
	int peer;

	for (;;) {
		poll(&(struct pollfd) { .fd = fd, .events = POLLIN }, 1, -1);
		peer = channel_accept(fd, &uid, &pid);
		if (peer >= 0)
			answer(peer, behavior);
	}
}

/* With @lock_first the socket is closed before the lock is released when it dies. */
static inline pid_t start(enum behavior behavior, bool lock_first)
{
	int ends[2], fd;
	pid_t pid;
	char c;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		take_memory(4 << 20);
		if (lock_first)
			take_lock();
		fd = listen_to_control();
		if (!lock_first)
			take_lock();
		report_ready(ends[1]);
		serve(behavior, fd);
	}
	close(ends[1]);
	CHECK(read(ends[0], &c, 1) == 1, "the daemon did not start");
	close(ends[0]);
	return pid;
}

/* A client for the daemon in tmpdir; @running as opcontrol found it at its start. */
static inline struct control control_of(bool running)
{
	struct control c = { .rc = tmpdir_path("daemonrc"), .running = running };

	setup_init(&c.setup);
	free(c.setup.session_dir);
	c.setup.session_dir = xstrdup(tmpdir);
	host_init(&c.host);
	c.host.watchdog_kept = "/nonexistent/nmi_watchdog";
	return c;
}

static inline void control_done(struct control *c)
{
	setup_free(&c->setup);
	host_free(&c->host);
}

/* Without the action's output, which is not TAP. */
static inline int act(int (*action)(struct control *, struct op_error *), struct control *c,
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

/* Run opcontrol, which may start oprofiled; @output is what both print. */
static inline int run_opcontrol(const char *options, char *output, size_t size)
{
	char *dir = path_program_dir();
	char *command = xasprintf("OPROFILE_DAEMONRC='%s' '%s/../bin/opcontrol' --session-dir='%s' "
				  "%s 2>&1", tmpdir_path("daemonrc"), dir, tmpdir, options);
	FILE *f = popen(command, "r");
	size_t n = f ? fread(output, 1, size - 1, f) : 0;
	int status = f ? pclose(f) : -1;

	output[n] = '\0';
	free(command);
	free(dir);
	return status;
}

/* Never kill(0), which would signal this program's whole process group. */
static inline void signal_daemon(int number)
{
	pid_t pid = session_lock_pid(tmpdir);

	CHECK(pid > 0 && !kill(pid, number), "no daemon runs");
}

#endif

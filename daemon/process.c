// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process.c - the lock file, and running in the background
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "daemon/process.h"
#include "libdb/session/lock.h"
#include "libutil/priority.h"

static int report_holder(const char *session_dir, struct op_error *e)
{
	pid_t pid = session_lock_pid(session_dir);

	if (!pid)
		return op_error_set(e, -EBUSY,
				    "another oprofiled is starting or stopping in '%s'",
				    session_dir);
	return op_error_set(e, -EBUSY, "another oprofiled (pid %d) uses '%s'; stop it with "
			    "opcontrol --shutdown", (int)pid, session_dir);
}

int lock_take(const char *session_dir, struct op_error *e)
{
	int fd = session_lock_take(session_dir);

	if (fd == -EBUSY)
		report_holder(session_dir, e);
	else if (fd < 0)
		op_error_set(e, fd, "cannot lock '%s/lock': %s", session_dir, strerror(-fd));
	return fd;
}

int lock_sign(int lock_fd, const char *session_dir, struct op_error *e)
{
	int err = session_lock_sign(lock_fd);

	if (err)
		op_error_set(e, err, "cannot write '%s/lock': %s", session_dir, strerror(-err));
	return err;
}

/* In the first process: wait until the daemon is ready or has exited. */
static void wait_and_exit(int fd)
{
	char c;
	ssize_t n;

	do
		n = read(fd, &c, 1);
	while (n < 0 && errno == EINTR);
	_exit(n == 1 ? 0 : 1);
}

int daemonize(void)
{
	int ends[2];
	pid_t pid;
	int err;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid) {
		close(ends[1]);
		wait_and_exit(ends[0]);
	}
	close(ends[0]);
	err = priority_begin_session();
	if (err)
		return err;
	pid = fork();	/* the child is not a session leader, so it never gets a terminal */
	if (pid < 0)
		return -errno;
	if (pid)
		_exit(0);
	return ends[1];
}

void daemonize_ready(int handle, int log_fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		close(null);
	}
	dup2(log_fd, STDOUT_FILENO);
	dup2(log_fd, STDERR_FILENO);
	(void)!write(handle, "", 1);
	close(handle);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process.c - the lock file, and running in the background
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "daemon/process.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "libutil/number.h"

/* Whether @path still names the file that @fd is: its owner may have removed it meanwhile. */
static bool is_at(int fd, const char *path)
{
	struct stat ours, there;

	return !fstat(fd, &ours) && !lstat(path, &there) && ours.st_dev == there.st_dev &&
	       ours.st_ino == there.st_ino;
}

static int report_holder(const char *path, const char *session_dir, struct op_error *e)
{
	char pid[32];
	uint64_t number;

	if (file_read_line(path, pid, sizeof(pid)) || number_parse_range(pid, 1, INT_MAX, &number))
		return op_error_set(e, -EBUSY,
				    "another oprofiled is starting or stopping in '%s'",
				    session_dir);
	return op_error_set(e, -EBUSY, "another oprofiled (pid %s) uses '%s'; stop it with "
			    "opcontrol --shutdown", pid, session_dir);
}

static int lock_once(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644), err;

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
		close(fd);
		return err;
	}
	if (is_at(fd, path))
		return fd;
	close(fd);
	return -EAGAIN;
}

/* Retries, because a program that checks whether a daemon runs holds the lock for a moment. */
int lock_take(const char *session_dir, struct op_error *e)
{
	const struct timespec pause = { .tv_nsec = 5 * 1000000 };
	char *path = session_lock_path(session_dir);
	int fd, retries = 20;

	for (;;) {
		fd = lock_once(path);
		if (fd == -EBUSY && retries-- > 0)
			nanosleep(&pause, NULL);
		else if (fd != -EAGAIN)
			break;
	}
	if (fd == -EBUSY)
		report_holder(path, session_dir, e);
	else if (fd < 0)
		op_error_set(e, fd, "cannot lock '%s': %s", path, strerror(-fd));
	else
		(void)!ftruncate(fd, 0);	/* it may hold the pid of a dead daemon */
	free(path);
	return fd;
}

int lock_write_pid(int lock_fd, const char *session_dir, struct op_error *e)
{
	char pid[16];
	int n = snprintf(pid, sizeof(pid), "%d", getpid()), err = 0;

	if (ftruncate(lock_fd, 0) || pwrite(lock_fd, pid, n, 0) != n)
		err = errno ? -errno : -EIO;
	if (err)
		op_error_set(e, err, "cannot write '%s/lock': %s", session_dir, strerror(-err));
	return err;
}

bool lock_is_ours(int lock_fd, const char *session_dir)
{
	char *path = session_lock_path(session_dir);
	bool ours = is_at(lock_fd, path);

	free(path);
	return ours;
}

void lock_remove(int lock_fd, const char *session_dir)
{
	char *path = session_lock_path(session_dir);

	if (is_at(lock_fd, path))	/* else it is another daemon's: ours was removed */
		unlink(path);
	free(path);
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
	if (setsid() < 0)
		return -errno;
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

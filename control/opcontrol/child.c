// SPDX-License-Identifier: GPL-2.0-or-later
/* child.c - run a program and wait for it; wait for a process that is not a child */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "control/opcontrol/child.h"
#include "libutil/clock.h"

#define POLL_MS	20

extern char **environ;

/* Kernels before 5.3 do not have pidfds. */
static int poll_until_gone(pid_t pid, int timeout_ms)
{
	const struct timespec pause = { .tv_nsec = POLL_MS * NS_PER_MS };

	for (; timeout_ms > 0; timeout_ms -= POLL_MS) {
		if (kill(pid, 0) && errno == ESRCH)
			return 0;
		nanosleep(&pause, NULL);
	}
	return -ETIMEDOUT;
}

int process_wait_gone(pid_t pid, int timeout_ms)
{
	struct pollfd wait = { .events = POLLIN };
	int nr;

	wait.fd = syscall(SYS_pidfd_open, pid, 0);
	if (wait.fd < 0 && errno == ESRCH)
		return 0;
	if (wait.fd < 0)
		return poll_until_gone(pid, timeout_ms);
	do {
		nr = poll(&wait, 1, timeout_ms);
	} while (nr < 0 && errno == EINTR);
	close(wait.fd);
	return nr > 0 ? 0 : -ETIMEDOUT;
}

static int spawn(char *const argv[], bool quiet, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	int err;

	err = posix_spawn_file_actions_init(&actions);
	if (err)
		return -err;
	if (quiet) {
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
		posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	}
	err = posix_spawnp(ret_pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

/* Without pidfds there is no time limit. */
static bool child_ended(pid_t pid, int timeout_ms)
{
	struct pollfd wait = { .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int nr = 1;

	if (wait.fd < 0)
		return true;
	do {
		nr = poll(&wait, 1, timeout_ms);
	} while (nr < 0 && errno == EINTR);
	close(wait.fd);
	return nr > 0;
}

int child_run(const char *const argv[], bool quiet, int timeout_ms, int *ret_status)
{
	pid_t pid;
	int err = spawn((char *const *)argv, quiet, &pid);
	bool ended;

	if (err)
		return err;
	ended = child_ended(pid, timeout_ms);
	if (!ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, ret_status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return ended ? 0 : -ETIMEDOUT;
}

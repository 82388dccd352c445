// SPDX-License-Identifier: GPL-2.0-or-later
/* launch.c - fork, wait for a byte, exec; a close-on-exec pipe reports whether exec succeeded */
#include "operf/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libutil/xalloc.h"

/* 0, -EACCES: not executable, or -ENOENT. */
static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == EACCES ? -EACCES : -ENOENT;
	if (!S_ISREG(st.st_mode) || access(path, X_OK))
		return -EACCES;
	return 0;
}

/* *ret_file: malloc'd, if 0 is returned. */
static int search_path(const char *path, const char *name, char **ret_file)
{
	int err = -ENOENT;

	for (;;) {
		size_t len = strcspn(path, ":");
		char *file = xasprintf("%.*s/%s", len ? (int)len : 1, len ? path : ".", name);
		int here = check_file(file);

		if (!here) {
			*ret_file = file;
			return 0;
		}
		free(file);
		if (here == -EACCES)
			err = here;
		if (!path[len])
			return err;
		path += len + 1;
	}
}

int launch_find(const char *name, char **ret_file, struct op_error *e)
{
	const char *path = getenv("PATH");
	bool is_path = strchr(name, '/');
	char *file = NULL;
	int err;

	if (is_path)
		err = check_file(name);
	else
		err = search_path(path ? path : "/usr/local/bin:/usr/bin:/bin", name, &file);

	if (err == -ENOENT)
		return op_error_set(e, err, is_path ? "command '%s' not found" :
				    "command '%s' not found in $PATH", name);
	if (err)
		return op_error_set(e, err, "cannot execute '%s': %s", name, strerror(-err));
	if (ret_file)
		*ret_file = is_path ? xstrdup(name) : file;
	else
		free(file);
	return 0;
}

int launch_signal_fd(int *ret_fd, sigset_t *ret_mask, struct op_error *e)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaddset(&set, taken[i]);
	sigprocmask(SIG_BLOCK, &set, ret_mask);
	*ret_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (*ret_fd < 0)
		return op_error_set(e, -errno, "cannot receive signals: %s", strerror(errno));
	return 0;
}

int launch_failure_status(int err)
{
	return err == -ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_NOT_EXECUTABLE;
}

/* In the new process. */
static void wait_and_exec(int go_fd, int result_fd, char *const *argv, const sigset_t *mask)
{
	char byte;
	int err;

	if (read(go_fd, &byte, 1) != 1)
		_exit(0);	/* canceled */
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	err = errno;
	(void)!write(result_fd, &err, sizeof(err));
	_exit(launch_failure_status(-err));
}

int launch_prepare(struct launch *l, char *const *argv, const sigset_t *mask, struct op_error *e)
{
	int go[2], result[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return op_error_set(e, -errno, "cannot create a pipe: %s", strerror(errno));
	if (pipe2(result, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return op_error_set(e, -errno, "cannot create a pipe: %s", strerror(errno));
	}
	pid = fork();
	if (!pid) {
		close(go[1]);
		close(result[0]);
		wait_and_exec(go[0], result[1], argv, mask);
	}
	close(go[0]);
	close(result[1]);
	if (pid < 0) {
		close(go[1]);
		close(result[0]);
		return op_error_set(e, -errno, "cannot start a process: %s", strerror(errno));
	}
	*l = (struct launch){ .name = argv[0], .pid = pid, .go_fd = go[1],
			      .result_fd = result[0] };
	return 0;
}

static void close_fds(struct launch *l)
{
	if (l->go_fd >= 0)
		close(l->go_fd);
	if (l->result_fd >= 0)
		close(l->result_fd);
	l->go_fd = l->result_fd = -1;
}

int launch_go(struct launch *l, struct op_error *e)
{
	int err = 0;
	ssize_t n;

	(void)!write(l->go_fd, "", 1);
	do
		n = read(l->result_fd, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close_fds(l);
	if (n != sizeof(err))
		return 0;
	launch_wait(l);
	return op_error_set(e, -err, "cannot execute '%s': %s", l->name, strerror(err));
}

void launch_cancel(struct launch *l)
{
	if (!l->pid || l->ended)
		return;
	if (l->go_fd < 0)
		kill(l->pid, SIGKILL);
	close_fds(l);
	launch_wait(l);
}

static void wait_for(struct launch *l, int flags)
{
	pid_t pid;

	if (l->ended)
		return;
	do
		pid = wait4(l->pid, &l->status, flags, &l->usage);
	while (pid < 0 && errno == EINTR);
	l->ended = pid == l->pid || (pid < 0 && errno == ECHILD);
}

bool launch_has_ended(struct launch *l)
{
	wait_for(l, WNOHANG);
	return l->ended;
}

void launch_wait(struct launch *l)
{
	wait_for(l, 0);
}

int launch_exit_status(const struct launch *l)
{
	return WIFSIGNALED(l->status) ? 128 + WTERMSIG(l->status) : WEXITSTATUS(l->status);
}

int launch_killed_by(const struct launch *l)
{
	return WIFSIGNALED(l->status) ? WTERMSIG(l->status) : 0;
}

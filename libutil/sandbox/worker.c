// SPDX-License-Identifier: GPL-2.0-or-later
/* worker.c - the helper, which only forks, its tasks, and its parent, which replaces it */
#include "libutil/sandbox/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libutil/clock.h"
#include "libutil/fd_message.h"
#include "libutil/sandbox/capabilities.h"

/* Any process may inherit it by fork() and use it, too. */
static struct {
	pthread_mutex_t lock;
	int socket;			/* 0: not started */
} helper = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- the helper ---- */

/* Keys of a terminal are meant for the program, which ends when it has all answers. */
static void set_signals(void)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM };
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void run_task(const struct worker_task *task, const int *fds, size_t nr)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (task->nice)
		(void)setpriority(PRIO_PROCESS, 0, task->nice);
	if (sandbox_enter(&task->sandbox))
		_exit(1);
	task->run(task, fds, fds[nr - 1]);
	_exit(0);
}

/* The number of descriptors, the task's output last. 0: this program has ended. */
static size_t receive(int socket, struct worker_task *task, int *fds)
{
	size_t len, nr;
	int err = fd_message_receive(socket, task, sizeof(*task), &len, fds, WORKER_FDS_MAX + 1,
				     &nr);

	return err || len != sizeof(*task) ? 0 : nr;
}

static _Noreturn void serve(int socket, bool is_first)
{
	int fds[WORKER_FDS_MAX + 1];
	struct worker_task task;
	size_t nr;

	signal(SIGCHLD, SIG_IGN);	/* tasks are not waited for */
	if (sandbox_drop_user() || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ||
	    (is_first && write(socket, "", 1) != 1))
		_exit(1);
	while ((nr = receive(socket, &task, fds))) {
		if (fork() == 0) {
			close(socket);
			run_task(&task, fds, nr);
		}
		for (size_t i = 0; i < nr; i++)
			close(fds[i]);
	}
	_exit(0);
}

/*
 * Another process of the parsers' user, or a lack of memory, can kill the helper. The next one gets
 * the tasks that wait in the socket. This process reads nothing, and is still root's.
 */
static _Noreturn void keep_helper(int socket)
{
	bool is_first = true;
	int status;
	pid_t pid;

	set_signals();
	(void)setsid();	/* the daemon may raise its own, but not what reads files [CC-60] */
	if (sandbox_leave_descriptors(socket) ||
	    capabilities_keep(CAPABILITY(CAP_SETUID) | CAPABILITY(CAP_SETGID)))
		_exit(1);
	for (;; is_first = false) {
		pid = fork();
		if (pid == 0)
			serve(socket, is_first);
		if (pid < 0 && is_first)
			_exit(1);
		if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status))
			_exit(WEXITSTATUS(status));
		sleep(1);
	}
}

/* ---- the program ---- */

static int start(void)
{
	int ends[2], err;
	pid_t pid;
	char ready;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	pid = fork();
	if (pid == 0)
		keep_helper(ends[1]);
	err = pid < 0 ? -errno : 0;
	close(ends[1]);
	if (!err && read(ends[0], &ready, 1) != 1)
		err = -EPERM;
	if (err)
		close(ends[0]);
	else
		helper.socket = ends[0];
	return err;
}

int worker_start(struct op_error *e)
{
	int err;

	pthread_mutex_lock(&helper.lock);
	err = helper.socket ? 0 : start();
	pthread_mutex_unlock(&helper.lock);
	return err ? op_error_set(e, err, "cannot start a process to parse files: %s",
				  strerror(-err)) : 0;
}

int worker_run(const struct worker_task *task, const int *fds, size_t nr)
{
	int all[WORKER_FDS_MAX + 1], ends[2], err;

	if (nr > WORKER_FDS_MAX)
		return -E2BIG;
	err = worker_start(NULL);
	if (err)
		return err;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	for (size_t i = 0; i < nr; i++)
		all[i] = fds[i];
	all[nr] = ends[1];
	err = fd_message_send(helper.socket, task, sizeof(*task), all, nr + 1);
	close(ends[1]);
	if (err)
		close(ends[0]);
	return err ? err : ends[0];
}

bool worker_read(int fd, int stop_fd, uint64_t until_ns, void *bytes, size_t n)
{
	struct pollfd p[] = { { .fd = fd, .events = POLLIN }, { .fd = stop_fd, .events = POLLIN } };
	size_t at = 0;

	while (at < n) {
		uint64_t now = now_ns();
		ssize_t got;
		int ready;

		ready = now < until_ns ? poll(p, 2, (int)((until_ns - now) / NS_PER_MS) + 1) : 0;
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0 || p[1].revents)
			return false;
		got = read(fd, (char *)bytes + at, n - at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += (size_t)got;
	}
	return true;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * own_files.c - a table of file descriptors of the sampling thread's own
 *
 * The thread closes all that it opens, and nothing else is opened for it; mappings stay. So it
 * needs none of the program's descriptors, and must not keep any open: the reader of a pipe must
 * see the end when the program closes it. [SM-17]
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "libsampler/profiler.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE	2u
#endif
#define DESCRIPTORS_MAX	(1u << 20)	/* to close one by one on older kernels */

static bool is_wanted;			/* under the lock, before the thread is started */
static _Atomic pid_t owner;		/* the thread with a table of its own; 0: none */

/* In one step if the kernel can; otherwise a last close by the program is delayed a little. */
static bool leave_table(void)
{
	struct rlimit limit;

	if (!syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE))
		return true;
	if (unshare(CLONE_FILES))
		return false;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > DESCRIPTORS_MAX)
		limit.rlim_cur = DESCRIPTORS_MAX;
	for (unsigned int fd = 0; fd < limit.rlim_cur; fd++)
		close((int)fd);
	return true;
}

void own_files_begin(void)
{
	if (!is_wanted || !leave_table())
		return;
	/* occupy 0 to 2, so that no file gets the output for standard error */
	if (epoll_create1(0) == STDIN_FILENO && dup(STDIN_FILENO) == STDOUT_FILENO)
		(void)!dup(STDIN_FILENO);
	atomic_store(&owner, gettid());
}

void own_files_end(void)
{
	atomic_store(&owner, 0);
}

int sampler_use_own_files(void)
{
	int err = 0;

	sampling_lock();
	if (sampling_is_started())
		err = -EBUSY;
	else
		is_wanted = true;
	sampling_unlock();
	return err;
}

/* The program's current standard error. Containers may forbid pidfd_getfd(). */
static int program_stderr(void)
{
	int process = (int)syscall(SYS_pidfd_open, getpid(), 0u);
	int fd = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, STDERR_FILENO, 0u);

	if (process >= 0)
		close(process);
	return fd >= 0 ? fd : open("/proc/self/fd/2", O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK);
}

/* The reader of a pipe may be gone, and SIGPIPE must not end the program. */
static void write_without_signal(int fd, const char *text)
{
	static const struct timespec now = { 0 };
	sigset_t pipe_only, saved, pending;

	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_only, &saved);
	sigpending(&pending);
	if (write(fd, text, strlen(text)) < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE))
		while (sigtimedwait(&pipe_only, NULL, &now) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

void sampler_tell(const char *text)
{
	bool is_ours = atomic_load(&owner) == gettid();
	int fd = is_ours ? program_stderr() : STDERR_FILENO;

	if (fd < 0)
		return;
	write_without_signal(fd, text);
	if (is_ours)
		close(fd);
}

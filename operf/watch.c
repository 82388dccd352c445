// SPDX-License-Identifier: GPL-2.0-or-later
/* watch.c - watch a process by its pidfd if possible, because pids are reused */
#include "operf/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

void watch_open(struct watch *w, pid_t pid)
{
	*w = (struct watch){ .pid = pid, .fd = (int)syscall(SYS_pidfd_open, pid, 0) };
}

bool watch_has_ended(const struct watch *w)
{
	struct pollfd fd = { .fd = w->fd, .events = POLLIN };

	if (w->fd >= 0)
		return poll(&fd, 1, 0) > 0;
	return kill(w->pid, 0) && errno == ESRCH;
}

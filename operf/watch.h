/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch.h - detect the end of a process that is not a child */
#ifndef OPERF_WATCH_H
#define OPERF_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

struct watch {
	pid_t pid;
	int fd;			/* pidfd; -1: before Linux 5.3, or not the first thread */
};

void watch_open(struct watch *w, pid_t pid);
/* A zombie has ended. */
bool watch_has_ended(const struct watch *w);

#endif

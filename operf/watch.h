/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch.h - whether a process that isn't our child has ended */
#ifndef OPERF_WATCH_H
#define OPERF_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

struct watch {
	pid_t pid;
	int fd;			/* of the very process; -1: before Linux 5.3, or a thread's */
};

void watch_open(struct watch *w, pid_t pid);
/* A zombie has ended, even if nobody waits for it. */
bool watch_has_ended(const struct watch *w);

#endif

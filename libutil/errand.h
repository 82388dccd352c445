/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * errand.h - make calls that may never return, and wait for them no longer than a second
 *
 * A network file system whose server is gone blocks whoever opens or reads a file on it, for as
 * long as it likes and even against kill -9. Such calls are made by a thread of their own. What it
 * hangs at is not tried again before it has returned.
 */
#ifndef LIBUTIL_ERRAND_H
#define LIBUTIL_ERRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ERRANDS_LATE_MAX	8	/* hanging threads; then nothing is tried */

struct errand {			/* the first member of what it is about */
	/* [another thread] Uses nothing but the errand, which is a copy. 0 or -errno. */
	int (*run)(struct errand *errand);
	uint64_t place;		/* what it may hang at, as errand_place() */
	int fd;			/* the thread has a duplicate; or -1 */
	int opened;		/* result: a descriptor, or -1; closed if it comes too late */
};

/* The file system of @fd, without asking its server. */
uint64_t errand_place(int fd);

/* What the threads of an errand have had until some time. */
struct errand_look {
	pid_t tids[2];		/* its own, and the opener's that works for it; or 0 */
	bool runs;		/* one of them has a CPU, or waits for one */
	uint64_t at_ns;		/* now_ns() */
	uint64_t spent_ns;	/* with a CPU, or waiting for one; both together */
};

/* How long it was blocked between two looks. Pure. */
uint64_t errand_blocked_ns(const struct errand_look *before, const struct errand_look *now);

/*
 * Run @errand, a struct of @size bytes, and copy it back; returns what run() did. -ETIMEDOUT: it
 * hangs, or another one at that place does. Waiting for a CPU does not count, the opener's neither.
 * Any thread.
 */
int errand_run(struct errand *errand, size_t size);

#endif

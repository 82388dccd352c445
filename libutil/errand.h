/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * errand.h - make calls that may never return, and wait for them no longer than a while
 *
 * A network file system whose server is gone blocks whoever opens or reads a file on it, for as
 * long as it likes and even against kill -9. The kernel reads /proc/PID/maps under a lock that the
 * process can hold as often as it likes. No call with a timeout exists for that. So a thread is
 * sent; if it does not come back it is left alone, and the next call gets another thread.
 */
#ifndef LIBUTIL_ERRAND_H
#define LIBUTIL_ERRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What it takes to make one hang: a file system whose server is gone, or just a process of any
 * user's. After so many hanging ones, no more of that kind are tried.
 */
enum errand_kind {
	ERRAND_FILE,
	ERRAND_MEMORY,		/* of a process */
	ERRAND_BRIEF,		/* about a process; see errand_set_urgent() */
	ERRAND_KINDS
};
#define ERRANDS_LATE_MAX	8
#define ERRANDS_BRIEF_LATE_MAX	16
#define ERRAND_BRIEF_MS		50	/* how long a brief errand is waited for */
#define ERRAND_SOON_MS		5	/* for ERRAND_REST_MS after that was too short */
#define ERRAND_REST_MS		2000

struct errand {			/* the first member of what it is about */
	/* [another thread] Uses nothing but the errand, which is a copy. 0 or -errno. */
	int (*run)(struct errand *errand);
	/* [another thread] Frees what run() brought, if it comes too late; NULL: nothing. */
	void (*drop)(struct errand *errand);
	uint64_t place;		/* what it may hang at, as errand_place() */
	int fd;			/* the thread has a duplicate; or -1 */
	int opened;		/* result: a descriptor, or -1; closed if it comes too late */
	enum errand_kind kind;
};

/* The file system of @fd, without asking its server. */
uint64_t errand_place(int fd);

/* What the threads of an errand have had until some time. */
struct errand_look {
	pid_t tids[2];		/* its own, and the opener's, as opener_note_thread() has it */
	bool runs;		/* one of them has a CPU, or waits for one */
	uint64_t at_ns;		/* now_ns() */
	uint64_t spent_ns;	/* with a CPU, or waiting for one; both together */
};

/* How long it was blocked between two looks. Pure. */
uint64_t errand_blocked_ns(const struct errand_look *before, const struct errand_look *now);

/*
 * Run @errand, a struct of @size bytes, and copy it back; returns what run() did. -ETIMEDOUT: it
 * hangs, another one at that place does, or too many of its kind do. -EAGAIN: no thread for it yet.
 * An errand hangs that was blocked for a second; waiting for a CPU does not count, the opener's
 * neither. The thread inherits the caller's priority while that waits. Any thread.
 */
int errand_run(struct errand *errand, size_t size);

/*
 * From now on, or no longer, something else waits while errands are brief. So these are waited for
 * ERRAND_BRIEF_MS at most, whatever keeps them.
 */
void errand_set_urgent(bool urgent);

#endif

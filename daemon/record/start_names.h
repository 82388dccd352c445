/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start_names.h - read what processes were started as, in a thread
 *
 * /proc/PID/cmdline is memory of the process, which may map it from a file system of its own that
 * never answers. The thread that drains must not wait for that, so another one reads. While it is
 * held up, others remain without a name.
 */
#ifndef DAEMON_RECORD_START_NAMES_H
#define DAEMON_RECORD_START_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#define START_NAME_BYTES	256

struct start_name {
	uint32_t tgid, tid;
	char *path;			/* of what it executed; malloc'd */
	char *comm, *noted;		/* names that are known already; malloc'd */
	bool by_thread;
	/* results */
	char started_as[START_NAME_BYTES];	/* "": the process has ended, or is the kernel's */
	bool executes;			/* still @path: else the name is that of another program */
};

struct start_names;

struct start_names *start_names_new(const char *proc);
/* A thread that is held up is left behind; the process may end all the same. NULL is fine. */
void start_names_free(struct start_names *s);

/* Takes over the strings of @wanted. False, and they stay the caller's: too many wait. */
bool start_names_request(struct start_names *s, const struct start_name *wanted);
/* The next that is read, in the order of requests; false: none. The strings are the caller's. */
bool start_names_take(struct start_names *s, struct start_name *ret);
void start_name_free(struct start_name *name);

/*
 * Wait until all requests are read, at most half a second, and once only: when the thread was held
 * up longer, this returns at once from then on.
 */
void start_names_wait(struct start_names *s);

/* Is @path the file of @program, what a link in /proc reads, which is modified? */
bool start_names_executes(char *program, const char *path);

#endif

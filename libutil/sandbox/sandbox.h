/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.h - confine a process before it parses files that a hostile user may have written
 *
 * Everything is irrevocable, and inherited by threads that start later. The kernel refuses what is
 * not allowed with EPERM, so a library that tries something unexpected fails instead of dying.
 */
#ifndef LIBUTIL_SANDBOX_SANDBOX_H
#define LIBUTIL_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum sandbox_kind {
	SANDBOX_COMPUTE,	/* only reads and writes what is open, and allocates memory */
	SANDBOX_REPORT,		/* also opens files and starts threads; writes to @writable only */
};

struct sandbox {
	enum sandbox_kind kind;
	bool network;			/* SANDBOX_REPORT: may connect to servers */
	bool times;			/* SANDBOX_REPORT: may set those of files that are open */
	const char *const *writable;	/* SANDBOX_REPORT: files and folders, or NULL */
	bool moves;			/* SANDBOX_REPORT: also links, and moves, between folders */
	bool must_write;		/* without Landlock root writes to all files, not to none */
	/* limits; 0: as before */
	uint64_t memory;		/* bytes that may be mapped in addition */
	uint64_t file_size;		/* bytes of each file that is written */
	unsigned int cpu_seconds;
	unsigned int seconds;		/* of wall time */
};

/*
 * Enter it, before any other thread is started. -errno: not entered completely, and nothing foreign
 * may be parsed. Without Landlock in the kernel root cannot write to files at all, unless
 * @must_write is set, and other users to all of theirs.
 */
int sandbox_enter(const struct sandbox *s);

/* The user "oprofile", if there is one other than root. */
bool sandbox_user(uid_t *ret_uid, gid_t *ret_gid);

/*
 * As root: become the user for parsers, "oprofile" if there is one, else "nobody", without groups
 * and capabilities. Needs CAP_SETUID and CAP_SETGID. Does nothing for other users.
 */
int sandbox_drop_user(void);

/* Close all descriptors from 3 on but the @nr ones in @fds, which this sorts. */
void sandbox_close_others(int *fds, size_t nr);

/* Have /dev/null in place of the standard ones, and of all others @socket only. 0 or -errno. */
int sandbox_leave_descriptors(int socket);

/*
 * filter.c: allow the system calls of @s only. @has_landlock: it checks which files are written;
 * otherwise root may not write any.
 */
int sandbox_filter(const struct sandbox *s, bool has_landlock);

/*
 * landlock.c: writing to @s->writable only, or no access to files at all. -ENOSYS, -EOPNOTSUPP:
 * this kernel does not have Landlock, or not enough of it.
 */
int sandbox_landlock(const struct sandbox *s);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemon_link.h - find the daemon of a session directory and ask it things
 *
 * The daemon answers when what was asked is true: no marker files, no polling. Requests and
 * answers: doc/control.md.
 */
#ifndef CONTROL_OPCONTROL_DAEMON_LINK_H
#define CONTROL_OPCONTROL_DAEMON_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "libutil/error.h"
#include "libutil/strbuf.h"

/*
 * Whether a daemon runs there, also one that does not answer any more. One that is just being
 * started or dying of a signal is given some seconds (or @wait_ms) to be one or the other.
 */
bool daemon_runs(const char *session_dir);
bool daemon_runs_after(const char *session_dir, int wait_ms);

/* Its pid as the lock file tells it, or 0: unknown. Only while daemon_runs(). */
pid_t daemon_pid(const char *session_dir);

/*
 * Whether process @pid belongs to who owns the lock: in a folder of another user's anybody's pid
 * may stand there, and none of those is ours to kill.
 */
bool daemon_owns_lock(const char *session_dir, pid_t pid);

/*
 * Ask, and wait for the answer, which takes the place of what is in @answer (may be NULL).
 * -ESRCH: no daemon there, or it ended before it had answered. -EBUSY: somebody holds the lock
 * but does not listen. -ETIMEDOUT: it does not answer within daemon_answer_ms(), or @ms. Else as
 * channel_ask(); @e says it all.
 */
int daemon_ask(const char *session_dir, const char *request, struct strbuf *answer,
	       struct op_error *e);
int daemon_ask_within(const char *session_dir, const char *request, int ms, struct strbuf *answer,
		      struct op_error *e);

/* How long a daemon that is well may take: longer for what writes all to a slow disk. [CC-14] */
int daemon_answer_ms(const char *request);

/* The value of "KEY VALUE" in an answer, into @buf (cut to @size); "" and false if not there. */
bool answer_value(const char *answer, const char *key, char *buf, size_t size);

/*
 * Hold the session's lock as the daemon would, so that none starts meanwhile.
 * Returns a descriptor for session_unlock(), -EBUSY while a daemon runs, or -errno.
 */
int session_lock(const char *session_dir, struct op_error *e);
void session_unlock(const char *session_dir, int fd);

/* Remove the lock file of a daemon that died. True if there was one. */
bool session_remove_stale_lock(const char *session_dir);

#endif

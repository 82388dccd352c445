/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemon_link.h - find the daemon of a session directory, and send it requests
 *
 * The daemon answers when the request is complete, so there are no marker files and no polling.
 * Requests and answers: doc/control.md.
 */
#ifndef CONTROL_OPCONTROL_DAEMON_LINK_H
#define CONTROL_OPCONTROL_DAEMON_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "libutil/error.h"
#include "libutil/strbuf.h"

/*
 * Whether a daemon runs there, even if it does not answer. Waits some seconds (or @wait_ms) for a
 * daemon that is starting or ending.
 */
bool daemon_runs(const char *session_dir);
bool daemon_runs_after(const char *session_dir, int wait_ms);

/*
 * Send a request and wait for the answer, which replaces the contents of @answer (may be NULL).
 * -ESRCH: no daemon runs, or it ended before it answered. -EBUSY: a process holds the lock but does
 * not listen. -ETIMEDOUT: no answer within daemon_answer_ms(), or @ms. Else as channel_ask().
 */
int daemon_ask(const char *session_dir, const char *request, struct strbuf *answer,
	       struct op_error *e);
int daemon_ask_within(const char *session_dir, const char *request, int ms, struct strbuf *answer,
		      struct op_error *e);

/* Time limit for an answer: longer for requests that write all samples to disk. [CC-14] */
int daemon_answer_ms(const char *request);

/* The value of "KEY VALUE" in an answer, truncated to @size; "" and false if it is missing. */
bool answer_value(const char *answer, const char *key, char *buf, size_t size);

/*
 * Take the session's lock, so that no daemon can start. Returns a descriptor for session_unlock(),
 * -EBUSY while a daemon runs, or -errno.
 */
int session_lock(const char *session_dir, struct op_error *e);
void session_unlock(const char *session_dir, int fd);

#endif

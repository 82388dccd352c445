/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * channel.h - requests and answers over a local socket
 *
 * A request is one line of text; the answer is any number of lines and then a last line
 * "ok" or "error TEXT". The kernel identifies the peer's user; what the peer sends is not trusted.
 * Limits: request CHANNEL_LINE_MAX bytes, answer CHANNEL_ANSWER_MAX bytes.
 */
#ifndef LIBUTIL_CHANNEL_H
#define LIBUTIL_CHANNEL_H

#include <stddef.h>
#include <sys/types.h>
#include "libutil/error.h"
#include "libutil/strbuf.h"

#define CHANNEL_LINE_MAX	4096
#define CHANNEL_ANSWER_MAX	(1024 * 1024)

/*
 * Listen at @path, which may be longer than sun_path. A socket file that no process listens on is
 * replaced; -EADDRINUSE if one does. Returns a non-blocking close-on-exec descriptor, or -errno.
 */
int channel_listen(const char *path, mode_t mode, struct op_error *e);

/* Accept one peer. Returns a non-blocking descriptor, -EAGAIN if none is waiting, or -errno. */
int channel_accept(int listen_fd, uid_t *ret_uid, pid_t *ret_pid);

/*
 * Send @request and wait up to @timeout_ms for the whole answer. 0: the answer is "ok", and the
 * lines before it are in @answer (may be NULL). -ECONNREFUSED or -ENOENT: nobody is listening.
 * -EREMOTEIO: the answer is "error", its text is in @e. -ETIMEDOUT: no answer in time. -EPROTO:
 * malformed or too long answer.
 */
int channel_ask(const char *path, const char *request, int timeout_ms, struct strbuf *answer,
		struct op_error *e);

#endif

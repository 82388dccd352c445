/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * channel.h - a local socket on which one program asks and another answers
 *
 * A request is one line of text; the answer is any number of lines and then a last line
 * "ok" or "error TEXT". The peer's user is known from the kernel, never from what it says.
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
 * Listen at @path (any length: longer than sun_path is reached through its folder).
 * A socket file that nobody answers on is replaced; -EADDRINUSE when somebody does.
 * Returns a non-blocking close-on-exec descriptor, or -errno.
 */
int channel_listen(const char *path, mode_t mode, struct op_error *e);

/*
 * Accept one peer and who it is. Descriptor (non-blocking), -EAGAIN when none waits, or -errno.
 */
int channel_accept(int listen_fd, uid_t *ret_uid, pid_t *ret_pid);

/*
 * Ask @request and wait up to @timeout_ms for the whole answer. 0: "ok", and the lines
 * before it are in @answer (may be NULL). -ECONNREFUSED or -ENOENT: nobody listens.
 * -EREMOTEIO: it answered "error", its text is in @e. -ETIMEDOUT, -EPROTO: as they say.
 */
int channel_ask(const char *path, const char *request, int timeout_ms, struct strbuf *answer,
		struct op_error *e);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process.h - the daemon as a process: one per session directory, in the background */
#ifndef DAEMON_PROCESS_H
#define DAEMON_PROCESS_H

#include "libutil/error.h"

/*
 * session_lock_take() and session_lock_sign() with messages; -EBUSY names the process that holds
 * the lock. To be signed when the daemon is ready.
 */
int lock_take(const char *session_dir, struct op_error *e);
int lock_sign(int lock_fd, const char *session_dir, struct op_error *e);

/*
 * Go to the background. The first process waits until the daemon calls daemonize_ready() (then it
 * exits with 0) or exits (1); the daemon keeps stderr until then, so that errors of the set-up
 * reach the terminal. Returns, in the daemon, the handle for daemonize_ready(), or -errno.
 */
int daemonize(void);
void daemonize_ready(int handle, int log_fd);

#endif

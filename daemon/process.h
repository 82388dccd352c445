/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process.h - the daemon as a process: one per session directory, in the background */
#ifndef DAEMON_PROCESS_H
#define DAEMON_PROCESS_H

#include <stdbool.h>
#include "libutil/error.h"

/*
 * Lock SD/lock for the life of this process. Returns its descriptor, or -EBUSY: another daemon
 * holds it, and @e has its pid. A stale lock file is reused.
 */
int lock_take(const char *session_dir, struct op_error *e);
/* Write our pid, in decimal without a newline. To be called when the daemon is ready. */
int lock_write_pid(int lock_fd, const char *session_dir, struct op_error *e);
/* Whether the lock file still exists: it, or the session directory, may have been removed. */
bool lock_is_ours(int lock_fd, const char *session_dir);
/* Remove the file while it is locked, so that nobody can lock a file that is about to vanish. */
void lock_remove(int lock_fd, const char *session_dir);

/*
 * Go to the background. The first process waits until the daemon calls daemonize_ready() (then it
 * exits with 0) or exits (1); the daemon keeps stderr until then, so that errors of the set-up
 * reach the terminal. Returns, in the daemon, the handle for daemonize_ready(), or -errno.
 */
int daemonize(void);
void daemonize_ready(int handle, int log_fd);

#endif

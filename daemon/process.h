/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process.h - the daemon as a process: one per session directory, in the background */
#ifndef DAEMON_PROCESS_H
#define DAEMON_PROCESS_H

#include <stdbool.h>
#include "libutil/error.h"

/*
 * Take SD/lock for the life of this process. Its descriptor, or -EBUSY: another daemon has it,
 * whose pid is told in @e. A lock file that nobody holds is taken over.
 */
int lock_take(const char *session_dir, struct op_error *e);
/* Our pid, decimal without newline: once all is ready. */
int lock_write_pid(int lock_fd, const char *session_dir, struct op_error *e);
/* Whether it still lies there: somebody may have removed it, or the session directory with it. */
bool lock_is_ours(int lock_fd, const char *session_dir);
/* The file goes while it is still locked, so nobody can take one that is about to vanish. */
void lock_remove(int lock_fd, const char *session_dir);

/*
 * Go to the background. The first process stays in here until the daemon calls
 * daemonise_ready() (exit status 0) or ends (1); stderr is its own until then, so what cannot be
 * set up is told at the terminal. Returns, in the daemon, what daemonise_ready() wants, or -errno.
 */
int daemonise(void);
void daemonise_ready(int handle, int log_fd);

#endif

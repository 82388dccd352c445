/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h - one process at a time uses a session directory: oprofiled, operf, or opcontrol
 *
 * SD/lock is flock()ed as long as the directory is used. Only its owner may open it, because
 * whoever can open a file can lock it. A lock file that nobody holds is stale: its process was
 * killed. [CC-31]
 */
#ifndef LIBDB_SESSION_LOCK_H
#define LIBDB_SESSION_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Take the lock; a stale file is reused and emptied. Returns its descriptor, -EBUSY: another
 * process holds it, or -errno. To release it, session_lock_remove() and close().
 */
int session_lock_take(const char *session_dir);

/* Write this process into the lock file: its pid, and what distinguishes it from later ones. */
int session_lock_sign(int lock_fd);

/* Whether the lock file still exists: it, or the session directory, may have been removed. */
bool session_lock_is_ours(int lock_fd, const char *session_dir);

/* Remove our file while it is locked, so that nobody can lock a file that is about to vanish. */
void session_lock_remove(int lock_fd, const char *session_dir);

/* Remove a stale lock file. False if there was none. */
bool session_lock_remove_stale(const char *session_dir);

/* Tests that run at the same time do not count. False also if the file may not be opened. */
bool session_lock_is_held(const char *session_dir);

/* The process that signed the lock; 0: unknown. Valid only while the lock is held. */
pid_t session_lock_pid(const char *session_dir);

/*
 * Send a signal to the process that signed the lock. -EPERM: the process that has this pid now did
 * not sign it, for it started at another time, runs another program or belongs to another user
 * than the file. -ESRCH: no process has the pid, or the lock is not signed.
 */
int session_lock_signal(const char *session_dir, int number);

#endif

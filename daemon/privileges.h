/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privileges.h - what the daemon may do after its start */
#ifndef DAEMON_PRIVILEGES_H
#define DAEMON_PRIVILEGES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "libutil/error.h"

/*
 * Give up all capabilities but those that sampling needs and @more (CAPABILITY(), or 0), and for
 * good, before any thread starts. Other users than root have none, or those of the program's file.
 */
int privileges_drop(const char *session_dir, uint64_t more, struct op_error *e);

/* As root: who records, while another process opens files (libutil/opener/start.h). */
struct recorder_user {
	bool is_other;			/* than this one */
	uid_t uid;
	gid_t gid;
	const char *why_not;		/* it is another */
	bool is_confined;		/* to writing the session; set by privileges_become() */
};

void privileges_choose_user(const char *session_dir, struct recorder_user *ret);

/* The capabilities of the process that opens files. */
uint64_t privileges_of_opener(void);

/*
 * The same as privileges_drop() as root, when that process has been started: become @user, and keep
 * only what that cannot do. First the session's files are given to @user. From then on no other
 * files can be written, nor programs executed, if the kernel has Landlock (5.19).
 */
int privileges_become(const char *session_dir, struct recorder_user *user, struct op_error *e);

/* Log who this is, and the capabilities that are in effect, also of who opens files. */
void privileges_log(const struct recorder_user *user);

#endif

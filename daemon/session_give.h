/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_give.h - give root's session files to the user that records */
#ifndef DAEMON_SESSION_GIVE_H
#define DAEMON_SESSION_GIVE_H

#include <sys/types.h>

/*
 * Make @uid the owner of the folder @path and of what root owns below it, on its file system.
 * Links, and files with a second name, are left alone. 0 or -errno.
 */
int session_give(const char *path, uid_t uid);

#endif

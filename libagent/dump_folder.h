/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump_folder.h - the folder for dumps of this user's processes */
#ifndef LIBAGENT_DUMP_FOLDER_H
#define LIBAGENT_DUMP_FOLDER_H

#include <sys/types.h>

/*
 * Create the file PID.dump for this process; one that an older process left is replaced. Returns
 * its descriptor or -errno. -EPERM: the folder belongs to another user, or others can write to it.
 */
int dump_folder_create(pid_t pid);

#endif

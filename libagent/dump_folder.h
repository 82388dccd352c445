/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump_folder.h - where a process of this user puts its dump */
#ifndef LIBAGENT_DUMP_FOLDER_H
#define LIBAGENT_DUMP_FOLDER_H

#include <sys/types.h>

/*
 * Create the file PID.dump for this process, in place of one that an older process left. Its
 * descriptor, or -errno: -EPERM if what is in the way belongs to somebody else, or others may write
 * there.
 */
int dump_folder_create(pid_t pid);

#endif

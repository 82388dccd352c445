/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_files.h - read those files of /proc/PID for which a process can keep us waiting
 *
 * Its maps, and what they map, are found under a lock of its memory, which it can hold for long.
 * Opening what its links lead to may ask a server on the network that hangs. So this is done by
 * brief errands (libutil/errand.h). A process that has let one wait too long is set aside for a
 * second: -EAGAIN, also if too many are. Only for one thread of the program.
 */
#ifndef DAEMON_COLLECT_PERF_PROC_FILES_H
#define DAEMON_COLLECT_PERF_PROC_FILES_H

#include <stddef.h>
#include <stdint.h>
#include "libutil/opener/ask.h"

/* @proc: "/proc", or a folder like it; the string stays. */

/* All of @proc/@tgid/maps, NUL terminated and freed by the caller. -EFBIG: more than @limit. */
int proc_files_read_maps(const char *proc, uint32_t tgid, size_t limit, char **ret);

/* opener_program(), for a @path of PATH_MAX bytes. */
int proc_files_read_program(const char *proc, uint32_t tgid, char *path, int *handle);

/* A handle of @proc/@tgid/root, or -errno. */
int proc_files_open_root(const char *proc, uint32_t tgid);

/* Set the handles of all @nr mappings, up to OPENER_RANGES_MAX. */
void proc_files_open(const char *proc, uint32_t tgid, struct opener_mapping *mappings, size_t nr);

#endif

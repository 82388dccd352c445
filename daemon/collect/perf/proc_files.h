/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_files.h - read those files of /proc/PID for which a process can keep us waiting
 *
 * Its maps, and what they map, are found under a lock of its memory, which it can hold for long. So
 * they are read by timed calls (libutil/timed_call.h). A process that has let one wait too long is
 * set aside for a second: -EAGAIN, also if too many are. Only for one thread of the program.
 */
#ifndef DAEMON_COLLECT_PERF_PROC_FILES_H
#define DAEMON_COLLECT_PERF_PROC_FILES_H

#include <stddef.h>
#include <stdint.h>
#include "libutil/opener/ask.h"

/* @proc: "/proc", or a folder like it. */

/* All of @proc/@tgid/maps, NUL terminated and freed by the caller. -EFBIG: more than @limit. */
int proc_files_read_maps(const char *proc, uint32_t tgid, size_t limit, char **ret);

/* Set the handles of all @nr mappings, up to OPENER_RANGES_MAX. */
void proc_files_open(const char *proc, uint32_t tgid, struct opener_mapping *mappings, size_t nr);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups.h - control groups of processes: --separate=cgroup
 *
 * Read from /proc/TGID/cgroup when a process is first sampled, again after each exec, and every few
 * seconds, for processes are moved (a container's first one is, before its exec). A process that is
 * gone before its samples are looked at is in the group that it was seen in last, else in none.
 */
#ifndef CGROUPS_H
#define CGROUPS_H

#include <stddef.h>
#include "op_abi.h"

struct cgroups;

/* @proc: NULL for "/proc". */
struct cgroups *cgroups_new(const char *proc);
void cgroups_free(struct cgroups *c);		/* NULL is fine */

/*
 * The path of the group of process @tgid, which executes @app. Equal paths are one pointer, valid
 * until cgroups_free(). NULL: not known.
 */
const char *cgroups_of(struct cgroups *c, uint32_t tgid, op_word app);

/*
 * The one path of @text, as in /proc/PID/cgroup, which is spoiled: that of version 2's hierarchy;
 * if this is its root, of version 1's named hierarchy, or the first with another. NULL: none.
 */
char *cgroup_path(char *text);

#endif

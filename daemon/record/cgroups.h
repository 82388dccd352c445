/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups.h - control groups of processes: --separate=cgroup
 *
 * Read from /proc/TGID/cgroup when a process is first sampled, again after each exec, and every few
 * seconds, for processes are moved (a container's first one is, before its exec). A process that is
 * gone before its samples are looked at is in the group that it was seen in last, else in none.
 * Where the collector tells a group with the sample, that is it. [SS-63]
 */
#ifndef DAEMON_RECORD_CGROUPS_H
#define DAEMON_RECORD_CGROUPS_H

#include <stddef.h>
#include <stdint.h>
#include "oprofilefs/op_abi.h"

struct cgroups;
struct collector;

/* @proc: NULL for "/proc". @collector: who may know the path of a group's id; or NULL. */
struct cgroups *cgroups_new(const char *proc, struct collector *collector);
void cgroups_free(struct cgroups *c);		/* NULL is fine */

/*
 * The path of the group of process @tgid, which executes @app. @id: of the group, if it was told
 * with the sample, or 0. Equal paths are one pointer, valid until cgroups_free(). NULL: not known.
 */
const char *cgroups_of(struct cgroups *c, uint32_t tgid, op_word app, uint64_t id);

/*
 * The one path of @text, as in /proc/PID/cgroup, which is spoiled: that of version 2's hierarchy;
 * if this is its root, of version 1's named hierarchy, or the first with another. NULL: none.
 */
char *cgroup_path(char *text);

#endif

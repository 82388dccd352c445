/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups.h - control groups of processes: --separate=cgroup
 *
 * Read from /proc/TGID/cgroup when a process is first sampled, after each exec, and every few
 * seconds, because processes are moved (the first one of a container is, before its exec). A
 * process that ended before its samples were decoded is in the group that was read last, or in
 * none. If the collector adds a group to the sample, that is used instead. [SS-63]
 */
#ifndef DAEMON_RECORD_CGROUPS_H
#define DAEMON_RECORD_CGROUPS_H

#include <stddef.h>
#include <stdint.h>
#include "oprofilefs/op_abi.h"

struct cgroups;
struct collector;

/* @proc: NULL for "/proc". @collector may know the paths of groups' ids; or NULL. */
struct cgroups *cgroups_new(const char *proc, struct collector *collector);
void cgroups_free(struct cgroups *c);		/* NULL is fine */

/*
 * The path of the group of process @tgid, which executes @app. @id: the group's, if the sample has
 * it, or 0. Equal paths are one pointer, valid until cgroups_free(). NULL: not known.
 */
const char *cgroups_of(struct cgroups *c, uint32_t tgid, op_word app, uint64_t id);

/*
 * Choose the path from @text, the contents of /proc/PID/cgroup, which is modified: the one in
 * version 2's hierarchy; if that is the root, the one in version 1's named hierarchy, or the first
 * that is not a root. NULL: none.
 */
char *cgroup_path(char *text);

#endif

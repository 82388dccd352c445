/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_handle.h - look up the path of a control group by its id, the file handle of its folder
 *
 * Only for the version 2 hierarchy, if it is mounted, and while the group exists.
 */
#ifndef DAEMON_COLLECT_CGROUP_HANDLE_H
#define DAEMON_COLLECT_CGROUP_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup_mount {
	char *path;			/* NULL: none */
	int fd;				/* -1: none */
};

/* Find and open the mount. False: not found. Close it in either case. */
bool cgroup_mount_open(struct cgroup_mount *m);
void cgroup_mount_close(struct cgroup_mount *m);

/* Malloc'd, as in /proc/PID/cgroup. NULL: removed, or not permitted (CAP_DAC_READ_SEARCH). */
char *cgroup_handle_path(const struct cgroup_mount *m, uint64_t id);

/* Whether we are in the initial control group namespace, so that our paths are the kernel's. */
bool cgroup_paths_are_whole(void);

#endif

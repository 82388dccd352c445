/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup_handle.h - the path of a control group by its id, which is its folder's file handle
 *
 * Of version 2's hierarchy, where that is mounted, and as long as the group is there.
 */
#ifndef DAEMON_COLLECT_CGROUP_HANDLE_H
#define DAEMON_COLLECT_CGROUP_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup_mount {
	char *path;			/* NULL: none */
	int fd;				/* -1: none */
};

/* Find and open it. False: there is none. To be closed in any case. */
bool cgroup_mount_open(struct cgroup_mount *m);
void cgroup_mount_close(struct cgroup_mount *m);

/* Malloc'd, as in /proc/PID/cgroup. NULL: gone, or no right to look (CAP_DAC_READ_SEARCH). */
char *cgroup_handle_path(const struct cgroup_mount *m, uint64_t id);

/* Whether we see paths as the kernel itself does: in the first control group namespace. */
bool cgroup_paths_are_whole(void);

#endif

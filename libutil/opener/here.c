// SPDX-License-Identifier: GPL-2.0-or-later
/* here.c - what is asked for, done by this process */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libutil/number.h"
#include "libutil/opener/ask.h"
#include "libutil/xalloc.h"

#define KERNFS_HANDLE	0xfe		/* the handle is just the 64-bit id */

struct id_handle {
	struct file_handle handle;
	uint64_t id;
};

_Static_assert(sizeof(struct id_handle) == sizeof(struct file_handle) + sizeof(uint64_t),
	       "the id is at the handle's bytes");

int opener_cgroup_here(int mount, uint64_t id)
{
	struct id_handle h = { .handle.handle_bytes = sizeof(h.id),
			       .handle.handle_type = KERNFS_HANDLE, .id = id };
	int fd = open_by_handle_at(mount, &h.handle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int opener_give_here(int fd, uid_t uid, gid_t gid, mode_t mode)
{
	return fchown(fd, uid, gid) || fchmod(fd, mode) ? -errno : 0;
}

int opener_perf_event_here(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int opener_list_here(const char *proc, uint32_t after, uint32_t *pids)
{
	DIR *dir = opendir(proc);
	struct dirent *entry;
	int nr = 0;

	if (!dir)
		return -errno;
	while (nr < OPENER_PIDS_MAX && (entry = readdir(dir))) {	/* by number */
		uint64_t pid;

		if (!number_parse_range(entry->d_name, 1, INT_MAX, &pid) && pid > after)
			pids[nr++] = (uint32_t)pid;
	}
	closedir(dir);
	return nr;
}

void opener_map_files_here(const char *proc, uint32_t pid, struct opener_mapping *mappings,
			   size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct opener_mapping *m = &mappings[i];
		char *path = xasprintf("%s/%u/map_files/%" PRIx64 "-%" PRIx64, proc, pid,
				       m->start, m->end);

		m->handle = open(path, O_PATH | O_CLOEXEC);
		if (m->handle < 0)
			m->handle = -errno;
		free(path);
	}
}

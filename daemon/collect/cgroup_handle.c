// SPDX-License-Identifier: GPL-2.0-or-later
/* cgroup_handle.c - open control groups by file handle, and read their paths */
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "daemon/collect/cgroup_handle.h"
#include "libutil/opener/ask.h"
#include "libutil/xalloc.h"

#define FIRST_NAMESPACE	"cgroup:[4026531835]"

bool cgroup_mount_open(struct cgroup_mount *m)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;

	*m = (struct cgroup_mount){ .fd = -1 };
	while (mounts && m->fd < 0 && (entry = getmntent(mounts))) {
		if (strcmp(entry->mnt_type, "cgroup2"))
			continue;
		m->fd = open(entry->mnt_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (m->fd >= 0)
			m->path = xstrdup(entry->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	return m->fd >= 0;
}

void cgroup_mount_close(struct cgroup_mount *m)
{
	if (m->fd >= 0)
		close(m->fd);
	free(m->path);
	*m = (struct cgroup_mount){ .fd = -1 };
}

char *cgroup_handle_path(const struct cgroup_mount *m, uint64_t id)
{
	char link[32], path[PATH_MAX];
	size_t prefix;
	ssize_t n;
	int fd;

	if (m->fd < 0)
		return NULL;
	fd = opener_cgroup(m->fd, id);
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	close(fd);
	prefix = strlen(m->path);
	if (n < (ssize_t)prefix || memcmp(path, m->path, prefix))
		return NULL;
	path[n] = '\0';
	return xstrdup(path[prefix] ? path + prefix : "/");
}

bool cgroup_paths_are_whole(void)
{
	char name[sizeof(FIRST_NAMESPACE) + 1];
	ssize_t n = readlink("/proc/self/ns/cgroup", name, sizeof(name));

	return n == sizeof(FIRST_NAMESPACE) - 1 && !memcmp(name, FIRST_NAMESPACE, n);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* quiet_path.c - openat2(2) with RESOLVE_CACHED, if the kernel has it, and O_NONBLOCK */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libutil/quiet_path.h"

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED	0x20
#endif

int quiet_open(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED };
	int fd;

	if (root != AT_FDCWD)
		how.resolve |= RESOLVE_IN_ROOT;
	fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EINVAL)) {
		while (root != AT_FDCWD && *path == '/')
			path++;
		fd = openat(root, path, O_PATH | O_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

int quiet_open_file(int handle)
{
	char self[64];
	int fd;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", handle);
	fd = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* quiet_path.c - openat2(2) with RESOLVE_CACHED, if the kernel has it, and O_NONBLOCK */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "libutil/errand.h"
#include "libutil/opener/ask.h"
#include "libutil/quiet_path.h"

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED	0x20
#endif

/* After @err. With RESOLVE_CACHED a folder that may not be searched is -EAGAIN, too. */
static int open_by_opener(int root, const char *path, bool below, int err)
{
	if ((err != -EACCES && err != -EAGAIN) || !opener_is_used())
		return err;
	return opener_path(root, path, below);
}

int quiet_open(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED };
	const char *at = path;
	int fd;

	if (root != AT_FDCWD)
		how.resolve |= RESOLVE_IN_ROOT;
	fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EINVAL)) {
		while (root != AT_FDCWD && *at == '/')
			at++;
		fd = openat(root, at, O_PATH | O_CLOEXEC);
	}
	return fd < 0 ? open_by_opener(root, path, false, -errno) : fd;
}

int quiet_open_below(int folder, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	int fd = syscall(SYS_openat2, folder, path, &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS && !strchr(path, '/'))
		fd = openat(folder, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? open_by_opener(folder, path, true, -errno) : fd;
}

static int open_file(struct errand *errand)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", errand->fd);
	errand->opened = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (errand->opened < 0 && errno == EACCES && opener_is_used())
		errand->opened = opener_file(errand->fd);
	else if (errand->opened < 0)
		errand->opened = -errno;
	return errand->opened < 0 ? errand->opened : 0;
}

int quiet_open_file(int handle)
{
	struct errand errand = { .run = open_file, .place = errand_place(handle), .fd = handle };
	int err = errand_run(&errand, sizeof(errand));

	return err ? err : errand.opened;
}

struct identification {
	struct errand errand;
	struct build_id id;
};

static int read_build_id(struct errand *errand)
{
	struct identification *i = (struct identification *)errand;

	return build_id_read_fd(errand->fd, &i->id);
}

int quiet_build_id(int fd, struct build_id *ret)
{
	struct identification i = {
		.errand = { .run = read_build_id, .place = errand_place(fd), .fd = fd },
	};
	int err = errand_run(&i.errand, sizeof(i));

	if (!err)
		*ret = i.id;
	return err;
}

int quiet_stat(int fd, struct stat *ret)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &st))
		return -errno;
	*ret = (struct stat){
		.st_dev = makedev(st.stx_dev_major, st.stx_dev_minor),
		.st_ino = st.stx_ino,
		.st_mode = st.stx_mode,
		.st_nlink = st.stx_nlink,
		.st_uid = st.stx_uid,
		.st_gid = st.stx_gid,
		.st_size = (off_t)st.stx_size,
		.st_mtim = { st.stx_mtime.tv_sec, st.stx_mtime.tv_nsec },
		.st_ctim = { st.stx_ctime.tv_sec, st.stx_ctime.tv_nsec },
	};
	return 0;
}

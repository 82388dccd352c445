// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file_reserved.c - files that can be written when the disk is full
 *
 * A spare file with allocated blocks lies beside the file. If there is no room for a new version,
 * the spare is overwritten and becomes the new version, and the old version becomes the next
 * spare: nothing is allocated or freed, so nobody else can take the room meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libutil/file.h"
#include "libutil/xalloc.h"

static char *spare_of(const char *path)
{
	return xasprintf("%s.spare", path);
}

static int open_spare(const char *spare, int flags)
{
	int fd = open(spare, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | flags, 0600);

	return fd < 0 ? -errno : fd;
}

int file_reserve(const char *path, size_t bytes)
{
	char *spare = spare_of(path);
	int fd = open_spare(spare, O_CREAT), err = fd < 0 ? fd : 0;
	struct stat st;

	if (!err)
		err = -posix_fallocate(fd, 0, (off_t)bytes);
	if (err && fd >= 0 && !fstat(fd, &st) && !st.st_size)
		unlink(spare);		/* an empty spare is useless */
	if (fd >= 0)
		close(fd);
	free(spare);
	return err;
}

void file_give_up_reserve(const char *path)
{
	char *spare = spare_of(path);

	unlink(spare);
	free(spare);
}

static int fill_spare(const char *spare, const void *bytes, size_t n, mode_t mode, off_t *ret_size)
{
	int fd = open_spare(spare, 0), err;
	struct stat st;

	if (fd < 0)
		return fd;
	err = fstat(fd, &st) ? -errno : file_write_fd(fd, bytes, n);
	if (!err && (ftruncate(fd, (off_t)n) || fchmod(fd, mode)))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err)
		*ret_size = st.st_size;
	return err;
}

/* A reader that has the old version open may see it overwritten by the next version but one. */
static int write_spare(const char *path, const void *bytes, size_t n, mode_t mode)
{
	char *spare = spare_of(path);
	off_t size;
	int err = fill_spare(spare, bytes, n, mode, &size);

	if (!err && renameat2(AT_FDCWD, spare, AT_FDCWD, path, RENAME_EXCHANGE) &&
	    rename(spare, path))
		err = -errno;
	if (!err)
		(void)file_reserve(path, (size_t)size);	/* the old version may be shorter */
	free(spare);
	return err;
}

int file_write_reserved(const char *path, const void *bytes, size_t n, mode_t mode)
{
	int err = file_write_atomic(path, bytes, n, mode);

	if ((err == -ENOSPC || err == -EDQUOT) && !write_spare(path, bytes, n, mode))
		err = 0;
	return err;
}

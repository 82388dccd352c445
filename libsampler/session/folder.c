// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folder.c - refuse a session directory that other users could change
 *
 * A user who may rename files in it could redirect our writes to any file of ours. [SM-68]
 */
#include "libsampler/session/folder.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ELSEWHERE	"; choose a directory of your own"

static bool others_may_rename(const struct stat *st)
{
	bool group = (st->st_mode & S_IWGRP) && st->st_gid != getegid();

	return (group || (st->st_mode & S_IWOTH)) && !(st->st_mode & S_ISVTX);
}

int session_folder_check(const char *path, struct op_error *e)
{
	struct stat st;

	if (lstat(path, &st))
		return op_error_set(e, -errno, "cannot stat '%s': %s", path, strerror(errno));
	if (S_ISLNK(st.st_mode) && st.st_uid != geteuid() && st.st_uid)
		return op_error_set(e, -EPERM, "'%s' is a link of another user" ELSEWHERE, path);
	if (stat(path, &st))
		return op_error_set(e, -errno, "cannot stat '%s': %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return op_error_set(e, -ENOTDIR, "'%s' is not a directory", path);
	if (st.st_uid != geteuid())
		return op_error_set(e, -EPERM, "'%s' belongs to another user" ELSEWHERE, path);
	if (others_may_rename(&st))
		return op_error_set(e, -EPERM, "'%s' is writable by other users" ELSEWHERE,
				    path);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folder.c - a session directory that somebody else could change under our feet
 *
 * Who may rename what is in there can have us write wherever we may. [SM-68]
 */
#include "libsampler/session/folder.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ELSEWHERE	"; choose a folder of your own"

static bool others_may_rename(const struct stat *st)
{
	bool group = (st->st_mode & S_IWGRP) && st->st_gid != getegid();

	return (group || (st->st_mode & S_IWOTH)) && !(st->st_mode & S_ISVTX);
}

int session_folder_check(const char *path, struct op_error *e)
{
	struct stat st;

	if (lstat(path, &st))
		return op_error_set(e, -errno, "'%s': %s", path, strerror(errno));
	if (S_ISLNK(st.st_mode) && st.st_uid != geteuid() && st.st_uid)
		return op_error_set(e, -EPERM, "'%s' is another user's link" ELSEWHERE, path);
	if (stat(path, &st))
		return op_error_set(e, -errno, "'%s': %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return op_error_set(e, -ENOTDIR, "'%s' is no folder", path);
	if (st.st_uid != geteuid())
		return op_error_set(e, -EPERM, "'%s' is another user's" ELSEWHERE, path);
	if (others_may_rename(&st))
		return op_error_set(e, -EPERM, "'%s' may be changed by other users" ELSEWHERE,
				    path);
	return 0;
}

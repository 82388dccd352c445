// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_give.c - see session_give.h
 *
 * By descriptor: a session may have been @uid's before, who could replace a folder by a link while
 * it is given.
 */
#include "daemon/session_give.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX	512		/* folders: an image's path twice, and more; others stay */

struct giving {
	uid_t uid;
	dev_t device;
};

static int give_folder(const struct giving *g, int folder, unsigned int depth);

/* Closes @handle. */
static int give_one(const struct giving *g, int handle, unsigned int depth)
{
	int folder, err = 0;
	struct stat st;
	bool is_ours;

	if (fstat(handle, &st) || st.st_dev != g->device) {
		close(handle);
		return 0;
	}
	is_ours = !st.st_uid && (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && st.st_nlink == 1));
	if (is_ours && fchownat(handle, "", g->uid, (gid_t)-1, AT_EMPTY_PATH))
		err = -errno;
	if (!err && S_ISDIR(st.st_mode) && (is_ours || st.st_uid == g->uid)) {
		folder = openat(handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		err = folder < 0 ? -errno : give_folder(g, folder, depth);
	}
	close(handle);
	return err;
}

/* Closes @folder. */
static int give_folder(const struct giving *g, int folder, unsigned int depth)
{
	DIR *dir = depth < DEPTH_MAX ? fdopendir(folder) : NULL;
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		close(folder);
		return depth < DEPTH_MAX ? -ENOMEM : 0;
	}
	while (!err && (entry = readdir(dir))) {
		int handle;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		handle = openat(dirfd(dir), entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (handle >= 0)
			err = give_one(g, handle, depth + 1);
	}
	closedir(dir);
	return err;
}

int session_give(const char *path, uid_t uid)
{
	int handle = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct giving g = { .uid = uid };
	struct stat st;

	if (handle < 0 || fstat(handle, &st))
		return -errno;
	g.device = st.st_dev;
	return give_one(&g, handle, 0);
}

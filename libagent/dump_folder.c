// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dump_folder.c - create the user's folder for dumps without trusting anything in /tmp
 *
 * Environment variables are not used: the profiler must find the folder from the user ID alone
 * [JT-11].
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libagent/dump_folder.h"

#define OPEN_FOLDER	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Open the folder @name in @parent, creating it if needed. -EPERM: other users can write to it. */
static int open_own_folder(int parent, const char *name)
{
	struct stat st;
	int fd;

	if (mkdirat(parent, name, 0700) && errno != EEXIST)
		return -errno;
	fd = openat(parent, name, OPEN_FOLDER);
	if (fd < 0)
		return errno == ELOOP || errno == ENOTDIR ? -EPERM : -errno;
	if (fstat(fd, &st) || st.st_uid != geteuid() || st.st_mode & 022) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/* Open @top/@first/jitdump. @own: @top itself must belong to this user. */
static int open_folder(const char *top, const char *first, bool own)
{
	int folder, fd, parent = open(top, OPEN_FOLDER);
	struct stat st;

	if (parent < 0)
		return -errno;
	if (own && (fstat(parent, &st) || st.st_uid != geteuid() || st.st_mode & 022)) {
		close(parent);
		return -EPERM;
	}
	folder = open_own_folder(parent, first);
	close(parent);
	if (folder < 0)
		return folder;
	fd = open_own_folder(folder, "jitdump");
	close(folder);
	return fd;
}

static int create(int folder, pid_t pid)
{
	char name[32];
	int fd = -1;

	snprintf(name, sizeof(name), "%d.dump", (int)pid);
	for (int tries = 0; fd < 0 && tries < 3; tries++) {
		fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && (errno != EEXIST || (unlinkat(folder, name, 0) && errno != ENOENT)))
			break;
	}
	return fd < 0 ? -errno : fd;
}

int dump_folder_create(pid_t pid)
{
	char top[40], first[40];
	int folder, fd;

	snprintf(top, sizeof(top), "/run/user/%u", (unsigned int)geteuid());
	folder = open_folder(top, "oprofile", true);
	if (folder < 0) {
		snprintf(first, sizeof(first), "oprofile-%u", (unsigned int)geteuid());
		folder = open_folder("/tmp", first, false);
	}
	if (folder < 0)
		return folder;
	fd = create(folder, pid);
	close(folder);
	return fd;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own_mounts.h - a mount namespace of a test's own, which goes with the test */
#ifndef OWN_MOUNTS_H
#define OWN_MOUNTS_H

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mount.h>
#include <unistd.h>

#define PATH_DEPTH_MAX	4096

static inline bool make_mounts_private(void)
{
	return !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

/*
 * In a chroot whose root is a plain folder that takes a mount point above it: a working directory
 * outside of the root, as it is after chroot() to a folder below, leads up there.
 */
static inline bool make_mounts_private_above(void)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int back = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool done;

	if (root < 0 || back < 0 || chroot("/proc") || fchdir(root))
		return false;
	for (int i = 0; i < PATH_DEPTH_MAX; i++)
		(void)!chdir("..");
	done = !chroot(".") && make_mounts_private();
	done &= !fchdir(root) && !chroot(".") && !fchdir(back);
	close(root);
	close(back);
	return done;
}

/* False: no rights. Nothing that is mounted from now on is seen elsewhere. */
static inline bool own_mounts(void)
{
	return !unshare(CLONE_NEWNS) && (make_mounts_private() || make_mounts_private_above());
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quiet_path.h - open and identify other users' files without waiting for anybody
 *
 * Any user may execute a file on a FUSE file system that their own program serves. If that program
 * never answers, looking up a path there would block the daemon forever. The names of a file that
 * was just executed are in the kernel's dentry cache, so the lookup uses only the cache. What may
 * ask a server on the network is an errand (errand.h): -ETIMEDOUT if its file system hangs. What
 * this process may not open its opener does, if it has one (opener/ask.h).
 */
#ifndef LIBUTIL_QUIET_PATH_H
#define LIBUTIL_QUIET_PATH_H

#include <sys/stat.h>
#include "libutil/build_id.h"

/*
 * An O_PATH descriptor of the absolute @path below the folder @root (AT_FDCWD: our own root).
 * -EAGAIN: not in the cache. Kernels before 5.12 do a normal lookup, which may block.
 */
int quiet_open(int root, const char *path);

/*
 * The same for the relative @path below the folder @folder, without following links or crossing
 * mounts, so that it is on the folder's file system.
 */
int quiet_open_below(int folder, const char *path);

/*
 * A descriptor to read the regular file of the O_PATH descriptor @handle, which stays open.
 * -EAGAIN: another process has a lease on the file. Its owner can take one and keep it until the
 * kernel breaks it (fs.lease-break-time, 45 s), for which an ordinary open() waits.
 */
int quiet_open_file(int handle);

/* build_id_read_fd(), and fstat() as far as the kernel knows the file. 0 or -errno. */
int quiet_build_id(int fd, struct build_id *ret);
int quiet_stat(int fd, struct stat *ret);

#endif

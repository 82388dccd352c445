/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quiet_path.h - from a path to its file without asking the server of any file system
 *
 * Any user may execute a file that lies on a file system served by a program of his own (FUSE).
 * Where that never answers, walking there would keep the daemon waiting for ever. A file that was
 * just executed has its names in the kernel's cache, so only those are walked.
 */
#ifndef LIBUTIL_QUIET_PATH_H
#define LIBUTIL_QUIET_PATH_H

/*
 * An O_PATH descriptor of the absolute @path, seen from the folder @root (AT_FDCWD: our own root).
 * -EAGAIN: not in the cache. Kernels before 5.12 walk as usual, and may wait.
 */
int quiet_open(int root, const char *path);

#endif

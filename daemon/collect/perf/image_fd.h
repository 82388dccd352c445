/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image_fd.h - open exactly the file that an image was mapped from */
#ifndef DAEMON_COLLECT_PERF_IMAGE_FD_H
#define DAEMON_COLLECT_PERF_IMAGE_FD_H

#include "daemon/collect/perf/cookies.h"
#include "daemon/collect/perf/process.h"

/*
 * A read-only close-on-exec descriptor; the caller closes it. The file is searched for where the
 * image is still mapped, then under its path as seen by its process, by that process's parent and
 * by us. A file of another build or inode is never returned [PC-23]. -ESTALE: not found.
 */
int perf_image_open(const struct perf_processes *p, const struct perf_image *image);

#endif

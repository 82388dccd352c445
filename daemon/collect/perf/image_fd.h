/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image_fd.h - open the very file that an image was mapped from */
#ifndef DAEMON_COLLECT_PERF_IMAGE_FD_H
#define DAEMON_COLLECT_PERF_IMAGE_FD_H

#include "daemon/collect/perf/cookies.h"
#include "daemon/collect/perf/process.h"

/*
 * A read-only close-on-exec descriptor, the caller's. It is looked for where the image is still
 * mapped, then under its path as its process, that one's parent and we ourselves see it; a
 * file of another build or inode is never taken for it [PC-23]. -ESTALE: not to be had.
 */
int perf_image_open(const struct perf_processes *p, const struct perf_image *image);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* small_disk.h - a file system of a test's own, to be filled */
#ifndef TESTS_UNIT_SMALL_DISK_H
#define TESTS_UNIT_SMALL_DISK_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "tests/tap.h"
#include "tests/unit/own_mounts.h"
#include "tests/unit/tmpdir.h"

/* Over tmpdir, with tmpfs's @options, in a mount namespace that goes with the test; or skip. */
static inline void small_disk_mount(const char *options)
{
	if (!own_mounts() || mount("none", tmpdir, "tmpfs", 0, options))
		SKIP("needs root, to mount a small file system");
}

#define SMALL_DISK_MAX	(UINT64_C(1) << 30)	/* bytes: a larger one is the machine's own */

/* To the last page: appends to the file @path. */
static inline void small_disk_fill(const char *path)
{
	static const char page[4096] = "x";
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	struct statvfs fs;

	if (fstatvfs(fd, &fs) || (uint64_t)fs.f_blocks * fs.f_frsize > SMALL_DISK_MAX) {
		CHECK(false, "'%s' is not on the small disk", path);
		exit(1);
	}
	while (write(fd, page, sizeof(page)) == sizeof(page))
		;
	close(fd);
}

#endif

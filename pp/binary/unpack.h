/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unpack.h - files compressed with xz or zstd, as kernel modules are installed [SY-12] */
#ifndef PP_BINARY_UNPACK_H
#define PP_BINARY_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include "libutil/error.h"

#define LARGEST_UNPACKED	(256 * 1024 * 1024)	/* bytes */

bool file_is_packed(const char *path);		/* by its name */

/*
 * Unpack @fd, which is @path; *ret is malloc'd. -ENOEXEC: the data is invalid. The reason is in @e.
 */
int file_unpack(int fd, const char *path, unsigned char **ret, size_t *ret_size,
		struct op_error *e);

/* The descriptor of a file in memory, for libraries that read only files; -1 with errno. */
int memory_file(const void *bytes, size_t size);

#endif

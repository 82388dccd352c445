/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unpack.h - files as distributions install kernel modules: packed, with xz or zstd [SY-12] */
#ifndef PP_BINARY_UNPACK_H
#define PP_BINARY_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include "libutil/error.h"

#define LARGEST_UNPACKED	(256 * 1024 * 1024)	/* bytes, of symbols or a module */

bool file_is_packed(const char *path);		/* by its name */

/* What is in @path, which is packed, malloc'd. -ENOEXEC: it cannot be unpacked; @e says why. */
int file_unpack(const char *path, unsigned char **ret, size_t *ret_size, struct op_error *e);

/* A file in memory with these bytes, for libraries that read files only: its descriptor, or -1. */
int memory_file(const void *bytes, size_t size);

#endif

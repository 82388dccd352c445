/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unpack_xz.h - unpack xz: .gnu_debugdata sections and kernel modules */
#ifndef PP_BINARY_UNPACK_XZ_H
#define PP_BINARY_UNPACK_XZ_H

#include <stddef.h>

/*
 * Unpack @size bytes into *ret, malloc'd, at most @limit bytes.
 * -EINVAL: not xz, or damaged. -EFBIG: longer than @limit, or needs more memory than that.
 */
int unpack_xz(const void *packed, size_t size, size_t limit, unsigned char **ret,
	      size_t *ret_size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unpack_zst.h - what is zstd inside: kernel modules */
#ifndef PP_BINARY_UNPACK_ZST_H
#define PP_BINARY_UNPACK_ZST_H

#include <stddef.h>

/*
 * Unpack @size bytes into *ret, malloc'd, never more than @limit bytes of it.
 * -EINVAL: not zstd, cut short or damaged. -EFBIG: longer than @limit, or wants a window beyond its
 * library's. -ELIBACC: libzstd.so.1 is not there.
 */
int unpack_zst(const void *packed, size_t size, size_t limit, unsigned char **ret,
	       size_t *ret_size);

#endif

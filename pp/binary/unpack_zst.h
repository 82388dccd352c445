/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unpack_zst.h - unpack zstd: kernel modules */
#ifndef PP_BINARY_UNPACK_ZST_H
#define PP_BINARY_UNPACK_ZST_H

#include <stddef.h>

/*
 * Unpack @size bytes into *ret, malloc'd, at most @limit bytes.
 * -EINVAL: not zstd, truncated or damaged. -EFBIG: longer than @limit, or its window is larger than
 * @limit needs, 8 MB at least, or than libzstd's limit.
 */
int unpack_zst(const void *packed, size_t size, size_t limit, unsigned char **ret,
	       size_t *ret_size);

#endif

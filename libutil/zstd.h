/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zstd.h - compress bytes in memory */
#ifndef LIBUTIL_ZSTD_H
#define LIBUTIL_ZSTD_H

#include <stddef.h>

/*
 * Compress @n bytes into one frame with a checksum, *ret_n bytes in *ret, the caller's to free.
 * @level: zstd's own, 1 to 19. 0 or -ENOMEM.
 */
int zstd_pack(const void *bytes, size_t n, int level, void **ret, size_t *ret_n);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crc32c.h - the checksum of Castagnoli's polynomial, as iSCSI and ext4 have it */
#ifndef FEEDBACK_XPROF_CRC32C_H
#define FEEDBACK_XPROF_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Of @bytes after what gave @crc; 0 to begin with. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t size);

#endif

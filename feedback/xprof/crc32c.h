/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crc32c.h - CRC with Castagnoli's polynomial, as in iSCSI and ext4 */
#ifndef FEEDBACK_XPROF_CRC32C_H
#define FEEDBACK_XPROF_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continue @crc, which starts with 0, with @size @bytes. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols_pack.h - of an ELF file what names its code, as a small ELF file
 *
 * What its sections are and where they are is kept, so that places in the file mean the same; bytes
 * only of symbol tables, linkage tables, notes, and if there is no table of all functions, of what
 * else says where they begin. It is compressed by zstd [HI-28].
 */
#ifndef DAEMON_HISTORY_SYMBOLS_PACK_H
#define DAEMON_HISTORY_SYMBOLS_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include "libutil/elf_file.h"

#define SYMBOLS_UNPACKED_MAX	((size_t)256 << 20)	/* bytes: readers unpack no more */

/*
 * *ret is malloc'd. @lines: also debug information and call frame information. -EPROTO: malformed;
 * -ENODATA: no sections; -EFBIG; -ENOMEM; or an error of reading.
 */
int symbols_pack(const struct elf_file *f, bool lines, void **ret, size_t *ret_n);

#endif

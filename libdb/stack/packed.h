/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packed.h - the records of a packed stack store [ST-16] */
#ifndef LIBDB_STACK_PACKED_H
#define LIBDB_STACK_PACKED_H

#include "libdb/stack/file.h"
#include "libutil/strbuf.h"

#define STACK_EXPANSION_MAX 16		/* bytes of records for each byte of a packed file */

/* Append the packed form of @log's records, which are checked, to @out. -ENOMEM. */
int stack_pack(const struct stack_log *log, struct strbuf *out);

/*
 * Unpack @n bytes to @used records, those of the header being 0. They are unchecked. *ret is
 * malloc'd. -EPROTO, -ENOMEM.
 */
int stack_unpack(const char *packed, size_t n, uint32_t used, struct stack_record **ret);

/*
 * Read the records of the packed file @fd with the header @h, which is checked: stack_unpack().
 * @e is set, naming @path.
 */
int stack_read_packed(int fd, const char *path, const struct stack_header *h,
		      struct stack_record **ret, struct op_error *e);

#endif

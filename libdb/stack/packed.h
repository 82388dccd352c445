/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packed.h - the records of a packed stack store [ST-16] */
#ifndef LIBDB_STACK_PACKED_H
#define LIBDB_STACK_PACKED_H

#include "libdb/stack/file.h"
#include "libutil/strbuf.h"

#define STACK_EXPANSION_MAX 16		/* bytes of records for each byte of a packed file */

/*
 * Packs a log that grows, piece by piece, or unpacks the pieces again: each refers to what is in
 * those before it. Up to 28 bytes of memory for each 8 of the log, which has at most 2^24 nodes.
 */
struct stack_packer;
struct stack_packer *stack_packer_new(void);		/* NULL: no memory */
struct stack_packer *stack_packer_free(struct stack_packer *s);	/* NULL is fine; returns NULL */

/* Append the columns of @log's records from the end of the last piece on to @out. -ENOMEM. */
int stack_pack_piece(struct stack_packer *s, const struct stack_log *log, struct strbuf *out);
/*
 * Unpack the next piece to @records, which has those of the pieces before and room for @used. They
 * are unchecked. -EPROTO, -ENOMEM: @s is of no use any more.
 */
int stack_unpack_piece(struct stack_packer *s, const void *bytes, size_t n,
		       struct stack_record *records, uint32_t used);

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

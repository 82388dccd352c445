/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h - the layout of a sample file behind its header, shared by writer, reader, checker
 *
 *	header		header_size bytes, the caller's
 *	struct odb_descr
 *	nodes		size * 16 bytes; slot 0 is never used		[SF-10]
 *	hash		size * 4 bytes: first node of each chain	[SF-13]
 */
#ifndef LIBDB_ODB_FILE_H
#define LIBDB_ODB_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "libdb/odb/odb.h"

#define ODB_INITIAL_SIZE	128u		/* slots of a new file [SF-11] */
#define ODB_SIZE_MAX		(1u << 26)	/* slots; 1.3 GB [SF-18] */

struct odb_descr {
	uint32_t size;			/* slots, a power of two; 0: creation unfinished [SF-16] */
	uint32_t current_size;		/* slots used, slot 0 included */
	uint32_t zero[6];
};

/* Bytes of a node and of the hash entry that belongs to it. */
#define ODB_SLOT_BYTES	(sizeof(struct odb_node) + sizeof(uint32_t))

static inline size_t odb_nodes_offset(size_t header_size)
{
	return header_size + sizeof(struct odb_descr);
}

static inline size_t odb_file_length(size_t header_size, uint32_t size)
{
	return odb_nodes_offset(header_size) + (size_t)size * ODB_SLOT_BYTES;
}

/* The chain that @key is on; @mask is size - 1. [SF-14] */
static inline uint32_t odb_bucket(uint64_t key, uint32_t mask)
{
	uint32_t t = (uint32_t)(key ^ key >> 32);

	return (t ^ t >> 8) & mask;
}

/*
 * Read the first @header_size + 32 bytes of @fd and check the descriptor against the file's
 * length. -ENODATA: empty, or its creation is unfinished [SF-16]. -EPROTO: malformed, see @e.
 * The header goes to @header (may be NULL), the file's length to *ret_length (may be NULL).
 */
int odb_read_descr(int fd, const char *path, size_t header_size, void *header,
		   struct odb_descr *ret, uint64_t *ret_length, struct op_error *e);

#endif

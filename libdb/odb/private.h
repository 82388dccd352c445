/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private.h - an open sample file, between open.c, add.c and grow.c */
#ifndef LIBDB_ODB_PRIVATE_H
#define LIBDB_ODB_PRIVATE_H

#include "libdb/odb/file.h"

struct odb {
	int fd;
	bool created;			/* the header was all zero when opened */
	void *map;
	size_t map_length;
	size_t header_size;

	struct odb_descr *descr;	/* in the mapping, as are the next two */
	struct odb_node *nodes;
	uint32_t *hash;
	uint32_t mask;			/* descr->size - 1 */
	uint32_t used;			/* descr->current_size once published */
};

/* Point into @map for a table of @size slots. */
void odb_set_tables(struct odb *db, void *map, uint32_t size);

/* Give @fd @length bytes that are really there, from @old_length on. -ENOSPC, -EFBIG, ... */
int odb_allocate(int fd, uint64_t old_length, uint64_t length);

/*
 * Chain nodes 1..@used anew into @hash, @mask + 1 zeroed entries, oldest first: the chains of
 * a table follow from its nodes alone [SF-14].
 */
void odb_chain_nodes(struct odb_node *nodes, uint32_t used, uint32_t *hash, uint32_t mask);

/* Double the table. 0 or -errno, and then all is as it was. */
int odb_grow(struct odb *db);

#endif

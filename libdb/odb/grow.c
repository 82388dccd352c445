// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * grow.c - double a table in place
 *
 * The nodes never move. The new hash lies wholly behind the old file's end, so until the size
 * in the descriptor is switched, in one store, the old table is still the table:
 *
 *	| nodes          | hash |				size slots
 *	| nodes          . more nodes     | hash        |	2 * size slots
 *
 * Killed before the switch, the file is longer than its table and some nodes' links belong to
 * the new chains; readers use neither, and the next writer mends both. [SF-17]
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include "libdb/odb/private.h"

#define HASH_AHEAD 24		/* nodes whose hash entries are fetched early */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23		/* glibc before 2.35 */
#endif

#define ZEROS_SIZE	65536
#define ZEROS_CHUNK	(32 * ZEROS_SIZE)	/* 2 MiB, a power of two */

/* Write zeros from @from on, up to @to or the next multiple of ZEROS_CHUNK. */
static ssize_t write_zero_chunk(int fd, uint64_t from, uint64_t to)
{
	static char zeros[ZEROS_SIZE];		/* never touched, so no memory either */
	struct iovec v[ZEROS_CHUNK / ZEROS_SIZE];
	uint64_t end = (from + ZEROS_CHUNK) & ~(uint64_t)(ZEROS_CHUNK - 1), left;
	int n = 0;

	if (end > to)
		end = to;
	for (left = end - from; left; left -= v[n++].iov_len)
		v[n] = (struct iovec){ zeros, left < ZEROS_SIZE ? (size_t)left : ZEROS_SIZE };
	return pwritev(fd, v, n, (off_t)from);
}

static int write_zeros(int fd, uint64_t from, uint64_t to)
{
	while (from < to) {
		ssize_t done = write_zero_chunk(fd, from, to);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -ENOSPC;
		from += (uint64_t)done;
	}
	return 0;
}

/*
 * fallocate() finds out that the disk is full before anything is written. The zeros then bring
 * the new part into memory in large pieces: faulting it in page by page through the mapping
 * takes twice as long as everything else about adding a key. They also are the whole
 * allocation where there is no fallocate().
 */
int odb_allocate(int fd, uint64_t old_length, uint64_t length)
{
	int err;

	do {
		/* all of it: a file that was once sparse must not be */
		err = fallocate(fd, 0, 0, (off_t)length) ? -errno : 0;
	} while (err == -EINTR);
	if (!err || err == -EOPNOTSUPP || err == -ENOSYS)
		err = write_zeros(fd, old_length, length);
	if (err)	/* it may have got part of the way */
		(void)!ftruncate(fd, (off_t)old_length);
	return err;
}

void odb_chain_nodes(struct odb_node *nodes, uint32_t used, uint32_t *hash, uint32_t mask)
{
	for (uint32_t i = 1; i < used; i++) {
		uint32_t *head = &hash[odb_bucket(nodes[i].key, mask)];

		if (i + HASH_AHEAD < used)
			__builtin_prefetch(&hash[odb_bucket(nodes[i + HASH_AHEAD].key, mask)], 1);

		nodes[i].next = *head;
		*head = i;
	}
}

/*
 * Have the new part mapped for writing at once: a fault for every page costs a tenth of what
 * adding its keys does. A kernel that can't (before 5.14) faults them in one by one.
 */
static void map_written(void *map, size_t old_length, size_t length)
{
	/* where pages are larger it is refused, which does no harm */
	size_t from = old_length & ~(size_t)4095;

	if (length - from >= ZEROS_SIZE)
		(void)madvise((char *)map + from, length - from, MADV_POPULATE_WRITE);
}

int odb_grow(struct odb *db)
{
	uint32_t size = db->mask + 1;
	uint64_t length;
	void *map;
	int err;

	if (size >= ODB_SIZE_MAX)
		return -EFBIG;
	length = odb_file_length(db->header_size, 2 * size);
	err = odb_allocate(db->fd, db->map_length, length);
	if (err)
		return err;
	map = mremap(db->map, db->map_length, length, MREMAP_MAYMOVE);
	if (map == MAP_FAILED) {
		err = -errno;
		/* still a valid file if this fails too [SF-17] */
		(void)!ftruncate(db->fd, (off_t)db->map_length);
		return err;
	}
	map_written(map, db->map_length, length);
	odb_set_tables(db, map, 2 * size);
	odb_chain_nodes(db->nodes, db->used, db->hash, db->mask);
	__atomic_store_n(&db->descr->size, 2 * size, __ATOMIC_RELEASE);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * writer.c - a sample file open for adding: create or repair it, grow it, add to it
 *
 * A writer follows the links in the file, so all of them are checked once, when it is opened, and
 * never while adding. Chains follow from the nodes [SF-14]: recompute them, compare, and rewrite
 * them if they differ, which also repairs what a killed writer left half done.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/odb/file.h"
#include "libutil/file.h"

#define REHASH_AHEAD	24		/* nodes whose hash entries are fetched early */
#define HASH_AHEAD	32		/* keys */
#define NODE_AHEAD	16
#define POPULATE_MIN	65536		/* bytes that are worth a call */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23		/* glibc before 2.35 */
#endif

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

/* --- opening --- */

/* Point into @map for a table of @size slots. */
static void set_tables(struct odb *db, void *map, uint32_t size)
{
	db->map = map;
	db->map_length = odb_file_length(db->header_size, size);
	db->descr = (void *)((char *)map + db->header_size);
	db->nodes = (void *)((char *)map + odb_nodes_offset(db->header_size));
	db->hash = (void *)(db->nodes + size);
	db->mask = size - 1;
}

static int map_file(struct odb *db, uint32_t size)
{
	void *map = mmap(NULL, odb_file_length(db->header_size, size), PROT_READ | PROT_WRITE,
			 MAP_SHARED, db->fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	set_tables(db, map, size);
	return 0;
}

/* Whether all behind the header of a mapped, empty file is zero; else the file is not ours. */
static bool table_is_zero(const struct odb *db)
{
	const uint32_t *p = (const void *)db->descr;

	for (size_t i = 0; i < (db->map_length - db->header_size) / sizeof(*p); i++)
		if (p[i])
			return false;
	return true;
}

/*
 * Make an empty table in a file that has none [SF-16]. The size is stored last: after a kill
 * before that the next writer starts here again.
 */
static int create_table(struct odb *db, uint64_t length, const char *path, struct op_error *e)
{
	uint64_t want = odb_file_length(db->header_size, ODB_INITIAL_SIZE);
	int err = 0;

	if (length > want)
		return op_error_set(e, -EPROTO, "'%s': table size is missing in a file of %llu "
				    "bytes", path, (unsigned long long)length);
	err = file_allocate(db->fd, length, want);
	if (!err)
		err = map_file(db, ODB_INITIAL_SIZE);
	if (err)
		return op_error_set(e, err, "cannot allocate room for samples in '%s': %s", path,
				    strerror(-err));
	if (!table_is_zero(db)) {
		(void)!ftruncate(db->fd, (off_t)length);
		return op_error_set(e, -EPROTO, "'%s': table size is missing in a file with "
				    "samples", path);
	}
	db->descr->current_size = db->used = 1;
	__atomic_store_n(&db->descr->size, ODB_INITIAL_SIZE, __ATOMIC_RELEASE);
	return 0;
}

/*
 * Rebuild the chains of nodes 1..@used in @hash, @mask + 1 zeroed entries, oldest node first: the
 * chains of a table follow from its nodes alone [SF-14].
 */
static void build_chains(struct odb_node *nodes, uint32_t used, uint32_t *hash,
			uint32_t mask)
{
	for (uint32_t i = 1; i < used; i++) {
		uint32_t *head = &hash[odb_bucket(nodes[i].key, mask)];

		if (i + REHASH_AHEAD < used)
			__builtin_prefetch(&hash[odb_bucket(nodes[i + REHASH_AHEAD].key, mask)], 1);

		nodes[i].next = *head;
		*head = i;
	}
}

/* Rebuild the chains if they are not those that follow from the nodes. */
static int repair_chains(struct odb *db)
{
	size_t bytes = ((size_t)db->mask + 1) * sizeof(uint32_t);
	uint32_t *hash = calloc(1, bytes);
	bool same = true;

	if (!hash)
		return -ENOMEM;
	/* chains end at slot 0, and odb_add_many() reads it like any other */
	if (db->nodes[0].key || db->nodes[0].next)
		memset(&db->nodes[0], 0, sizeof(db->nodes[0]));
	for (uint32_t i = 1; i < db->used; i++) {
		uint32_t *head = &hash[odb_bucket(db->nodes[i].key, db->mask)];

		same &= db->nodes[i].next == *head;
		*head = i;
	}
	if (!same || memcmp(hash, db->hash, bytes)) {
		memset(db->hash, 0, bytes);
		build_chains(db->nodes, db->used, db->hash, db->mask);
	}
	free(hash);
	return 0;
}

static int open_table(struct odb *db, const struct odb_descr *d, uint64_t length,
		      const char *path, struct op_error *e)
{
	uint64_t want = odb_file_length(db->header_size, d->size);
	int err = 0;

	if (length > want && ftruncate(db->fd, (off_t)want))	/* killed while growing [SF-17] */
		err = -errno;
	if (!err)	/* a copy may have become sparse: writing to a hole could fail too late */
		err = file_allocate(db->fd, want, want);
	if (!err)
		err = map_file(db, d->size);
	if (!err) {
		db->used = d->current_size;
		err = repair_chains(db);
	}
	if (err)
		return op_error_set(e, err, "cannot add to '%s': %s", path, strerror(-err));
	return 0;
}

static int open_file(struct odb *db, const char *path, struct op_error *e)
{
	struct op_error why = { "" };
	struct odb_descr descr;
	struct stat st;
	uint64_t length = 0;
	int err;

	if (fstat(db->fd, &st))
		return op_error_set(e, -errno, "cannot stat '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return op_error_set(e, -EPROTO, "'%s': not a regular file", path);
	err = odb_read_descr(db->fd, path, db->header_size, NULL, &descr, &length, &why);
	if (err == -ENODATA)
		return create_table(db, length, path, e);
	if (err)
		return op_error_set(e, err, "%s", why.text);
	return open_table(db, &descr, length, path, e);
}

static bool header_is_zero(const struct odb *db)
{
	const unsigned char *header = db->map;

	for (size_t i = 0; i < db->header_size; i++)
		if (header[i])
			return false;
	return true;
}

int odb_open(const char *path, size_t header_size, struct odb **ret_db, struct op_error *e)
{
	struct odb *db;
	int err;

	if (header_size % 8 || header_size > ODB_HEADER_MAX)
		return op_error_set(e, -EINVAL, "invalid header size %zu: expected a multiple of 8 "
				    "up to %d", header_size, ODB_HEADER_MAX);
	db = calloc(1, sizeof(*db));
	if (!db)
		return op_error_set(e, -ENOMEM, "cannot open '%s': out of memory", path);
	db->header_size = header_size;
	db->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
	if (db->fd < 0) {
		err = op_error_set(e, -errno, "cannot open '%s': %s", path, strerror(errno));
		free(db);
		return err;
	}
	err = open_file(db, path, e);
	if (err) {
		odb_close(db);
		return err;
	}
	db->created = header_is_zero(db);
	*ret_db = db;
	return 0;
}

struct odb *odb_close(struct odb *db)
{
	if (!db)
		return NULL;
	if (db->map)
		munmap(db->map, db->map_length);
	close(db->fd);
	free(db);
	return NULL;
}

void *odb_header(struct odb *db)
{
	return db->map;
}

bool odb_is_new(const struct odb *db)
{
	return db->created;
}

uint32_t odb_nr_nodes(const struct odb *db)
{
	return db->used - 1;
}

int odb_sync(struct odb *db)
{
	return msync(db->map, db->map_length, MS_SYNC) ? -errno : 0;
}

/* --- growing --- */

/*
 * Map the new part for writing at once: a fault for each page costs a tenth of adding its keys.
 * Kernels before 5.14 cannot, and fault the pages in one by one.
 */
static void map_written(void *map, size_t old_length, size_t length)
{
	/* with larger pages the kernel refuses this, which does no harm */
	size_t from = old_length & ~(size_t)4095;

	if (length - from >= POPULATE_MIN)
		(void)madvise((char *)map + from, length - from, MADV_POPULATE_WRITE);
}

/*
 * Double the table in place. 0, or -errno with the table unchanged.
 *
 * The nodes never move. The new hash lies wholly behind the old file's end, so until the size
 * in the descriptor is switched, in one store, the old table is still the table:
 *
 *	| nodes          | hash |				size slots
 *	| nodes          . more nodes     | hash        |	2 * size slots
 *
 * After a kill before the switch the file is longer than its table, and the links of some nodes
 * belong to the new chains; readers use neither, and the next writer repairs both. [SF-17]
 */
__attribute__((noinline)) static int grow(struct odb *db)
{
	uint32_t size = db->mask + 1;
	uint64_t length;
	void *map;
	int err;

	if (size >= ODB_SIZE_MAX)
		return -EFBIG;
	length = odb_file_length(db->header_size, 2 * size);
	err = file_allocate(db->fd, db->map_length, length);
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
	set_tables(db, map, 2 * size);
	build_chains(db->nodes, db->used, db->hash, db->mask);
	__atomic_store_n(&db->descr->size, 2 * size, __ATOMIC_RELEASE);
	return 0;
}

/* --- adding: the daemon's hottest code --- */

/* False: the sum does not fit, and the count goes on in another node. [SF-12] */
static inline bool add_count(struct odb_node *node, uint32_t n)
{
	uint32_t sum;

	if (__builtin_add_overflow(node->count, n, &sum))
		return false;
	__atomic_store_n(&node->count, sum, __ATOMIC_RELAXED);
	return true;
}

/*
 * Put a new node at the head of its chain. It is written whole before the number of nodes
 * includes it: readers, and a writer after a kill here, see all of it or nothing. [SF-19]
 */
static int insert(struct odb *db, uint64_t key, uint32_t n)
{
	struct odb_node *node;
	uint32_t *head;
	int err;

	if (db->used > db->mask) {
		err = grow(db);
		if (err)
			return err;
	}
	head = &db->hash[odb_bucket(key, db->mask)];
	node = &db->nodes[db->used];
	node->key = key;
	node->count = n;
	node->next = *head;
	*head = db->used++;
	__atomic_store_n(&db->descr->current_size, db->used, __ATOMIC_RELEASE);
	return 0;
}

/*
 * Add to @key, which is not among the nodes of its chain before @i. Of several nodes of a key the
 * newest comes first: only that one has room.
 */
static int add_from(struct odb *db, uint64_t key, uint32_t n, uint32_t i)
{
	for (; i; i = db->nodes[i].next) {
		if (db->nodes[i].key != key)
			continue;
		if (add_count(&db->nodes[i], n))
			return 0;
		break;
	}
	return insert(db, key, n);
}

int odb_add(struct odb *db, uint64_t key, uint64_t n)
{
	int err = n > ODB_ADD_MAX ? -EOVERFLOW : 0;

	for (; !err && n > ODB_COUNT_MAX; n -= ODB_COUNT_MAX)
		err = add_from(db, key, ODB_COUNT_MAX, db->hash[odb_bucket(key, db->mask)]);
	return err ? err : add_from(db, key, (uint32_t)n, db->hash[odb_bucket(key, db->mask)]);
}

/*
 * Adding costs cache misses, on the hash entry and then on the node, and branch mispredictions:
 * whether a key is the first or the second of its chain depends on the key alone. With many keys
 * at hand the memory is prefetched, and the first two nodes are compared without a branch.
 */
static inline void prefetch_hash(const struct odb *db, uint64_t key)
{
	__builtin_prefetch(&db->hash[odb_bucket(key, db->mask)], 1);
}

static inline void prefetch_node(const struct odb *db, uint64_t key)
{
	__builtin_prefetch(&db->nodes[db->hash[odb_bucket(key, db->mask)]], 1);
}

/* @i if it is @key's node, else the next of its chain. Slot 0 leads to itself. */
static inline uint32_t this_or_next(const struct odb *db, uint32_t i, uint64_t key)
{
	const struct odb_node *node = &db->nodes[i];
	uint32_t this = -(uint32_t)(node->key == key);

	return (i & this) | (node->next & ~this);
}

static inline int add_sample(struct odb *db, uint64_t key)
{
	uint32_t i = db->hash[odb_bucket(key, db->mask)];

	i = this_or_next(db, i, key);
	i = this_or_next(db, i, key);
	if (__builtin_expect((db->nodes[i].key == key) & (i != 0), 1) &&
	    add_count(&db->nodes[i], 1))
		return 0;
	return add_from(db, key, 1, i);
}

int odb_add_many(struct odb *db, const uint64_t *keys, size_t nr, size_t *ret_done)
{
	for (size_t i = 0; i < nr && i < HASH_AHEAD; i++)
		prefetch_hash(db, keys[i]);
	for (size_t i = 0; i < nr && i < NODE_AHEAD; i++)
		prefetch_node(db, keys[i]);
	for (size_t i = 0; i < nr; i++) {
		int err;

		if (i + HASH_AHEAD < nr)
			prefetch_hash(db, keys[i + HASH_AHEAD]);
		if (i + NODE_AHEAD < nr)
			prefetch_node(db, keys[i + NODE_AHEAD]);
		err = add_sample(db, keys[i]);
		if (err) {
			*ret_done = i;
			return err;
		}
	}
	return 0;
}

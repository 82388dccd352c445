// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * open.c - open a sample file for adding: make it, or check and mend it
 *
 * A writer follows the links it finds in the file, so all of them are checked here, once, and
 * never while adding. Chains follow from the nodes [SF-14]: recompute them, compare, and
 * rewrite if they differ, which also mends whatever a killed writer left half done.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/odb/private.h"

void odb_set_tables(struct odb *db, void *map, uint32_t size)
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
	odb_set_tables(db, map, size);
	return 0;
}

/* Is everything behind the header of a mapped, empty file zero? Else it is no file of ours. */
static bool table_is_zero(const struct odb *db)
{
	const uint32_t *p = (const void *)db->descr;

	for (size_t i = 0; i < (db->map_length - db->header_size) / sizeof(*p); i++)
		if (p[i])
			return false;
	return true;
}

/*
 * Make an empty table of a file that holds nothing [SF-16]. The size is stored last: killed
 * before, the next writer starts here again.
 */
static int create_table(struct odb *db, uint64_t length, const char *path, struct op_error *e)
{
	uint64_t want = odb_file_length(db->header_size, ODB_INITIAL_SIZE);
	int err = 0;

	if (length > want)
		return op_error_set(e, -EPROTO, "'%s': %llu bytes without a table size [SF-16]",
				    path, (unsigned long long)length);
	err = odb_allocate(db->fd, length, want);
	if (!err)
		err = map_file(db, ODB_INITIAL_SIZE);
	if (err)
		return op_error_set(e, err, "cannot make room for samples in '%s': %s", path,
				    strerror(-err));
	if (!table_is_zero(db)) {
		(void)!ftruncate(db->fd, (off_t)length);
		return op_error_set(e, -EPROTO, "'%s': samples without a table size [SF-16]", path);
	}
	db->descr->current_size = db->used = 1;
	__atomic_store_n(&db->descr->size, ODB_INITIAL_SIZE, __ATOMIC_RELEASE);
	return 0;
}

/* Are the chains what the nodes say? If not, chain anew. */
static int mend_chains(struct odb *db)
{
	size_t bytes = ((size_t)db->mask + 1) * sizeof(uint32_t);
	uint32_t *hash = calloc(1, bytes);
	bool same = true;

	if (!hash)
		return -ENOMEM;
	/* where chains end: odb_add_many() looks at it like at any other */
	if (db->nodes[0].key || db->nodes[0].next)
		memset(&db->nodes[0], 0, sizeof(db->nodes[0]));
	for (uint32_t i = 1; i < db->used; i++) {
		uint32_t *head = &hash[odb_bucket(db->nodes[i].key, db->mask)];

		same &= db->nodes[i].next == *head;
		*head = i;
	}
	if (!same || memcmp(hash, db->hash, bytes)) {
		memset(db->hash, 0, bytes);
		odb_chain_nodes(db->nodes, db->used, db->hash, db->mask);
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
		err = odb_allocate(db->fd, want, want);
	if (!err)
		err = map_file(db, d->size);
	if (!err) {
		db->used = d->current_size;
		err = mend_chains(db);
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
		return op_error_set(e, -EINVAL, "header size %zu is not a multiple of 8 up to %d",
				    header_size, ODB_HEADER_MAX);
	db = calloc(1, sizeof(*db));
	if (!db)
		return op_error_set(e, -ENOMEM, "'%s': out of memory", path);
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

bool odb_created(const struct odb *db)
{
	return db->created;
}

uint32_t odb_nr_keys(const struct odb *db)
{
	return db->used - 1;
}

int odb_sync(struct odb *db)
{
	return msync(db->map, db->map_length, MS_SYNC) ? -errno : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * odb.h - sample files: a growable hash of (key, count) in a mapped file
 *
 * One writer (the daemon), any number of readers, no locks: a reader sees every node that
 * was whole when it looked. Layout: doc/sample-file.md, rules [SF-n], bit for bit OProfile's.
 *
 * Crash safety: a node is written whole before the count of nodes includes it (release
 * store), and growing keeps the old table valid until the new one is; so after kill -9 at
 * any instruction the file opens and holds everything added before. Room is allocated, not
 * just promised, so a full disk is -ENOSPC from the call that needed it and never SIGBUS.
 *
 * Do not: open one file for writing twice, use it after fork() in both processes, keep it on
 * a file system without shared mappings.
 *
 * Calls that can fail return 0 or a negative errno and leave the file as it was.
 */
#ifndef LIBDB_ODB_ODB_H
#define LIBDB_ODB_ODB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

struct odb;				/* one open sample file; not shared between threads */

#define ODB_COUNT_MAX	UINT32_MAX	/* of a node; larger counts have several [SF-12] */
#define ODB_ADD_MAX	(UINT64_C(1) << 40)	/* samples added at once: 256 nodes */
#define ODB_HEADER_MAX 4096		/* bytes of header */

/*
 * Open or create the sample file @path for adding. Its first @header_size bytes (a multiple
 * of 8) belong to the caller: odb_header(). A file left by a killed writer is repaired.
 * -EPROTO: not a sample file of that header size, truncated or inconsistent (unchanged).
 * -ELOOP: a symbolic link.
 */
int odb_open(const char *path, size_t header_size, struct odb **ret_db, struct op_error *e);
struct odb *odb_close(struct odb *db);	/* NULL is fine; returns NULL */

void *odb_header(struct odb *db);	/* mapped, writable; may move at the next add */
/*
 * Whether the header was all zero when opened: the file is new, or its writer was killed before it
 * wrote the header, and the caller fills it in now (sample_header_store()).
 */
bool odb_is_new(const struct odb *db);
int odb_sync(struct odb *db);		/* to the disk; blocks */

/*
 * Add @n samples to @key. -ENOSPC, -ENOMEM, -EFBIG; -EOVERFLOW: more than ODB_ADD_MAX. A part of
 * more than ODB_COUNT_MAX may have been added then.
 */
int odb_add(struct odb *db, uint64_t key, uint64_t n);

/*
 * Add one sample to each of @nr keys; much faster than @nr times odb_add() because the memory of
 * several keys is prefetched. On failure the first *ret_done keys were added.
 */
int odb_add_many(struct odb *db, const uint64_t *keys, size_t nr, size_t *ret_done);

uint32_t odb_nr_nodes(const struct odb *db);

/*
 * Reading: a snapshot of the file's nodes at the moment of the call, in file order, read into
 * memory, so that later changes of the file cannot hurt the reader. A key may come more than once:
 * sum the counts. Every number in the file is checked against its true length.
 */
struct odb_node {
	uint64_t key;
	uint32_t count;
	uint32_t next;			/* the file's own link; of no use to readers */
};

struct odb_snapshot {
	void *header;			/* @header_size bytes */
	const struct odb_node *nodes;
	uint32_t nr_nodes;
};

/* -EPROTO: as odb_open(). -ENODATA: empty, or its writer has not finished creating it [SF-16]. */
int odb_read(const char *path, size_t header_size, struct odb_snapshot *ret, struct op_error *e);
void odb_snapshot_free(struct odb_snapshot *s);

/*
 * Check everything: table sizes, links, every node on the chain of its key, no loops.
 * 0, or -EPROTO with the first fault in @e. For tests and opdoctor.
 */
int odb_check(const char *path, size_t header_size, struct op_error *e);

#endif

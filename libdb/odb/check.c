// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check.c - check every rule about the inside of a sample file
 *
 * Stricter than a reader needs: a fault means that a writer was killed (repaired when the file is
 * next opened for adding) or that something else wrote into the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libdb/odb/file.h"
#include "libutil/file.h"

struct table {
	const char *path;
	uint32_t size, used;
	struct odb_node *nodes;		/* @size of them */
	uint32_t *hash;			/* @size of them */
	bool *seen;
};

static int check_chain(struct table *t, uint32_t bucket, struct op_error *e)
{
	for (uint32_t i = t->hash[bucket]; i; i = t->nodes[i].next) {
		if (i >= t->used)	/* [SF-13], as is the next */
			return op_error_set(e, -EPROTO,
					    "'%s': hash chain %u links to slot %u of %u used slots",
					    t->path, bucket, i, t->used);
		if (t->seen[i])
			return op_error_set(e, -EPROTO,
					    "'%s': hash chain %u links to slot %u a second time",
					    t->path, bucket, i);
		if (odb_bucket(t->nodes[i].key, t->size - 1) != bucket)		/* [SF-14] */
			return op_error_set(e, -EPROTO, "'%s': slot %u is on hash chain %u, but "
					    "its key belongs to another", t->path, i, bucket);
		t->seen[i] = true;
	}
	return 0;
}

static int check_table(struct table *t, struct op_error *e)
{
	int err = 0;

	for (uint32_t bucket = 0; bucket < t->size && !err; bucket++)
		err = check_chain(t, bucket, e);
	for (uint32_t i = 1; i < t->used && !err; i++)
		if (!t->seen[i])	/* [SF-13] */
			err = op_error_set(e, -EPROTO, "'%s': slot %u is not on any hash chain",
					   t->path, i);
	return err;
}

static int check_fd(int fd, const char *path, size_t header_size, struct op_error *e)
{
	struct table t = { .path = path };
	struct odb_descr d;
	uint64_t length;
	int err;

	err = odb_read_descr(fd, path, header_size, NULL, &d, &length, e);
	if (err)
		return err;
	if (length != odb_file_length(header_size, d.size))	/* [SF-15] */
		return op_error_set(e, -EPROTO,
				    "'%s': expected %zu bytes for a table of %u slots, got %llu",
				    path, odb_file_length(header_size, d.size), d.size,
				    (unsigned long long)length);
	t.size = d.size;
	t.used = d.current_size;
	t.nodes = malloc((size_t)t.size * ODB_SLOT_BYTES);	/* both tables, as in the file */
	t.seen = calloc(t.size, sizeof(*t.seen));
	if (!t.nodes || !t.seen) {
		err = op_error_set(e, -ENOMEM, "cannot check '%s': out of memory", path);
		goto done;
	}
	t.hash = (uint32_t *)(t.nodes + t.size);
	err = file_read_at(fd, t.nodes, (size_t)t.size * ODB_SLOT_BYTES,
			  odb_nodes_offset(header_size));
	if (err)
		op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	else
		err = check_table(&t, e);
done:
	free(t.nodes);
	free(t.seen);
	return err;
}

int odb_check(const char *path, size_t header_size, struct op_error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err;

	if (fd < 0) {
		err = -errno;
		return op_error_set(e, err, "cannot open '%s': %s", path, strerror(-err));
	}
	err = check_fd(fd, path, header_size, e);
	close(fd);
	return err;
}

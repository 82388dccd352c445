// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check.c - is every rule about a sample file's inside kept?
 *
 * Stricter than a reader needs: what it finds tells that a writer was killed (mended when the
 * file is next opened for adding) or that something else wrote into the file.
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
		if (i >= t->used)
			return op_error_set(e, -EPROTO,
					    "'%s': chain %u leads to slot %u of %u used [SF-13]",
					    t->path, bucket, i, t->used);
		if (t->seen[i])
			return op_error_set(e, -EPROTO,
					    "'%s': chain %u comes to slot %u again [SF-13]",
					    t->path, bucket, i);
		if (odb_bucket(t->nodes[i].key, t->size - 1) != bucket)
			return op_error_set(e, -EPROTO,
					    "'%s': slot %u is on chain %u, not its own [SF-14]",
					    t->path, i, bucket);
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
		if (!t->seen[i])
			err = op_error_set(e, -EPROTO, "'%s': slot %u is on no chain [SF-13]",
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
	if (length != odb_file_length(header_size, d.size))
		return op_error_set(e, -EPROTO,
				    "'%s': %llu bytes where a table of %u takes %zu [SF-15]",
				    path, (unsigned long long)length, d.size,
				    odb_file_length(header_size, d.size));
	t.size = d.size;
	t.used = d.current_size;
	t.nodes = malloc((size_t)t.size * ODB_SLOT_BYTES);	/* both tables, as in the file */
	t.seen = calloc(t.size, sizeof(*t.seen));
	if (!t.nodes || !t.seen) {
		err = op_error_set(e, -ENOMEM, "'%s': no memory to check it", path);
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

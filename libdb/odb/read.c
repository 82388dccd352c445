// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - take a snapshot of a sample file
 *
 * Only the descriptor and the nodes are read; only writers use the hash [SF-13]. The bytes are
 * copied, not mapped: truncating a mapped file would kill the reader.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/odb/file.h"
#include "libutil/file.h"

#define READ_TRIES 4	/* a growing file may look wrong for a moment */

static bool all_zero(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	while (n && !p[n - 1])
		n--;
	return n == 0;
}

/* [SF-10], [SF-11], [SF-15]; @length was read after @d, and files only grow. */
static int check_descr(const struct odb_descr *d, size_t header_size, uint64_t length,
		       const char *path, struct op_error *e)
{
	uint64_t want;

	if (!d->size || (d->size & (d->size - 1)) || d->size > ODB_SIZE_MAX)
		return op_error_set(e, -EPROTO,
				    "'%s': invalid table size %u: expected a power of two up to %u",
				    path, d->size, ODB_SIZE_MAX);
	if (!d->current_size || d->current_size > d->size)
		return op_error_set(e, -EPROTO, "'%s': invalid number of used slots %u: expected 1 "
				    "to %u", path, d->current_size, d->size);
	want = odb_file_length(header_size, d->size);
	if (length < want)
		return op_error_set(e, -EPROTO, "'%s': truncated: expected %llu bytes, got %llu",
				    path, (unsigned long long)want, (unsigned long long)length);
	return 0;
}

static int read_descr_once(int fd, const char *path, size_t header_size, void *bytes,
			   struct odb_descr *ret, uint64_t *ret_length, struct op_error *e)
{
	size_t want = odb_nodes_offset(header_size), n;
	struct stat st;
	int err;

	err = file_read_up_to(fd, bytes, want, 0, &n);
	if (!err && fstat(fd, &st))
		err = -errno;
	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	*ret_length = (uint64_t)st.st_size;
	if (all_zero(bytes, n))
		return op_error_set(e, -ENODATA, "'%s': contains no samples yet", path);
	if (n < want)
		return op_error_set(e, -EPROTO,
				    "'%s': truncated: expected %zu bytes of header and table size, "
				    "got %zu", path, want, n);
	memcpy(ret, (char *)bytes + header_size, sizeof(*ret));
	if (all_zero(ret, sizeof(*ret)))
		return op_error_set(e, -ENODATA, "'%s': contains no samples yet", path);
	return check_descr(ret, header_size, *ret_length, path, e);
}

int odb_read_descr(int fd, const char *path, size_t header_size, void *header,
		   struct odb_descr *ret, uint64_t *ret_length, struct op_error *e)
{
	void *bytes = malloc(odb_nodes_offset(header_size));
	struct op_error why = { "" };
	struct odb_descr descr;
	uint64_t length = 0;
	int err = -EPROTO;

	if (!bytes)
		return op_error_set(e, -ENOMEM, "cannot read '%s': out of memory", path);
	for (int i = 0; i < READ_TRIES && err == -EPROTO; i++)
		err = read_descr_once(fd, path, header_size, bytes, &descr, &length, &why);
	if (!err) {
		*ret = descr;
		if (header)
			memcpy(header, bytes, header_size);
	}
	if ((!err || err == -ENODATA) && ret_length)
		*ret_length = length;
	free(bytes);
	return err ? op_error_set(e, err, "%s", why.text) : 0;
}

static int read_nodes(int fd, const char *path, size_t header_size, const struct odb_descr *d,
		      struct odb_snapshot *ret, struct op_error *e)
{
	size_t bytes = ((size_t)d->current_size - 1) * sizeof(struct odb_node);
	uint64_t offset = odb_nodes_offset(header_size) + sizeof(struct odb_node);
	struct odb_node *nodes = malloc(bytes ? bytes : 1);
	int err;

	if (!nodes)
		return op_error_set(e, -ENOMEM, "cannot read '%s': no memory for %zu bytes", path,
				    bytes);
	err = file_read_at(fd, nodes, bytes, offset);
	if (err) {
		free(nodes);
		return op_error_set(e, err, "cannot read the samples of '%s': %s", path,
				    strerror(-err));
	}
	ret->nodes = nodes;
	ret->nr_nodes = d->current_size - 1;
	return 0;
}

int odb_read(const char *path, size_t header_size, struct odb_snapshot *ret, struct op_error *e)
{
	struct odb_snapshot snapshot = { NULL, NULL, 0 };
	struct odb_descr descr;
	int fd, err;

	/* O_NONBLOCK: a FIFO among the sample files must not block a report */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		err = -errno;
		return op_error_set(e, err, "cannot open '%s': %s", path, strerror(-err));
	}
	snapshot.header = malloc(header_size ? header_size : 1);
	err = snapshot.header ?
		odb_read_descr(fd, path, header_size, snapshot.header, &descr, NULL, e) :
		op_error_set(e, -ENOMEM, "cannot read '%s': out of memory", path);
	if (!err)
		err = read_nodes(fd, path, header_size, &descr, &snapshot, e);
	close(fd);
	if (err)
		free(snapshot.header);
	else
		*ret = snapshot;
	return err;
}

void odb_snapshot_free(struct odb_snapshot *s)
{
	free(s->header);
	free((void *)s->nodes);
	*s = (struct odb_snapshot){ NULL, NULL, 0 };
}

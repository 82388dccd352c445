// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - read and check a stack store
 *
 * The log is copied, not mapped (truncating a mapped file would kill the reader), in pieces that
 * double in size, each checked before the next is read: so the cost of a hostile file is in
 * proportion to its true size.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/stack/packed.h"
#include "libutil/file.h"

#define FIRST_PIECE	(UINT32_C(1) << 16)	/* records */

struct reader {
	const char *path;
	int fd;
	struct stack_log log;
	uint32_t pos;			/* records below this are checked */
};

/* Read the log's records below @have. */
static int extend(struct reader *r, uint32_t have, struct op_error *e)
{
	void *records = realloc(r->log.records, have * sizeof(*r->log.records));
	void *marks = records ? realloc(r->log.marks, have * sizeof(*r->log.marks)) : NULL;
	size_t old = r->log.have;
	int err;

	if (records)
		r->log.records = records;
	if (marks)
		r->log.marks = marks;
	if (!records || !marks)
		return op_error_set(e, -ENOMEM, "cannot read '%s': no memory for %zu bytes",
				    r->path, have * sizeof(*r->log.records));
	memset(r->log.marks + old, 0, (have - old) * sizeof(*r->log.marks));
	err = file_read_at(r->fd, r->log.records + old, (have - old) * sizeof(*r->log.records),
			  old * sizeof(*r->log.records));
	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", r->path,
				    err == -EPROTO ? "truncated" : strerror(-err));
	r->log.have = have;
	return 0;
}

/* Check the records read so far. Unless @is_last, the end of the piece may split a record. */
static int check_piece(struct reader *r, bool is_last, struct op_error *e)
{
	const char *why = "the last record is truncated";	/* [ST-5] */

	while (r->pos < r->log.have) {
		int n = stack_log_check(&r->log, r->pos, &why);

		if (!n && !is_last)
			return 0;
		if (n <= 0)
			return op_error_set(e, -EPROTO, "%s: offset %llu: %s", r->path,
					    (unsigned long long)r->pos * 8, why);
		r->pos += (uint32_t)n;
	}
	return 0;
}

static int read_log(struct reader *r, uint32_t used, struct op_error *e)
{
	uint32_t have = 0;
	int err = 0;

	r->pos = STACK_FIRST;
	while (have < used && !err) {
		have = have ? 2 * have : FIRST_PIECE;
		if (have > used)
			have = used;
		err = extend(r, have, e);
		if (!err)
			err = check_piece(r, have == used, e);
	}
	return err;
}

static int read_header(struct reader *r, struct stack_header *ret, struct op_error *e)
{
	struct stat st;
	ssize_t n;

	if (fstat(r->fd, &st))
		return op_error_set(e, -errno, "cannot stat '%s': %s", r->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return op_error_set(e, -EPROTO, "'%s': not a regular file", r->path);
	memset(ret, 0, sizeof(*ret));
	n = pread(r->fd, ret, sizeof(*ret), 0);
	/* again: by now the file has the length that the header needs */
	if (n < 0 || fstat(r->fd, &st))
		return op_error_set(e, -errno, "cannot read '%s': %s", r->path, strerror(errno));
	return stack_header_check(ret, (uint64_t)st.st_size, r->path, e);
}

static int read_packed(struct reader *r, const struct stack_header *h, struct op_error *e)
{
	int err = stack_read_packed(r->fd, r->path, h, &r->log.records, e);

	if (err)
		return err;
	r->log.have = h->used;
	r->pos = STACK_FIRST;
	r->log.marks = calloc(h->used, sizeof(*r->log.marks));
	if (!r->log.marks)
		return op_error_set(e, -ENOMEM, "cannot read '%s': out of memory", r->path);
	return check_piece(r, true, e);
}

/* Header and records of the file @path, checked. The caller frees r->log. */
static int read_records(struct reader *r, const char *path, struct stack_header *ret_header,
			struct op_error *e)
{
	int err;

	/* O_NONBLOCK: a FIFO in its place must not block a report */
	*r = (struct reader){ .path = path,
			      .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	if (r->fd < 0) {
		err = -errno;
		return op_error_set(e, err, "cannot open '%s': %s", path, strerror(-err));
	}
	err = read_header(r, ret_header, e);
	if (!err && ret_header->version == STACK_VERSION_PACKED)
		err = read_packed(r, ret_header, e);
	else if (!err)
		err = read_log(r, ret_header->used, e);
	close(r->fd);
	return err;
}

void stack_log_free(struct stack_log *log)
{
	free(log->records);
	free(log->marks);
	*log = (struct stack_log){ .have = 0 };
}

int stack_log_read(const char *path, struct stack_header *ret_header, struct stack_log *ret_log,
		   struct op_error *e)
{
	struct reader r;
	int err = read_records(&r, path, ret_header, e);

	if (err)
		stack_log_free(&r.log);
	else
		*ret_log = r.log;
	return err;
}

int stack_store_read(const char *path, struct stack_snapshot *ret, struct op_error *e)
{
	struct stack_header header;
	struct stack_log log;
	int err = stack_log_read(path, &header, &log, e);

	if (err)
		return err;
	free(log.marks);	/* of checking only */
	log.marks = NULL;
	err = stack_log_snapshot(&log, ret);
	if (err)
		op_error_set(e, err, "cannot read '%s': out of memory", path);
	else
		ret->lost = header.lost;
	stack_log_free(&log);
	return err;
}

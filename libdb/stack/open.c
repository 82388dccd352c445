// SPDX-License-Identifier: GPL-2.0-or-later
/* open.c - open a stack store for adding: create it, or check it and build its index */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/stack/open_store.h"

#define FIRST_LENGTH	(UINT64_C(64) << 10)

/* Whether all behind the header is zero; else the file is not ours. */
static bool is_empty(const struct stack_store *s)
{
	const uint64_t *p = (const void *)s->records;

	for (uint64_t i = STACK_FIRST; i < s->length / 8; i++)
		if (p[i])
			return false;
	return true;
}

/* Write the header of an empty file, the magic last [ST-3]. */
static int create(struct stack_store *s, uint64_t length, const char *path, struct op_error *e)
{
	struct stack_header *h;
	uint64_t magic;
	int err;

	if (length > FIRST_LENGTH)
		return op_error_set(e, -EPROTO, "'%s': not a stack store but a file of %llu bytes",
				    path, (unsigned long long)length);
	err = stack_map(s, length, FIRST_LENGTH);
	if (err)
		return op_error_set(e, err, "cannot allocate room for stacks in '%s': %s", path,
				    strerror(-err));
	h = s->header;
	if (!is_empty(s)) {
		(void)!ftruncate(s->fd, (off_t)length);
		return op_error_set(e, -EPROTO, "'%s': not a stack store", path);
	}
	memset(h, 0, sizeof(*h));
	h->byte_order = STACK_BYTE_ORDER;
	h->version = STACK_VERSION;
	h->used = s->used = STACK_FIRST;
	memcpy(&magic, STACK_MAGIC, sizeof(magic));
	__atomic_store_n((uint64_t *)(void *)h->magic, magic, __ATOMIC_RELEASE);
	return 0;
}

/* One pass: check each record and add it to the index [ST-7]. */
static int read_log(struct stack_store *s, struct stack_log *log, const char *path,
		    struct op_error *e)
{
	const char *why = "the last record is truncated";	/* [ST-5] */
	int n;

	for (uint32_t pos = STACK_FIRST; pos < s->used; pos += (uint32_t)n) {
		int err = stack_index_reserve(s);

		if (err)
			return op_error_set(e, err, "cannot index '%s': out of memory", path);
		n = stack_log_check(log, pos, &why);
		if (n <= 0)
			return op_error_set(e, -EPROTO, "%s: offset %llu: %s", path,
					    (unsigned long long)pos * 8, why);
		stack_index_insert(s, pos);
	}
	return 0;
}

static int open_log(struct stack_store *s, const struct stack_header *h, uint64_t length,
		    const char *path, struct op_error *e)
{
	struct stack_log log;
	int err;

	length &= ~UINT64_C(7);
	/* a copy may have become sparse: writing to a hole could fail too late */
	err = stack_map(s, length, length);
	if (err)
		return op_error_set(e, err, "cannot add to '%s': %s", path, strerror(-err));
	s->used = h->used;
	log = (struct stack_log){ s->records, s->used, calloc(s->used, sizeof(*log.marks)) };
	if (!log.marks)
		return op_error_set(e, -ENOMEM, "cannot check '%s': out of memory", path);
	err = read_log(s, &log, path, e);
	free(log.marks);
	return err;
}

static int open_file(struct stack_store *s, const char *path, struct op_error *e)
{
	struct stack_header h = { { 0 }, 0, 0, 0, 0, 0, { 0 } };
	struct stat st;
	ssize_t n;
	int err;

	if (flock(s->fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ?
			op_error_set(e, -EBUSY, "'%s': in use by another writer", path) :
			op_error_set(e, -errno, "cannot lock '%s': %s", path, strerror(errno));
	if (fstat(s->fd, &st))
		return op_error_set(e, -errno, "cannot stat '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return op_error_set(e, -EPROTO, "'%s': not a regular file", path);
	n = pread(s->fd, &h, sizeof(h), 0);
	if (n < 0)
		return op_error_set(e, -errno, "cannot read '%s': %s", path, strerror(errno));
	err = stack_header_check(&h, (uint64_t)st.st_size, path, e);
	if (err == -ENODATA)
		return create(s, (uint64_t)st.st_size, path, e);
	if (!err && h.version == STACK_VERSION_PACKED)
		return -ESTALE;
	if (err)
		return err;
	return open_log(s, &h, (uint64_t)st.st_size, path, e);
}

/* -ESTALE: it is packed, and another file when it is unpacked. */
static int open_path(struct stack_store *s, const char *path, struct op_error *e)
{
	s->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
	return s->fd < 0 ? op_error_set(e, -errno, "cannot open '%s': %s", path, strerror(errno))
			 : open_file(s, path, e);
}

static int open_unpacked(struct stack_store *s, const char *path, struct op_error *e)
{
	int err = open_path(s, path, e);

	if (err != -ESTALE)
		return err;
	close(s->fd);
	s->fd = -1;
	err = stack_store_unpack(path, e);
	return err ? err : open_path(s, path, e);
}

int stack_store_open(const char *path, uint64_t max_bytes, struct stack_store **ret_store,
		     struct op_error *e)
{
	struct stack_store *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return op_error_set(e, -ENOMEM, "cannot open '%s': out of memory", path);
	s->max_length = max_bytes && max_bytes < STACK_STORE_MAX ? max_bytes & ~UINT64_C(7)
								 : STACK_STORE_MAX;
	err = open_unpacked(s, path, e);
	if (!err && (err = stack_index_reserve(s)))
		op_error_set(e, err, "cannot index '%s': out of memory", path);
	if (err) {
		/* not stack_store_close(): the file stays unchanged */
		if (s->header)
			munmap(s->header, s->length);
		if (s->fd >= 0)
			close(s->fd);
		free(s->index);
		free(s);
		return err;
	}
	*ret_store = s;
	return 0;
}

struct stack_store *stack_store_close(struct stack_store *s)
{
	if (!s)
		return NULL;
	munmap(s->header, s->length);
	(void)!ftruncate(s->fd, (off_t)s->used * 8);
	(void)flock(s->fd, LOCK_UN);	/* a child of fork() may have it open, too */
	close(s->fd);
	free(s->index);
	free(s);
	return NULL;
}

int stack_store_sync(struct stack_store *s)
{
	return msync(s->header, s->length, MS_SYNC) ? -errno : 0;
}

void stack_store_size(const struct stack_store *s, struct stack_store_size *ret)
{
	*ret = (struct stack_store_size){
		.bytes = (uint64_t)s->used * 8,
		.memory = sizeof(*s) + ((uint64_t)s->index_mask + 1) * sizeof(*s->index),
		.nodes = s->nr_nodes,
		.frames = s->nr_frames,
		.lost = s->header->lost,
	};
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * header.c - OProfile's file header, field by field
 *
 * The two layouts are structs with the alignment of 64-bit machines. Their sizes are checked below,
 * so that another ABI does not compile rather than write garbage.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libdb/session/header.h"

static const char sample_magic[4] = { 'D', 'A', 'E', '\n' };

/* The beginning of both versions, [SF-1] to [SF-4]. */
struct header_common {
	char magic[4];
	uint32_t version;
	uint32_t cpu_type;
	uint32_t event;
	uint32_t unit_mask;
	uint32_t count;
	uint32_t is_kernel;
	uint32_t pad;
	_Alignas(8) double cpu_mhz;	/* also on 32-bit machines */
	uint64_t mtime;
	uint32_t cg_to_is_kernel;
};

struct header_1x {
	struct header_common c;		/* the padding at its end is part of the file */
	uint64_t anon_start;
	uint64_t cg_to_anon_start;
};

struct header_099 {			/* [SF-5] */
	char magic[4];
	uint32_t version, cpu_type, event, unit_mask, count, is_kernel, pad;
	double cpu_mhz;
	uint64_t mtime;
	uint32_t cg_to_is_kernel;
	uint32_t spu_profile;
	uint64_t embedded_offset;	/* all ones: unused */
	uint64_t anon_start;
	uint64_t cg_to_anon_start;
	uint32_t reserved, pad2;
};

_Static_assert(sizeof(struct header_1x) == SAMPLE_HEADER_SIZE, "layout of version 0x13");
_Static_assert(sizeof(struct header_099) == SAMPLE_HEADER_SIZE_099, "layout of version 0x12");
_Static_assert(offsetof(struct header_1x, anon_start) == 56, "layout of version 0x13");
_Static_assert(offsetof(struct header_099, anon_start) == 64, "layout of version 0x12");
_Static_assert(offsetof(struct header_099, cg_to_is_kernel) ==
		       offsetof(struct header_common, cg_to_is_kernel), "common part");

static void encode_common(const struct sample_header *h, struct header_common *c)
{
	memcpy(c->magic, sample_magic, sizeof(c->magic));
	c->version = h->version;
	c->cpu_type = h->cpu_type;
	c->event = h->event;
	c->unit_mask = h->unit_mask;
	c->count = h->count;
	c->is_kernel = h->is_kernel;
	c->cpu_mhz = h->cpu_mhz;
	c->mtime = h->mtime;
	c->cg_to_is_kernel = h->cg_to_is_kernel;
}

static void encode_1x(const struct sample_header *h, struct header_1x *ret)
{
	memset(ret, 0, sizeof(*ret));
	encode_common(h, &ret->c);
	ret->anon_start = h->anon_start;
	ret->cg_to_anon_start = h->cg_to_anon_start;
}

static void encode_099(const struct sample_header *h, struct header_099 *ret)
{
	memset(ret, 0, sizeof(*ret));
	/* spu_profile lies in the padding of the common part: 0 in both */
	encode_common(h, (struct header_common *)(void *)ret);
	ret->embedded_offset = UINT64_MAX;
	ret->anon_start = h->anon_start;
	ret->cg_to_anon_start = h->cg_to_anon_start;
}

int sample_header_encode(const struct sample_header *h, void *bytes, size_t room)
{
	union {
		struct header_1x v1x;
		struct header_099 v099;
	} u;
	size_t size;

	if (h->version == SAMPLE_VERSION_1X) {
		encode_1x(h, &u.v1x);
		size = sizeof(u.v1x);
	} else if (h->version == SAMPLE_VERSION_099) {
		encode_099(h, &u.v099);
		size = sizeof(u.v099);
	} else {
		return -ENOTSUP;
	}
	if (room < size)
		return -ENOSPC;
	memcpy(bytes, &u, size);
	return (int)size;
}

int sample_header_store(const struct sample_header *h, void *mapped)
{
	unsigned char bytes[SAMPLE_HEADER_SIZE_MAX];
	int size = sample_header_encode(h, bytes, sizeof(bytes));
	uint32_t magic;

	if (size < 0)
		return size;
	memcpy(&magic, bytes, sizeof(magic));
	memcpy((char *)mapped + sizeof(magic), bytes + sizeof(magic), (size_t)size - sizeof(magic));
	__atomic_store_n((uint32_t *)mapped, magic, __ATOMIC_RELEASE);
	return 0;
}

static bool all_zero(const unsigned char *bytes, size_t n)
{
	while (n && !bytes[n - 1])
		n--;
	return n == 0;
}

/* Check magic and version; *ret_size is the size of the header that begins with @bytes. */
static int check_start(const unsigned char *bytes, size_t n, size_t *ret_size, struct op_error *e)
{
	uint32_t version;

	/* behind the shorter header the table may begin */
	if (all_zero(bytes, n < SAMPLE_HEADER_SIZE ? n : SAMPLE_HEADER_SIZE))
		return op_error_set(e, -ENODATA, "contains no samples yet");
	if (n < 8 || memcmp(bytes, sample_magic, sizeof(sample_magic)))		/* [SF-1] */
		return op_error_set(e, -EPROTO, "not an OProfile sample file");
	memcpy(&version, bytes + 4, sizeof(version));
	if (version == SAMPLE_VERSION_1X)
		*ret_size = SAMPLE_HEADER_SIZE;
	else if (version == SAMPLE_VERSION_099)
		*ret_size = SAMPLE_HEADER_SIZE_099;
	else if (__builtin_bswap32(version) <= 0xff)	/* [SF-6] */
		return op_error_set(e, -ENOTSUP, "version 0x%x, written on a machine of the other "
				    "byte order; convert it with opimport",
				    __builtin_bswap32(version));
	else						/* [SF-2] */
		return op_error_set(e, -ENOTSUP, "unsupported version 0x%x: expected 0x%x or 0x%x",
				    version, SAMPLE_VERSION_099, SAMPLE_VERSION_1X);
	if (n < *ret_size)				/* [SF-3] */
		return op_error_set(e, -EPROTO, "truncated: expected %zu bytes of header, got %zu",
				    *ret_size, n);
	return 0;
}

static void decode(const unsigned char *bytes, struct sample_header *ret)
{
	struct header_common c;
	struct header_1x v1x;
	struct header_099 v099;

	memcpy(&c, bytes, sizeof(c));
	memset(ret, 0, sizeof(*ret));
	ret->version = c.version;
	ret->cpu_type = c.cpu_type;
	ret->event = c.event;
	ret->unit_mask = c.unit_mask;
	ret->count = c.count;
	ret->is_kernel = c.is_kernel != 0;
	ret->cpu_mhz = c.cpu_mhz;
	ret->mtime = c.mtime;
	ret->cg_to_is_kernel = c.cg_to_is_kernel != 0;
	if (c.version == SAMPLE_VERSION_1X) {
		memcpy(&v1x, bytes, sizeof(v1x));
		ret->anon_start = v1x.anon_start;
		ret->cg_to_anon_start = v1x.cg_to_anon_start;
	} else {
		memcpy(&v099, bytes, sizeof(v099));
		ret->anon_start = v099.anon_start;
		ret->cg_to_anon_start = v099.cg_to_anon_start;
	}
}

int sample_header_decode(const void *bytes, size_t n, struct sample_header *ret, size_t *ret_size,
			 struct op_error *e)
{
	size_t size = 0;
	int err = check_start(bytes, n, &size, e);

	if (err)
		return err;
	decode(bytes, ret);
	if (ret_size)
		*ret_size = size;
	return 0;
}

/* How many bytes of @room the file has, or -errno. */
static ssize_t read_start(const char *path, unsigned char *bytes, size_t room, struct op_error *e)
{
	ssize_t n;
	int fd, err = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		err = -errno;
		return op_error_set(e, err, "cannot open '%s': %s", path, strerror(-err));
	}
	do {
		n = pread(fd, bytes, room, 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		err = -errno;
	close(fd);
	if (err)
		return op_error_set(e, err, "cannot read '%s': %s", path, strerror(-err));
	return n;
}

int sample_header_read(const char *path, struct sample_header *ret, size_t *ret_size,
		       struct op_error *e)
{
	unsigned char bytes[SAMPLE_HEADER_SIZE_MAX];
	struct op_error why = { "" };
	ssize_t n = read_start(path, bytes, sizeof(bytes), e);
	int err = n < 0 ? (int)n : sample_header_decode(bytes, (size_t)n, ret, ret_size, &why);

	return n >= 0 && err ? op_error_set(e, err, "'%s': %s", path, why.text) : err;
}

int sample_header_read_any(const char *path, struct sample_header *ret, struct op_error *e)
{
	unsigned char bytes[SAMPLE_HEADER_SIZE_MAX];
	int err = sample_header_read(path, ret, NULL, e);

	if (err != -ENOTSUP ||
	    read_start(path, bytes, sizeof(bytes), NULL) < (ssize_t)SAMPLE_HEADER_SIZE)
		return err;
	decode(bytes, ret);
	ret->version = SAMPLE_VERSION_1X;
	return 0;
}

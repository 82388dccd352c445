/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack_zst.c - with libzstd, into a buffer that grows as long as it is filled
 *
 * The library is on every machine that has something packed with it, its headers are not: so it is
 * loaded, not linked. What is used of it has been the same since 2016.
 */
#include "pp/binary/unpack_zst.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define LIBRARY "libzstd.so.1"

/* As its manual has them. */
struct in_buffer {
	const void *bytes;
	size_t size, at;
};

struct out_buffer {
	void *bytes;
	size_t size, at;
};

enum { WINDOW_TOO_LARGE = 16, NO_MEMORY = 64 };	/* of its error codes */

static struct library {
	void *(*create)(void);
	size_t (*free)(void *stream);
	size_t (*unpack)(void *stream, struct out_buffer *out, struct in_buffer *in);
	unsigned int (*is_error)(size_t status);
	int (*error_code)(size_t status);
	bool is_there;
} zstd;

static void load(void)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return;
	zstd.create = (void *(*)(void))dlsym(handle, "ZSTD_createDStream");
	zstd.free = (size_t (*)(void *))dlsym(handle, "ZSTD_freeDStream");
	zstd.unpack = (size_t (*)(void *, struct out_buffer *, struct in_buffer *))
		dlsym(handle, "ZSTD_decompressStream");
	zstd.is_error = (unsigned int (*)(size_t))dlsym(handle, "ZSTD_isError");
	zstd.error_code = (int (*)(size_t))dlsym(handle, "ZSTD_getErrorCode");
	zstd.is_there = zstd.create && zstd.free && zstd.unpack && zstd.is_error &&
			zstd.error_code;
}

static int error_of(size_t status)
{
	switch (zstd.error_code(status)) {
	case NO_MEMORY:
		return -ENOMEM;
	case WINDOW_TOO_LARGE:
		return -EFBIG;
	default:
		return -EINVAL;
	}
}

/* Double the room for output, up to @limit. */
static int grow(struct out_buffer *out, size_t limit)
{
	size_t wanted = out->size ? out->size * 2 : 64 * 1024;
	void *more;

	if (out->size >= limit)
		return -EFBIG;
	if (wanted > limit)
		wanted = limit;
	more = realloc(out->bytes, wanted);
	if (!more)
		return -ENOMEM;
	out->bytes = more;
	out->size = wanted;
	return 0;
}

/* All frames of @in. What is left to do is 0 at the end of one. */
static int unpack(void *stream, struct in_buffer *in, struct out_buffer *out, size_t limit)
{
	size_t left = 1;

	while (in->at < in->size || left) {
		size_t had = in->at, made = out->at;
		int err = out->at == out->size ? grow(out, limit) : 0;

		if (err)
			return err;
		left = zstd.unpack(stream, out, in);
		if (zstd.is_error(left))
			return error_of(left);
		if (left && in->at == had && out->at == made)
			return -EINVAL;		/* it was cut short */
	}
	return 0;
}

int unpack_zst(const void *packed, size_t size, size_t limit, unsigned char **ret,
	       size_t *ret_size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct in_buffer in = { packed, size, 0 };
	struct out_buffer out = { NULL, 0, 0 };
	void *stream;
	int err;

	pthread_once(&once, load);
	if (!zstd.is_there)
		return -ELIBACC;
	stream = zstd.create();
	err = stream ? unpack(stream, &in, &out, limit) : -ENOMEM;
	zstd.free(stream);
	if (err) {
		free(out.bytes);
		return err;
	}
	*ret = out.bytes;
	*ret_size = out.at;
	return 0;
}

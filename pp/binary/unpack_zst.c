/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unpack_zst.c - unpack with libzstd into a buffer that grows */
#include "pp/binary/unpack_zst.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define WINDOW_LOG_LEAST	23
#define WINDOW_LOG_MOST		27	/* libzstd's own limit */
#define EXPANSION_MAX		256	/* of what is allocated at once, because a frame says so */

static int error_of(size_t status)
{
	switch (ZSTD_getErrorCode(status)) {
	case ZSTD_error_memory_allocation:
		return -ENOMEM;
	case ZSTD_error_frameParameter_windowTooLarge:
		return -EFBIG;
	default:
		return -EINVAL;
	}
}

/* Double the room for output, up to @limit. */
static int grow(ZSTD_outBuffer *out, size_t limit)
{
	size_t wanted = out->size ? out->size * 2 : 64 * 1024;
	void *more;

	if (out->size >= limit)
		return -EFBIG;
	if (wanted > limit)
		wanted = limit;
	more = realloc(out->dst, wanted);
	if (!more)
		return -ENOMEM;
	out->dst = more;
	out->size = wanted;
	return 0;
}

/* The first four bytes, 0 if there are fewer. */
static uint32_t magic_of(const void *bytes, size_t size)
{
	const unsigned char *p = bytes;

	return size < 4 ? 0 : p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
			      (uint32_t)p[3] << 24;
}

/*
 * Not one of the formats before zstd 1.0, which no kernel module has: their decoders obey no limit
 * of the window.
 */
static bool is_frame(const ZSTD_inBuffer *in)
{
	uint32_t magic = magic_of((const char *)in->src + in->pos, in->size - in->pos);

	return magic == ZSTD_MAGICNUMBER ||
	       (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

/*
 * One frame that says its length, as of symbols that the history kept: in half the time, because
 * nothing is copied. NULL if it is another or malformed: unpack() says what is wrong.
 */
static void *unpack_frame(const void *packed, size_t size, size_t limit, size_t *ret_size)
{
	unsigned long long length = ZSTD_getFrameContentSize(packed, size);
	void *bytes;

	if (magic_of(packed, size) != ZSTD_MAGICNUMBER || !length || length > limit ||
	    length / EXPANSION_MAX > size || ZSTD_findFrameCompressedSize(packed, size) != size)
		return NULL;
	bytes = malloc(length);
	if (bytes && ZSTD_decompress(bytes, length, packed, size) == length) {
		*ret_size = length;
		return bytes;
	}
	free(bytes);
	return NULL;
}

/* Unpack all frames of @in. ZSTD_decompressStream() returns 0 at the end of one. */
static int unpack(ZSTD_DStream *stream, ZSTD_inBuffer *in, ZSTD_outBuffer *out, size_t limit)
{
	size_t left = 0;

	do {
		size_t in_before = in->pos, out_before = out->pos;
		int err = out->pos == out->size ? grow(out, limit) : 0;

		if (err)
			return err;
		if (!left && !is_frame(in))
			return -EINVAL;
		left = ZSTD_decompressStream(stream, out, in);
		if (ZSTD_isError(left))
			return error_of(left);
		if (left && in->pos == in_before && out->pos == out_before)
			return -EINVAL;		/* truncated */
	} while (in->pos < in->size || left);
	return 0;
}

/*
 * A frame may claim a window of 128 MB whatever it holds, and all of that is allocated. Compressors
 * that do not know the length in advance have windows of up to 8 MB at their usual levels.
 */
static int limit_window(ZSTD_DStream *stream, size_t limit)
{
	int log = WINDOW_LOG_LEAST;

	while (log < WINDOW_LOG_MOST && (size_t)1 << log < limit)
		log++;
	return ZSTD_isError(ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, log)) ? -EINVAL : 0;
}

int unpack_zst(const void *packed, size_t size, size_t limit, unsigned char **ret,
	       size_t *ret_size)
{
	ZSTD_inBuffer in = { packed, size, 0 };
	ZSTD_outBuffer out = { NULL, 0, 0 };
	void *whole = unpack_frame(packed, size, limit, ret_size);
	ZSTD_DStream *stream;
	int err;

	if (whole) {
		*ret = whole;
		return 0;
	}
	stream = ZSTD_createDStream();
	err = stream ? limit_window(stream, limit) : -ENOMEM;
	if (!err)
		err = unpack(stream, &in, &out, limit);
	ZSTD_freeDStream(stream);
	if (err) {
		free(out.dst);
		return err;
	}
	*ret = out.dst;
	*ret_size = out.pos;
	return 0;
}

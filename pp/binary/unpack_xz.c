/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unpack_xz.c - unpack with liblzma into a buffer that grows */
#include "pp/binary/unpack_xz.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

static int error_of(lzma_ret status)
{
	switch (status) {
	case LZMA_OK:
	case LZMA_STREAM_END:
		return 0;
	case LZMA_MEM_ERROR:
		return -ENOMEM;
	case LZMA_MEMLIMIT_ERROR:
		return -EFBIG;
	default:
		return -EINVAL;
	}
}

/* Double the room for output, up to @limit. */
static int grow(unsigned char **bytes, size_t *room, size_t limit, lzma_stream *stream)
{
	size_t used = *room - stream->avail_out, wanted = *room ? *room * 2 : 64 * 1024;
	unsigned char *more;

	if (*room >= limit)
		return -EFBIG;
	if (wanted > limit)
		wanted = limit;
	more = realloc(*bytes, wanted);
	if (!more)
		return -ENOMEM;
	*bytes = more;
	*room = wanted;
	stream->next_out = more + used;
	stream->avail_out = wanted - used;
	return 0;
}

int unpack_xz(const void *packed, size_t size, size_t limit, unsigned char **ret, size_t *ret_size)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status = lzma_stream_decoder(&stream, limit, LZMA_CONCATENATED);
	unsigned char *bytes = NULL;
	size_t room = 0;
	int err = error_of(status);

	stream.next_in = packed;
	stream.avail_in = size;
	while (!err && status != LZMA_STREAM_END) {
		if (!stream.avail_out)
			err = grow(&bytes, &room, limit, &stream);
		if (!err) {
			status = lzma_code(&stream, LZMA_FINISH);
			err = error_of(status);
		}
	}
	*ret_size = room - stream.avail_out;
	lzma_end(&stream);
	if (err) {
		free(bytes);
		return err;
	}
	*ret = bytes;
	return 0;
}

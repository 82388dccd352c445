// SPDX-License-Identifier: GPL-2.0-or-later
/* gunzip.c - unpack a profile, never to much more than its packed bytes are worth */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "formats/file/gunzip.h"

#define ALWAYS_FINE	(1u << 20)	/* bytes [PF-7] */
#define LARGEST_RATIO	64
#define WITH_GZIP_HEAD	(16 + MAX_WBITS)

struct unpacked {
	unsigned char *bytes;
	size_t size, room;
};

bool is_gzip(const unsigned char *bytes, size_t size)
{
	return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static bool make_room(struct unpacked *u, size_t first)
{
	size_t room = u->room ? 2 * u->room : first;
	unsigned char *larger = realloc(u->bytes, room);

	if (!larger)
		return false;
	u->bytes = larger;
	u->room = room;
	return true;
}

/* Of a stream that is there in one piece: zlib counts in unsigned int. */
static void feed(z_stream *z, const unsigned char *bytes, size_t size)
{
	size_t left = size - (size_t)(z->next_in - bytes);

	z->avail_in = left > UINT_MAX / 2 ? UINT_MAX / 2 : (uInt)left;
}

/* zlib's answer: Z_STREAM_END when a member is whole. */
static int unpack_member(z_stream *z, const unsigned char *bytes, size_t size, size_t limit,
			 struct unpacked *u)
{
	int answer;

	do {
		size_t room;

		if (u->size == u->room && !make_room(u, 4 * size + 4096))
			return Z_MEM_ERROR;
		room = u->room - u->size;
		feed(z, bytes, size);
		z->next_out = u->bytes + u->size;
		z->avail_out = room > UINT_MAX / 2 ? UINT_MAX / 2 : (uInt)room;
		answer = inflate(z, Z_NO_FLUSH);
		u->size = (size_t)(z->next_out - u->bytes);
		if (u->size > limit)
			return Z_BUF_ERROR;
	} while (answer == Z_OK);
	return answer;
}

static int fault(z_stream *z, const unsigned char *bytes, int answer, bool too_large,
		 struct op_error *e)
{
	unsigned long long at = (unsigned long long)(z->next_in - bytes);

	if (answer == Z_MEM_ERROR)
		return op_error_set(e, -ENOMEM, "out of memory while unpacking it");
	if (too_large)
		return op_error_set(e, -EFBIG, "offset %llu: unpacked it is more than %u times as "
				    "large, and more than %u MiB: if that is right, unpack it with "
				    "gunzip first [PF-7]", at, LARGEST_RATIO, ALWAYS_FINE >> 20);
	if (answer == Z_BUF_ERROR)
		return op_error_set(e, -EPROTO, "offset %llu: the gzip data is cut off [PF-12]",
				    at);
	return op_error_set(e, -EPROTO, "offset %llu: the gzip data is damaged (%s) [PF-12]", at,
			    z->msg ? z->msg : "zlib does not say how");
}

/* All members, one behind the other. */
static int unpack(z_stream *z, const unsigned char *bytes, size_t size,
		  const struct format_read_options *options, struct unpacked *u,
		  struct op_error *e)
{
	size_t limit = size > SIZE_MAX / LARGEST_RATIO ? SIZE_MAX : LARGEST_RATIO * size;
	size_t left;
	int answer;

	if (limit < ALWAYS_FINE)
		limit = ALWAYS_FINE;
	for (;;) {
		size_t method = (size_t)(z->next_in - bytes) + 2;

		if (method < size && bytes[method] != Z_DEFLATED)
			return op_error_set(e, -EPROTO, "offset %zu: gzip by method %u, and only "
					    "%u (deflate) is known [PF-12]", method, bytes[method],
					    Z_DEFLATED);
		answer = unpack_member(z, bytes, size, limit, u);
		if (answer != Z_STREAM_END)
			return fault(z, bytes, answer, u->size > limit, e);
		left = size - (size_t)(z->next_in - bytes);
		if (!left)
			return 0;
		if (!is_gzip(z->next_in, left))
			return format_doubt(options, e, "offset %zu: %zu bytes after the gzip "
					    "data are no more of it [PF-12]", size - left, left);
		inflateReset(z);
	}
}

int profile_gunzip(const unsigned char *bytes, size_t size,
		   const struct format_read_options *options, unsigned char **ret,
		   size_t *ret_size, struct op_error *e)
{
	struct unpacked u = { 0 };
	struct op_error why = { "" };
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)bytes };
	int err;

	if (inflateInit2(&z, WITH_GZIP_HEAD) != Z_OK)
		return op_error_set(e, -ENOMEM, "out of memory while unpacking it");
	err = unpack(&z, bytes, size, options, &u, &why);
	inflateEnd(&z);
	if (err == -EPROTO && options->salvage && u.size) {
		format_warn(options->warnings, "%s: kept %zu bytes before that", why.text, u.size);
		err = 0;
	}
	if (err) {
		free(u.bytes);
		return op_error_set(e, err, "%s", why.text);
	}
	*ret = u.bytes;
	*ret_size = u.size;
	return 0;
}

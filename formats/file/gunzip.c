// SPDX-License-Identifier: GPL-2.0-or-later
/* gunzip.c - unpack gzip, with a limit on the unpacked size */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "formats/file/gunzip.h"

#define ALWAYS_ALLOWED	(1u << 20)	/* bytes unpacked [PF-7] */
#define LARGEST_RATIO	64		/* of unpacked bytes to packed bytes */
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

/* Offer zlib all bytes that are left, as far as its unsigned int can count them. */
static void feed(z_stream *z, const unsigned char *bytes, size_t size)
{
	size_t left = size - (size_t)(z->next_in - bytes);

	z->avail_in = left > UINT_MAX / 2 ? UINT_MAX / 2 : (uInt)left;
}

/* Returns what zlib returns: Z_STREAM_END when a member is complete. */
static int unpack_member(z_stream *z, const unsigned char *bytes, size_t size, size_t limit,
			 struct unpacked *u)
{
	int result;

	do {
		size_t room;

		if (u->size == u->room && !make_room(u, 4 * size + 4096))
			return Z_MEM_ERROR;
		room = u->room - u->size;
		feed(z, bytes, size);
		z->next_out = u->bytes + u->size;
		z->avail_out = room > UINT_MAX / 2 ? UINT_MAX / 2 : (uInt)room;
		result = inflate(z, Z_NO_FLUSH);
		u->size = (size_t)(z->next_out - u->bytes);
		if (u->size > limit)
			return Z_BUF_ERROR;
	} while (result == Z_OK);
	return result;
}

/* [PF-7] [PF-12] */
static int set_error(z_stream *z, const unsigned char *bytes, int result, bool too_large,
		     struct op_error *e)
{
	unsigned long long at = (unsigned long long)(z->next_in - bytes);

	if (result == Z_MEM_ERROR)
		return op_error_set(e, -ENOMEM, "out of memory");
	if (too_large)
		return op_error_set(e, -EFBIG, "offset %llu: unpacked data exceeds %u MiB and %u "
				    "times the file's size; if that is right, unpack it with "
				    "gunzip", at, ALWAYS_ALLOWED >> 20, LARGEST_RATIO);
	if (result == Z_BUF_ERROR)
		return op_error_set(e, -EPROTO, "offset %llu: truncated gzip data", at);
	return op_error_set(e, -EPROTO, "offset %llu: corrupt gzip data: %s", at,
			    z->msg ? z->msg : "unknown error");
}

/* Unpack all members, one after the other. [PF-12] */
static int unpack(z_stream *z, const unsigned char *bytes, size_t size,
		  const struct format_read_options *options, struct unpacked *u,
		  struct op_error *e)
{
	size_t limit = size > SIZE_MAX / LARGEST_RATIO ? SIZE_MAX : LARGEST_RATIO * size;
	size_t left;
	int result;

	if (limit < ALWAYS_ALLOWED)
		limit = ALWAYS_ALLOWED;
	for (;;) {
		size_t method = (size_t)(z->next_in - bytes) + 2;

		if (method < size && bytes[method] != Z_DEFLATED)
			return op_error_set(e, -EPROTO, "offset %zu: unsupported gzip method %u: "
					    "expected %u (deflate)", method, bytes[method],
					    Z_DEFLATED);
		result = unpack_member(z, bytes, size, limit, u);
		if (result != Z_STREAM_END)
			return set_error(z, bytes, result, u->size > limit, e);
		left = size - (size_t)(z->next_in - bytes);
		if (!left)
			return 0;
		if (!is_gzip(z->next_in, left))
			return format_warn_or_fail(options, e, "offset %zu: %zu bytes of trailing "
						   "garbage after the gzip data", size - left,
						   left);
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
		return op_error_set(e, -ENOMEM, "out of memory");
	err = unpack(&z, bytes, size, options, &u, &why);
	inflateEnd(&z);
	if (err == -EPROTO && options->salvage && u.size) {
		format_warn(options->warnings, "%s; kept the %zu bytes before it", why.text,
			    u.size);
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

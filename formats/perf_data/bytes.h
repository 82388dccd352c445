/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bytes.h - take numbers and strings from bytes of either byte order, never past their end */
#ifndef FORMATS_PERF_DATA_BYTES_H
#define FORMATS_PERF_DATA_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const unsigned char *at, *end;
	bool swap;		/* of the other byte order than this machine's */
};

static inline size_t bytes_left(const struct bytes *b)
{
	return (size_t)(b->end - b->at);
}

static inline bool skip_bytes(struct bytes *b, uint64_t n)
{
	if (bytes_left(b) < n)
		return false;
	b->at += n;
	return true;
}

static inline bool take_u16(struct bytes *b, uint16_t *ret)
{
	if (bytes_left(b) < sizeof(*ret))
		return false;
	memcpy(ret, b->at, sizeof(*ret));
	b->at += sizeof(*ret);
	*ret = b->swap ? __builtin_bswap16(*ret) : *ret;
	return true;
}

static inline bool take_u32(struct bytes *b, uint32_t *ret)
{
	if (bytes_left(b) < sizeof(*ret))
		return false;
	memcpy(ret, b->at, sizeof(*ret));
	b->at += sizeof(*ret);
	*ret = b->swap ? __builtin_bswap32(*ret) : *ret;
	return true;
}

static inline bool take_u64(struct bytes *b, uint64_t *ret)
{
	if (bytes_left(b) < sizeof(*ret))
		return false;
	memcpy(ret, b->at, sizeof(*ret));
	b->at += sizeof(*ret);
	*ret = b->swap ? __builtin_bswap64(*ret) : *ret;
	return true;
}

/* Take the next @n bytes as a part of their own. */
static inline bool take_part(struct bytes *b, uint64_t n, struct bytes *ret)
{
	if (bytes_left(b) < n)
		return false;
	*ret = (struct bytes){ b->at, b->at + n, b->swap };
	b->at += n;
	return true;
}

/* A string that ends with NUL in @b, or NULL. */
static inline const char *take_string(struct bytes *b)
{
	const unsigned char *nul = memchr(b->at, 0, bytes_left(b));
	const char *text = (const char *)b->at;

	if (!nul)
		return NULL;
	b->at = nul + 1;
	return text;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.h - read the numbers of call frame information, never past the end
 *
 * After a read past the end, @bad is set, all reads return 0 and nothing is left.
 */
#ifndef UNWIND_BYTES_H
#define UNWIND_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct unwind_bytes {
	const uint8_t *p;
	size_t left;
	bool bad;
};

static inline struct unwind_bytes unwind_bytes(const void *p, size_t n)
{
	return (struct unwind_bytes){ p, n, false };
}

/* Skip and return the next @n bytes; NULL if fewer are left. */
static inline const uint8_t *unwind_skip(struct unwind_bytes *b, uint64_t n)
{
	const uint8_t *p = b->p;

	if (b->bad || n > b->left) {
		b->bad = true;
		b->left = 0;
		return NULL;
	}
	b->p += n;
	b->left -= n;
	return p;
}

/* Skip the next @n bytes and return a reader of them. */
static inline struct unwind_bytes unwind_part(struct unwind_bytes *b, uint64_t n)
{
	const uint8_t *p = unwind_skip(b, n);

	return (struct unwind_bytes){ p, p ? n : 0, !p };
}

static inline uint64_t unwind_unsigned(struct unwind_bytes *b, unsigned int size)
{
	const uint8_t *p = unwind_skip(b, size);
	uint64_t value = 0;

	if (p)
		memcpy(&value, p, size);	/* all supported machines are little-endian */
	return value;
}

static inline int64_t unwind_signed(struct unwind_bytes *b, unsigned int size)
{
	unsigned int unused = 64 - 8 * size;

	return (int64_t)(unwind_unsigned(b, size) << unused) >> unused;
}

/* Bits beyond the 64th are dropped. */
static inline uint64_t unwind_uleb(struct unwind_bytes *b)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned int shift = 0;; shift += shift < 64 ? 7 : 0) {
		byte = unwind_unsigned(b, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

static inline int64_t unwind_sleb(struct unwind_bytes *b)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = unwind_unsigned(b, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		value |= ~(uint64_t)0 << shift;
	return (int64_t)value;
}

#endif

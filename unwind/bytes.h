/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes.h - reading call frame information: numbers of all its kinds, never past the end
 *
 * After a read that did not fit, bad is set, everything reads as 0 and nothing is left.
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

/* The next @n bytes, stepped over; NULL if there are not as many. */
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

/* The next @n bytes as something to read from. */
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
		memcpy(&value, p, size);	/* such machines are little-endian */
	return value;
}

static inline int64_t unwind_signed(struct unwind_bytes *b, unsigned int size)
{
	unsigned int unused = 64 - 8 * size;

	return (int64_t)(unwind_unsigned(b, size) << unused) >> unused;
}

/* Bits beyond the 64th are dropped, however many bytes they take. */
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

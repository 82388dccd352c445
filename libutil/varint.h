/* SPDX-License-Identifier: GPL-2.0-or-later */
/* varint.h - numbers of 7 bits to a byte, the lowest first, the top bit set if more follow */
#ifndef LIBUTIL_VARINT_H
#define LIBUTIL_VARINT_H

#include <stdbool.h>
#include <stdint.h>
#include "libutil/strbuf.h"

static inline void varint_put(struct strbuf *out, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		strbuf_add_char(out, (char)(n | 0x80));
	strbuf_add_char(out, (char)n);
}

/* The number at *@at, which moves on. Cut off at @end, or too long: 0, and *failed is set. */
static inline uint64_t varint_get(const unsigned char **at, const unsigned char *end, bool *failed)
{
	uint64_t n = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		if (*at == end)
			break;
		n |= (uint64_t)(**at & 0x7f) << shift;
		if (!(*(*at)++ & 0x80))
			return n;
	}
	*failed = true;
	return 0;
}

#endif

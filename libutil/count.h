/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count.h - sums and shares of samples, and of the time they stand for */
#ifndef LIBUTIL_COUNT_H
#define LIBUTIL_COUNT_H

#include <stdint.h>

/* Add @n; the sum saturates at UINT64_MAX. */
static inline void count_add(uint64_t *sum, uint64_t n)
{
	*sum = *sum + n < n ? UINT64_MAX : *sum + n;
}

/* As below, with words of 64 bits only. */
static inline uint64_t count_scale_by_words(uint64_t n, uint64_t by, uint64_t more, uint64_t of)
{
	uint64_t n_low = (uint32_t)n, n_high = n >> 32, by_low = (uint32_t)by, by_high = by >> 32;
	uint64_t middle = n_high * by_low + (n_low * by_low >> 32);
	uint64_t high = n_high * by_high + (middle >> 32);
	uint64_t low = n * by + more;

	high += (n_low * by_high + (uint32_t)middle) >> 32;
	high += low < more;
	if (high >= of)
		return UINT64_MAX;
	/* long division: quotient bits replace those of the low word */
	for (int i = 0; i < 64; i++) {
		uint64_t carry = high >> 63;

		high = high << 1 | low >> 63;
		low <<= 1;
		if (carry || high >= of) {
			high -= of;
			low |= 1;
		}
	}
	return low;
}

/* (@n * @by + @more) / @of, rounded down; saturates at UINT64_MAX. @of is not 0. */
static inline uint64_t count_scale(uint64_t n, uint64_t by, uint64_t more, uint64_t of)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 scaled = ((unsigned __int128)n * by + more) / of;

	return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
#else
	return count_scale_by_words(n, by, more, of);
#endif
}

#endif

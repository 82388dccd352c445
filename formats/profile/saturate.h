/* SPDX-License-Identifier: GPL-2.0-or-later */
/* saturate.h - sums and products that stop at the end of the range instead of wrapping */
#ifndef FORMATS_PROFILE_SATURATE_H
#define FORMATS_PROFILE_SATURATE_H

#include <stdint.h>

static inline int64_t add_saturated(int64_t a, int64_t b)
{
	int64_t sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return b > 0 ? INT64_MAX : INT64_MIN;
}

static inline int64_t multiply_saturated(int64_t samples, uint64_t period)
{
	int64_t product;

	if (!__builtin_mul_overflow(samples, period, &product))
		return product;
	return samples > 0 ? INT64_MAX : INT64_MIN;
}

#endif

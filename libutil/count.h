/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count.h - sums of samples */
#ifndef LIBUTIL_COUNT_H
#define LIBUTIL_COUNT_H

#include <stdint.h>

/* Add @n; the sum saturates at UINT64_MAX. */
static inline void count_add(uint64_t *sum, uint64_t n)
{
	*sum = *sum + n < n ? UINT64_MAX : *sum + n;
}

#endif

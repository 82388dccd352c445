/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * radix_sort.h - sort many items by a 64-bit number, without comparing them
 *
 * What reports sort is counted in 100,000s and has a number first: the place of a sample or a
 * symbol, a row's count. Items with equal numbers keep their order.
 */
#ifndef LIBUTIL_RADIX_SORT_H
#define LIBUTIL_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Something with a number, or its index among others. */
struct radix_item {
	uint64_t key, value;
};

/*
 * Sort @nr items of 16 bytes which begin with their key, whatever the rest is. @spare is as large.
 * Returns where they are then: @items or @spare.
 */
void *radix_sort(void *items, void *spare, size_t nr);

#endif

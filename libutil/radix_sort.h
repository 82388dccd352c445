/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * radix_sort.h - sort many items by a 64-bit number without comparing them
 *
 * Reports sort hundreds of thousands of items by a number, such as the address of a sample or
 * the count of a row. The sort is stable.
 */
#ifndef LIBUTIL_RADIX_SORT_H
#define LIBUTIL_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

/* A key with a value, such as an index. */
struct radix_item {
	uint64_t key, value;
};

/*
 * Sort @nr items of 16 bytes that begin with their key. @spare is as large as @items. Returns the
 * one that holds the sorted items: @items or @spare.
 */
void *radix_sort(void *items, void *spare, size_t nr);

/* The same of malloc'd @items, which are freed, or returned: room for @nr only. */
void *radix_sorted(void *items, size_t nr);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* radix_sort.c - a stable counting sort by each digit in which keys differ */
#include "libutil/radix_sort.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"

#define BITS	11
#define SIZE	(1u << BITS)
#define FEW	32	/* with fewer items the tables cost more than insertion sort */

/* memcpy(), because items may have another type. */
static struct radix_item get(const void *items, size_t i)
{
	struct radix_item item;

	memcpy(&item, (const char *)items + i * sizeof(item), sizeof(item));
	return item;
}

static void put(void *items, size_t i, struct radix_item item)
{
	memcpy((char *)items + i * sizeof(item), &item, sizeof(item));
}

static void sort_few(void *items, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		struct radix_item item = get(items, i);
		size_t to = i;

		for (; to && get(items, to - 1).key > item.key; to--)
			put(items, to, get(items, to - 1));
		put(items, to, item);
	}
}

static void pass(const void *from, void *to, size_t nr, unsigned int shift)
{
	size_t first[SIZE] = { 0 }, sum = 0;

	for (size_t i = 0; i < nr; i++)
		first[get(from, i).key >> shift & (SIZE - 1)]++;
	for (size_t i = 0; i < SIZE; i++) {
		size_t n = first[i];

		first[i] = sum;
		sum += n;
	}
	for (size_t i = 0; i < nr; i++) {
		struct radix_item item = get(from, i);

		put(to, first[item.key >> shift & (SIZE - 1)]++, item);
	}
}

void *radix_sort(void *items, void *spare, size_t nr)
{
	uint64_t differing = 0;

	if (nr < FEW) {
		sort_few(items, nr);
		return items;
	}
	for (size_t i = 1; i < nr; i++)
		differing |= get(items, i).key ^ get(items, 0).key;
	for (unsigned int shift = 0; shift < 64; shift += BITS) {
		void *other = spare;

		if (!(differing >> shift & (SIZE - 1)))
			continue;
		pass(items, spare, nr, shift);
		spare = items;
		items = other;
	}
	return items;
}

void *radix_sorted(void *items, size_t nr)
{
	void *spare = xcalloc(nr + 1, sizeof(struct radix_item));
	void *sorted = radix_sort(items, spare, nr);

	free(sorted == items ? spare : items);
	return sorted;
}

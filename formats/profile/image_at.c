// SPDX-License-Identifier: GPL-2.0-or-later
/* image_at.c - find the image that is mapped at an address */
#include <stdlib.h>

#include "formats/profile/indexes.h"
#include "formats/profile/profile.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"

/*
 * Images become disjoint ranges: the range between two neighboring boundaries belongs to the newest
 * image that covers it. A heap holds the images that have begun, newest on top; an image that has
 * ended is dropped when it reaches the top.
 */
struct image_heap {
	uint32_t *images;
	size_t nr;
};

static void heap_add(struct image_heap *h, uint32_t image)
{
	size_t at = h->nr++;

	for (; at && h->images[(at - 1) / 2] < image; at = (at - 1) / 2)
		h->images[at] = h->images[(at - 1) / 2];
	h->images[at] = image;
}

static void heap_drop_top(struct image_heap *h)
{
	uint32_t last = h->images[--h->nr];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < h->nr; at = child) {
		if (child + 1 < h->nr && h->images[child + 1] > h->images[child])
			child++;
		if (h->images[child] <= last)
			break;
		h->images[at] = h->images[child];
	}
	h->images[at] = last;
}

static int compare_starts(const void *x, const void *y)
{
	const struct profile_range *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->image > b->image) - (a->image < b->image);
}

static int compare_addresses(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

/* Images that have addresses, by start; *bounds: all starts and limits, ascending. */
static size_t mapped_images(const struct profile *p, struct profile_range **ret, uint64_t **bounds)
{
	size_t nr = 0;

	*ret = xrealloc_array(NULL, p->nr_images, sizeof(**ret));
	*bounds = xrealloc_array(NULL, p->nr_images, 2 * sizeof(**bounds));
	for (uint32_t i = 0; i < p->nr_images; i++) {
		const struct profile_image *image = &p->images[i];

		if (image->start >= image->limit)
			continue;
		(*bounds)[2 * nr] = image->start;
		(*bounds)[2 * nr + 1] = image->limit;
		(*ret)[nr++] = (struct profile_range){ image->start, image->limit, i };
	}
	qsort(*ret, nr, sizeof(**ret), compare_starts);
	qsort(*bounds, 2 * nr, sizeof(**bounds), compare_addresses);
	return nr;
}

static void add_range(struct profile_indexes *indexes, uint64_t start, uint64_t limit,
		      uint32_t image)
{
	struct profile_range *next = &indexes->ranges[indexes->nr_ranges];

	if (indexes->nr_ranges && next[-1].image == image && next[-1].limit == start) {
		next[-1].limit = limit;
		return;
	}
	*next = (struct profile_range){ start, limit, image };
	indexes->nr_ranges++;
}

static void make_ranges(const struct profile *p)
{
	struct profile_indexes *indexes = p->indexes;
	struct profile_range *mapped;
	struct image_heap heap = { 0 };
	uint64_t *bounds;
	size_t nr = mapped_images(p, &mapped, &bounds), next = 0;

	heap.images = xrealloc_array(NULL, nr, sizeof(*heap.images));
	indexes->ranges = xrealloc_array(indexes->ranges, 2 * nr, sizeof(*indexes->ranges));
	indexes->nr_ranges = 0;
	for (size_t i = 0; i + 1 < 2 * nr; i++) {
		while (next < nr && mapped[next].start <= bounds[i])
			heap_add(&heap, mapped[next++].image);
		while (heap.nr && p->images[heap.images[0]].limit <= bounds[i])
			heap_drop_top(&heap);
		if (heap.nr && bounds[i] < bounds[i + 1])
			add_range(indexes, bounds[i], bounds[i + 1], heap.images[0]);
	}
	indexes->nr_ranged_images = p->nr_images;
	free(heap.images);
	free(mapped);
	free(bounds);
}

uint32_t profile_image_at(const struct profile *p, uint64_t address)
{
	const struct profile_indexes *indexes = p->indexes;
	size_t low;

	if (indexes->nr_ranged_images != p->nr_images)
		make_ranges(p);
	low = first_not(indexes->nr_ranges, i, indexes->ranges[i].limit <= address);
	if (low == indexes->nr_ranges || indexes->ranges[low].start > address)
		return PROFILE_NONE;
	return indexes->ranges[low].image;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* sums.c - a profile that has been read, looked at as a whole: merged, summed, searched */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/profile/indexes.h"
#include "formats/profile/profile.h"
#include "formats/profile/saturate.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"

static inline bool same_sample(const struct profile *p, uint32_t id, const void *key)
{
	const struct profile_sample *a = &p->samples[id], *b = key;

	return a->node == b->node && a->labels == b->labels;
}

static void merge_values(struct profile *p, uint32_t to, uint32_t from)
{
	int64_t *a = profile_values(p, to);
	const int64_t *b = profile_values(p, from);

	for (uint32_t i = 0; i < p->nr_events; i++)
		a[i] = add_saturated(a[i], b[i]);
}

void profile_merge_samples(struct profile *p)
{
	struct profile_table table = { 0 };
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct profile_sample sample = p->samples[i];
		uint64_t hash = hash_u64((uint64_t)sample.node << 32 | sample.labels);
		struct profile_slot *slot;

		profile_table_reserve(&table);
		slot = profile_table_find(&table, hash, p, same_sample, &sample);
		if (slot->id != PROFILE_NONE) {
			merge_values(p, slot->id, i);
			continue;
		}
		p->samples[kept] = sample;
		memmove(profile_values(p, kept), profile_values(p, i),
			p->nr_events * sizeof(*p->values));
		profile_table_fill(&table, slot, hash, kept++);
	}
	p->nr_samples = kept;
	free(table.slots);
}

int64_t profile_total(const struct profile *p, uint32_t event)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++)
		sum = add_saturated(sum, profile_values(p, i)[event]);
	return sum;
}

bool profile_is_of_process(const struct profile *p, uint32_t labels, const char *pid)
{
	const struct profile_labels *set = &p->label_sets[labels];

	if (!pid || !*pid)
		return true;
	for (uint32_t i = 0; i < set->nr; i++) {
		const struct profile_label *label = &p->labels[set->first + i];
		char number[24];

		if (strcmp(profile_text(p, label->key), "pid"))
			continue;
		if (label->text)
			return !strcmp(profile_text(p, label->text), pid);
		snprintf(number, sizeof(number), "%" PRId64, label->number);
		return !strcmp(number, pid);
	}
	return false;
}

/*
 * Images as disjoint ranges: between two neighbouring boundaries lies the newest image of those
 * that cover the gap. They are kept in a heap, newest on top; those that have ended are thrown
 * away when they come to the top.
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

/* The images that have addresses, by their starts; *bounds: all starts and limits, in order. */
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

static void add_range(struct profile_indexes *made, uint64_t start, uint64_t limit, uint32_t image)
{
	struct profile_range *last = made->nr_ranges ? &made->ranges[made->nr_ranges - 1] : NULL;

	if (last && last->image == image && last->limit == start)
		last->limit = limit;
	else
		made->ranges[made->nr_ranges++] = (struct profile_range){ start, limit, image };
}

static void make_ranges(const struct profile *p)
{
	struct profile_indexes *made = p->made;
	struct profile_range *mapped;
	struct image_heap heap = { 0 };
	uint64_t *bounds;
	size_t nr = mapped_images(p, &mapped, &bounds), next = 0;

	heap.images = xrealloc_array(NULL, nr, sizeof(*heap.images));
	made->ranges = xrealloc_array(made->ranges, 2 * nr, sizeof(*made->ranges));
	made->nr_ranges = 0;
	for (size_t i = 0; i + 1 < 2 * nr; i++) {
		while (next < nr && mapped[next].start <= bounds[i])
			heap_add(&heap, mapped[next++].image);
		while (heap.nr && p->images[heap.images[0]].limit <= bounds[i])
			heap_drop_top(&heap);
		if (heap.nr && bounds[i] < bounds[i + 1])
			add_range(made, bounds[i], bounds[i + 1], heap.images[0]);
	}
	made->ranged_images = p->nr_images;
	free(heap.images);
	free(mapped);
	free(bounds);
}

uint32_t profile_image_at(const struct profile *p, uint64_t address)
{
	const struct profile_indexes *made = p->made;
	size_t low = 0, high;

	if (made->ranged_images != p->nr_images)
		make_ranges(p);
	high = made->nr_ranges;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (made->ranges[middle].limit <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == made->nr_ranges || made->ranges[low].start > address)
		return PROFILE_NONE;
	return made->ranges[low].image;
}

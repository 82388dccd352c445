// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maps.c - a sorted array of mappings, copied on write
 *
 * A process has some tens of executable mappings, which are looked up far more often than changed:
 * hence an array with binary search. It is shared because most forks exec at once.
 */
#include "daemon/collect/perf/maps.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/sorted.h"
#include "libutil/xalloc.h"

static struct perf_maps *perf_maps_new(void)
{
	struct perf_maps *maps = xcalloc(1, sizeof(*maps));

	maps->refs = 1;
	return maps;
}

/* As they are charged to perf_cookies_bytes(). */
static uint64_t bytes_of(const struct perf_maps *maps)
{
	return sizeof(*maps) + maps->nr * sizeof(*maps->mappings);
}

static bool is_full(struct perf_cookies *t, size_t nr)
{
	uint64_t bytes = *perf_cookies_bytes(t);

	return nr >= PERF_MAPS_MAX || bytes >= PERF_MAPS_BYTES_MAX ||
	       (bytes >= PERF_MAPS_BYTES_MAX / 2 && nr >= PERF_MAPS_FEW);
}

struct perf_maps *perf_maps_share(struct perf_maps *maps)
{
	if (maps)
		maps->refs++;
	return maps;
}

void perf_maps_put(struct perf_cookies *t, struct perf_maps *maps)
{
	if (!maps || --maps->refs)
		return;
	*perf_cookies_bytes(t) -= bytes_of(maps);
	for (size_t i = 0; i < maps->nr; i++)
		perf_image_put(t, maps->mappings[i].image);
	free(maps->mappings);
	free(maps);
}

/* The first mapping that ends after @address: the one that contains it, if any. */
static size_t first_ending_after(const struct perf_maps *maps, uint64_t address)
{
	return first_not(maps->nr, i, maps->mappings[i].end <= address);
}

const struct perf_mapping *perf_maps_find(const struct perf_maps *maps, uint64_t pc)
{
	size_t i;

	if (!maps)
		return NULL;
	i = first_ending_after(maps, pc);
	return i < maps->nr && maps->mappings[i].start <= pc ? &maps->mappings[i] : NULL;
}

static struct perf_maps *copy(const struct perf_maps *from)
{
	struct perf_maps *maps = perf_maps_new();

	maps->nr = from->nr;
	maps->room = from->nr + 4;
	maps->mappings = xrealloc_array(NULL, maps->room, sizeof(*maps->mappings));
	memcpy(maps->mappings, from->mappings, from->nr * sizeof(*maps->mappings));
	for (size_t i = 0; i < maps->nr; i++)
		maps->mappings[i].image->refs++;
	return maps;
}

/* Make room for one mapping at index @at. */
static struct perf_mapping *insert(struct perf_maps *maps, size_t at)
{
	xgrow(maps->mappings, maps->nr, maps->room);
	memmove(maps->mappings + at + 1, maps->mappings + at,
		(maps->nr - at) * sizeof(*maps->mappings));
	maps->nr++;
	return &maps->mappings[at];
}

/* Remove [start, end) from all mappings; returns the index at which to insert it. */
static size_t make_hole(struct perf_cookies *t, struct perf_maps *maps, uint64_t start,
			uint64_t end)
{
	size_t at = first_ending_after(maps, start), last;
	struct perf_mapping *m = &maps->mappings[at];

	if (at < maps->nr && m->start < start) {
		if (m->end > end) {	/* a hole in the middle: the tail becomes a new mapping */
			struct perf_mapping tail = *m;

			tail.offset += end - tail.start;
			tail.start = end;
			tail.image->refs++;
			m->end = start;
			*insert(maps, at + 1) = tail;
			return at + 1;
		}
		m->end = start;
		at++;
	}
	for (last = at; last < maps->nr && maps->mappings[last].end <= end; last++)
		perf_image_put(t, maps->mappings[last].image);
	memmove(maps->mappings + at, maps->mappings + last,
		(maps->nr - last) * sizeof(*maps->mappings));
	maps->nr -= last - at;
	m = &maps->mappings[at];
	if (at < maps->nr && m->start < end) {
		m->offset += end - m->start;
		m->start = end;
	}
	return at;
}

/* A table of its own for a process; the old one, if it is too large to be copied, is given up. */
static struct perf_maps *unshare(struct perf_cookies *t, struct perf_maps *old)
{
	struct perf_maps *own;

	if (old && old->refs == 1)
		return old;
	own = !old || is_full(t, old->nr) ? perf_maps_new() : copy(old);
	own->is_cut = old && (old->is_cut || own->nr < old->nr);
	*perf_cookies_bytes(t) += bytes_of(own);
	perf_maps_put(t, old);
	return own;
}

void perf_maps_add(struct perf_cookies *t, struct perf_maps **maps,
		   const struct perf_mapping *mapping)
{
	struct perf_maps *own = unshare(t, *maps);
	uint64_t before = bytes_of(own);
	size_t at = own->nr ? first_ending_after(own, mapping->start) : 0;

	*maps = own;
	if (at < own->nr && own->mappings[at].start == mapping->start &&
	    own->mappings[at].end == mapping->end) {
		/* nothing moves, however often a large table's mapping is replaced */
		mapping->image->refs++;
		perf_image_put(t, own->mappings[at].image);
		own->mappings[at] = *mapping;
		return;
	}
	at = own->nr ? make_hole(t, own, mapping->start, mapping->end) : 0;
	if (is_full(t, own->nr)) {
		own->is_cut = true;
	} else {
		mapping->image->refs++;
		*insert(own, at) = *mapping;
	}
	*perf_cookies_bytes(t) += bytes_of(own) - before;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * indexes.h - what a profile that is being made keeps besides its arrays
 *
 * A table finds an element again that equals a new one: open addressing, each slot with half the
 * element's hash, so that elements are looked at only when they are likely to be equal.
 */
#ifndef FORMATS_PROFILE_INDEXES_H
#define FORMATS_PROFILE_INDEXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/profile/profile.h"

struct profile_table {
	struct profile_slot {
		uint32_t hash;
		uint32_t id;		/* PROFILE_NONE: free */
	} *slots;
	uint32_t mask;			/* number of slots - 1; @slots NULL: none yet */
	uint32_t used;
};

/* Images by address: newer ones hide older ones, so ranges are disjoint and in order. */
struct profile_range {
	uint64_t start, limit;
	uint32_t image;
};

struct profile_indexes {
	struct profile_table strings, functions, places, nodes, label_sets;
	size_t room_strings, room_images, room_functions, room_lines, room_places, room_nodes;
	size_t room_events, room_labels, room_label_sets, room_samples, room_values;
	size_t room_comments;

	char **chunks;			/* of text */
	size_t nr_chunks, room_chunks, chunk_left;
	char *chunk_next;

	struct profile_range *ranges;
	size_t nr_ranges;
	uint32_t ranged_images;		/* so many images are among them */
};

/*
 * The slot of the element that has @hash and is same(@p, its id, @key), or the free one where
 * it would be. Room for one more is made beforehand: profile_table_reserve().
 */
static inline __attribute__((always_inline)) struct profile_slot *
profile_table_find(const struct profile_table *t, uint64_t hash, const struct profile *p,
		   bool (*same)(const struct profile *p, uint32_t id, const void *key),
		   const void *key)
{
	uint32_t half = (uint32_t)hash;

	for (uint32_t i = half & t->mask;; i = (i + 1) & t->mask) {
		struct profile_slot *slot = &t->slots[i];

		if (slot->id == PROFILE_NONE || (slot->hash == half && same(p, slot->id, key)))
			return slot;
	}
}

void profile_table_grow(struct profile_table *t);

static inline void profile_table_reserve(struct profile_table *t)
{
	if (!t->slots || t->used > t->mask / 2)
		profile_table_grow(t);
}

static inline uint32_t profile_table_fill(struct profile_table *t, struct profile_slot *slot,
					  uint64_t hash, uint32_t id)
{
	*slot = (struct profile_slot){ (uint32_t)hash, id };
	t->used++;
	return id;
}

/* Make room for @more elements of @size bytes in @array, which has @count of @room. */
void *profile_grow(void *array, size_t count, size_t *room, size_t more, size_t size);

#define profile_room(p, what, more)                                                            \
	do {                                                                                   \
		if ((p)->nr_##what + (size_t)(more) > (p)->made->room_##what)                  \
			(p)->what = profile_grow((p)->what, (p)->nr_##what,                    \
						 &(p)->made->room_##what, more,                \
						 sizeof(*(p)->what));                          \
	} while (0)

#endif

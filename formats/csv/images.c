// SPDX-License-Identifier: GPL-2.0-or-later
/* images.c - a range for each image, from the first address in it to the last */
#include "formats/csv/images.h"

#include <stdlib.h>

#include "formats/profile/named_images.h"
#include "libutil/hash.h"

struct key {
	const struct csv_images *images;
	struct csv_image image;
};

static inline bool same_image(const struct profile *p, uint32_t id, const void *key)
{
	const struct key *k = key;
	const struct csv_image *a = &k->images->all[id], *b = &k->image;

	(void)p;
	return a->path == b->path && a->build_id == b->build_id && a->distance == b->distance &&
	       a->has_offset == b->has_offset;
}

/* A row without any of these is of no image: its address, if there is one, stands alone. */
static bool has_image(const struct csv_place *place)
{
	return place->path || place->build_id || place->has_offset ||
	       (place->has_address && !place->address);
}

static struct profile_slot *slot_of(struct csv_images *images, const struct profile *p,
				    const struct csv_place *place, struct key *key,
				    uint64_t *hash)
{
	uint64_t distance = place->has_offset ? place->address - place->offset : 0;

	*key = (struct key){ images, { place->path, place->build_id, distance, place->has_offset,
				       place->address, place->address, PROFILE_NONE } };
	*hash = hash_mix((uint64_t)place->path << 32 | place->build_id,
			 distance ^ place->has_offset);
	profile_table_reserve(&images->table);
	return profile_table_find(&images->table, *hash, p, same_image, key);
}

void csv_images_note(struct csv_images *images, const struct profile *p,
		     const struct csv_place *place)
{
	struct profile_slot *slot;
	struct csv_image *image;
	struct key key;
	uint64_t hash;

	if (!has_image(place))
		return;
	slot = slot_of(images, p, place, &key, &hash);
	if (slot->id == PROFILE_NONE) {
		if (images->nr == images->room)
			images->all = profile_grow(images->all, images->nr, &images->room, 1,
						   sizeof(*images->all));
		images->all[images->nr] = key.image;
		profile_table_fill(&images->table, slot, hash, images->nr++);
		return;
	}
	image = &images->all[slot->id];
	if (place->address < image->first)
		image->first = place->address;
	if (place->address > image->last)
		image->last = place->address;
}

void csv_images_add(struct csv_images *images, struct profile *p)
{
	for (uint32_t i = 0; i < images->nr; i++) {
		struct csv_image *from = &images->all[i];
		struct profile_image image = { .path = from->path, .build_id = from->build_id };

		image.kind = image_kind_of_name(profile_text(p, from->path));
		if (from->has_offset) {
			image.start = from->first;
			image.limit = from->last + (from->last < UINT64_MAX);
			image.offset = from->first - from->distance;
		}
		from->image = profile_add_image(p, &image);
	}
}

uint32_t csv_images_find(struct csv_images *images, const struct profile *p,
			 const struct csv_place *place)
{
	struct profile_slot *slot;
	struct key key;
	uint64_t hash;

	if (!has_image(place))
		return PROFILE_NONE;
	slot = slot_of(images, p, place, &key, &hash);
	return slot->id == PROFILE_NONE ? PROFILE_NONE : images->all[slot->id].image;
}

void csv_images_free(struct csv_images *images)
{
	free(images->all);
	free(images->table.slots);
	*images = (struct csv_images){ 0 };
}

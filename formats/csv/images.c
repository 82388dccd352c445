// SPDX-License-Identifier: GPL-2.0-or-later
/* images.c - a range for each image, from the first address in it to the last */
#include "formats/csv/images.h"

#include <stdlib.h>

#include "formats/profile/named_images.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"

static inline bool same_image(const void *images, uint32_t id, const void *key)
{
	const struct csv_image *a = &((const struct csv_images *)images)->all[id], *b = key;

	return a->path == b->path && a->build_id == b->build_id && a->distance == b->distance &&
	       a->has_offset == b->has_offset;
}

/* A row without any of these has no image, only an address at most. */
static bool has_image(const struct csv_place *place)
{
	return place->path || place->build_id || place->has_offset ||
	       (place->has_address && !place->address);
}

/* The image of a place, as far as its row shows it, and its hash. */
static struct csv_image make_image(const struct csv_place *place, uint64_t *ret_hash)
{
	uint64_t distance = place->has_offset ? place->address - place->offset : 0;

	*ret_hash = hash_mix((uint64_t)place->path << 32 | place->build_id,
			     distance ^ place->has_offset);
	return (struct csv_image){
		.path = place->path, .build_id = place->build_id, .distance = distance,
		.has_offset = place->has_offset, .first = place->address, .last = place->address,
		.image = PROFILE_NONE,
	};
}

void csv_images_note(struct csv_images *images, const struct csv_place *place)
{
	struct csv_image new, *known;
	uint64_t hash;
	uint32_t id;

	if (!has_image(place))
		return;
	new = make_image(place, &hash);
	id = hash_table_find(&images->table, hash, same_image, images, &new);
	if (id == HASH_NONE) {
		xgrow(images->all, images->nr, images->room);
		images->all[images->nr] = new;
		hash_table_add(&images->table, hash, images->nr++);
		return;
	}
	known = &images->all[id];
	if (place->address < known->first)
		known->first = place->address;
	if (place->address > known->last)
		known->last = place->address;
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

uint32_t csv_images_find(const struct csv_images *images, const struct csv_place *place)
{
	struct csv_image image;
	uint64_t hash;
	uint32_t id;

	if (!has_image(place))
		return PROFILE_NONE;
	image = make_image(place, &hash);
	id = hash_table_find(&images->table, hash, same_image, images, &image);
	return id == HASH_NONE ? PROFILE_NONE : images->all[id].image;
}

void csv_images_free(struct csv_images *images)
{
	free(images->all);
	hash_table_free(&images->table);
	*images = (struct csv_images){ 0 };
}

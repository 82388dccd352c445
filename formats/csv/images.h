/* SPDX-License-Identifier: GPL-2.0-or-later */
/* images.h - find where images were mapped by the addresses and offsets in rows [FO-16] */
#ifndef FORMATS_CSV_IMAGES_H
#define FORMATS_CSV_IMAGES_H

#include <stdbool.h>
#include "formats/profile/profile.h"
#include "libutil/table.h"

/* The place that a row describes. */
struct csv_place {
	uint32_t path, build_id;	/* strings; "" unknown */
	uint64_t address, offset;
	bool has_address, has_offset;
};

/* Rows with the same name, and the same distance of addresses to offsets, are one image. */
struct csv_image {
	uint32_t path, build_id;
	uint64_t distance;		/* address less offset */
	bool has_offset;
	uint64_t first, last;		/* lowest and highest address in it */
	uint32_t image;			/* index in the profile after csv_images_add() */
};

struct csv_images {			/* all 0: empty */
	struct csv_image *all;
	uint32_t nr;
	size_t room;
	struct hash_table table;
};

void csv_images_note(struct csv_images *images, const struct csv_place *place);
/* After all places were noted. */
void csv_images_add(struct csv_images *images, struct profile *p);

/* The image of a place, or PROFILE_NONE. */
uint32_t csv_images_find(const struct csv_images *images, const struct csv_place *place);
void csv_images_free(struct csv_images *images);

#endif

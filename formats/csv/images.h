/* SPDX-License-Identifier: GPL-2.0-or-later */
/* images.h - where images were mapped, found out from addresses and offsets in rows [FO-16] */
#ifndef FORMATS_CSV_IMAGES_H
#define FORMATS_CSV_IMAGES_H

#include <stdbool.h>
#include "formats/profile/profile.h"
#include "libutil/table.h"

/* What a row says of a place. */
struct csv_place {
	uint32_t path, build_id;	/* strings, "" missing */
	uint64_t address, offset;
	bool has_address, has_offset;
};

/* Those with the same name and the same distance of addresses to offsets are one. */
struct csv_image {
	uint32_t path, build_id;
	uint64_t distance;		/* address less offset */
	bool has_offset;
	uint64_t first, last;		/* addresses in it */
	uint32_t image;			/* of the profile, once they are added */
};

struct csv_images {			/* { 0 } to begin with */
	struct csv_image *all;
	uint32_t nr;
	size_t room;
	struct hash_table table;
};

void csv_images_note(struct csv_images *images, const struct csv_place *place);
void csv_images_add(struct csv_images *images, struct profile *p);	/* after all were noted */

/* The image of a place, or PROFILE_NONE. */
uint32_t csv_images_find(const struct csv_images *images, const struct csv_place *place);
void csv_images_free(struct csv_images *images);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* images.h - the images of a profile as images of a session, and each place as a key in one */
#ifndef PP_EXCHANGE_IMPORT_IMAGES_H
#define PP_EXCHANGE_IMPORT_IMAGES_H

#include <stdbool.h>
#include <stdint.h>
#include "formats/profile/profile.h"
#include "libutil/build_id.h"
#include "pp/exchange/imported.h"

/* What becomes one image of the session: parts of one build of one file. */
struct import_image {
	char *path;			/* in the session, absolute */
	char build_id[BUILD_ID_TEXT];	/* the profile's, or invented */
	bool is_invented;
};

/* A place of the profile: where its samples go. */
struct import_place {
	uint32_t image;			/* index */
	uint64_t key;
};

struct import_images {
	struct import_image *images;
	uint32_t nr;
	struct import_place *places;	/* of the profile's places */
	uint32_t *of_image;		/* of the profile's images: index */
	uint32_t *by_image, *ends;	/* places, grouped by image; where each one's end */
};

void import_images_make(const struct profile *p, struct imported *imported,
			struct import_images *ret);
void import_images_free(struct import_images *m);

/* The function that really is at a place: what else is there was inlined. "": not known. */
const char *import_function(const struct profile *p, uint32_t place);

/*
 * names.c: write an object file at @path with the functions of image @image, if there are any;
 * 1 then.
 */
int import_names_write(const struct profile *p, const struct import_images *m, uint32_t image,
		       const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* images.h - map images of a profile to images of a session, and places to keys */
#ifndef PP_EXCHANGE_IMPORT_IMAGES_H
#define PP_EXCHANGE_IMPORT_IMAGES_H

#include <stdbool.h>
#include <stdint.h>
#include "formats/profile/profile.h"
#include "libutil/build_id.h"
#include "pp/exchange/imported.h"

/* An image of the session: all mappings of one build of one file. */
struct import_image {
	char *path;			/* in the session, absolute */
	char build_id[BUILD_ID_TEXT];	/* the profile's, or invented */
	bool is_invented;
};

/* The session's image and key of a place of the profile. */
struct import_place {
	uint32_t image;			/* index */
	uint64_t key;
};

struct import_images {
	struct import_image *images;
	uint32_t nr;
	uint32_t *of_image;		/* of the profile's images: index */
	uint32_t nowhere, names;	/* index: of places without image, with only a name */
	uint32_t *ranks;		/* of places with only a name: names in order; or NULL */
	uint32_t *by_image, *ends;	/* places, grouped by image; the end of each group */
};

void import_images_make(const struct profile *p, struct imported *imported,
			struct import_images *ret);
void import_images_group(const struct profile *p, struct import_images *m);
void import_images_free(struct import_images *m);

/* Made anew at each call: a profile may have millions of places. */
struct import_place import_place(const struct profile *p, const struct import_images *m,
				 uint32_t place);
/*
 * How the stacks below a place ended; PROFILE_NONE: it is a place, not the frame above incomplete
 * stacks [PF-6].
 */
uint32_t import_end(const struct profile *p, uint32_t place);

/* The function at a place that is not inlined; "": unknown. */
const char *import_function(const struct profile *p, uint32_t place);

/*
 * names.c: write an object file with the functions of @image to @path, after import_images_group().
 * 1: written; 0: there are none; -errno.
 */
int import_names_write(const struct profile *p, const struct import_images *m, uint32_t image,
		       const char *path);

#endif

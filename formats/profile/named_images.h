/* SPDX-License-Identifier: GPL-2.0-or-later */
/* named_images.h - images of formats that know their names only: one for each, kind and all */
#ifndef FORMATS_PROFILE_NAMED_IMAGES_H
#define FORMATS_PROFILE_NAMED_IMAGES_H

#include <stddef.h>
#include "formats/profile/profile.h"

struct named_images {		/* { 0 } to begin with */
	uint32_t *of_string;	/* images by the string of their path */
	size_t room;
};

/* The image called @path, a string of @p; PROFILE_NONE for "". */
uint32_t named_image(struct named_images *images, struct profile *p, uint32_t path);
void named_images_free(struct named_images *images);

/* By how the name begins or ends [PF-11]. */
enum profile_image_kind image_kind_of_name(const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* named_images.h - images of formats that know only their names */
#ifndef FORMATS_PROFILE_NAMED_IMAGES_H
#define FORMATS_PROFILE_NAMED_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include "formats/profile/profile.h"

struct named_images {		/* all 0: empty */
	uint32_t *of_string;	/* image of each path (string), or PROFILE_NONE */
	size_t room;
};

/* The image with the path @path (a string of @p), added if new; PROFILE_NONE for "". */
uint32_t named_images_find(struct named_images *images, struct profile *p, uint32_t path);
void named_images_free(struct named_images *images);

/* The kind that a name shows by its beginning or end [PF-11]. */
enum profile_image_kind image_kind_of_name(const char *name);

/* Is this the file of a kernel module, packed or not? */
bool is_module_path(const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* images.c - the set of images: a hash table of what sample files' names say */
#include "images.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "hash.h"
#include "xalloc.h"


static char *display_name(const struct image_name *name)
{
	switch (name->kind) {
	case IMAGE_KERNEL:
		return xasprintf("/%s", name->path);
	case IMAGE_ANON:
		return xasprintf("%s (tgid:%" PRIu32 " range:0x%" PRIx64 "-0x%" PRIx64 ")",
				 name->path, name->anon_tgid, name->anon_start, name->anon_end);
	case IMAGE_JIT:		/* its path is the object's: file_list.c */
	case IMAGE_FILE:
		break;
	}
	return xstrdup(name->path);
}

static bool same_image(const struct image *image, const struct image_name *name,
		       const char *display)
{
	return image->kind == name->kind && !strcmp(image->path, name->path) &&
	       !strcmp(image->name, display);
}

static void grow_slots(struct image_set *set)
{
	size_t nr = set->nr_slots ? set->nr_slots * 2 : 256;

	free(set->slots);
	set->slots = xcalloc(nr, sizeof(*set->slots));
	set->nr_slots = nr;
	for (size_t i = 0; i < set->nr; i++) {
		size_t at = hash_string(set->images[i]->name) & (nr - 1);

		while (set->slots[at])
			at = (at + 1) & (nr - 1);
		set->slots[at] = i + 1;
	}
}

static struct image *add_image(struct image_set *set, const struct image_name *name,
			       char *display, const struct report_session *session)
{
	struct image *image = xcalloc(1, sizeof(*image));

	image->kind = name->kind;
	image->path = xstrdup(name->path);
	image->name = display;
	image->session = session;
	image->is_kernel = name->kind == IMAGE_KERNEL;
	if (name->kind == IMAGE_ANON) {
		image->anon_start = name->anon_start;
		image->anon_end = name->anon_end;
	}
	xgrow(set->images, set->nr, set->room);
	set->images[set->nr++] = image;
	return image;
}

struct image *image_set_get(struct image_set *set, const struct image_name *name,
			    const struct report_session *session)
{
	char *display = display_name(name);
	size_t at;

	if (set->nr * 2 >= set->nr_slots)
		grow_slots(set);
	at = hash_string(display) & (set->nr_slots - 1);
	for (; set->slots[at]; at = (at + 1) & (set->nr_slots - 1)) {
		struct image *image = set->images[set->slots[at] - 1];

		if (same_image(image, name, display)) {
			free(display);
			return image;
		}
	}
	set->slots[at] = set->nr + 1;
	return add_image(set, name, display, session);
}

void image_set_free(struct image_set *set)
{
	for (size_t i = 0; i < set->nr; i++) {
		free(set->images[i]->path);
		free(set->images[i]->name);
		free(set->images[i]->found);
		free(set->images[i]);
	}
	free(set->images);
	free(set->slots);
	*set = (struct image_set){ 0 };
}

const char *image_shown_name(const struct image *image, bool long_names)
{
	if (image->found_by_search)
		return long_names ? image->found : path_base(image->found);
	/* the name of anonymous memory may hold a '/': it is no path */
	if (long_names || image->kind == IMAGE_ANON)
		return image->name;
	return path_base(image->name);
}

void image_spec_names(const struct image *image, struct spec_image *ret)
{
	ret->name = image->name;
	ret->short_name = image->kind == IMAGE_FILE ? path_base(image->path) : image->path;
	ret->found = image->found;
}

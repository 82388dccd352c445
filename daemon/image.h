/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - the images that samples are counted for: one struct each, for the daemon's life
 *
 * Two cookies can name the same path (a rebuilt program, two containers); their samples go to
 * the same sample file, so everything after the cookie works with the one struct image of that
 * path. Which builds were seen under a path is kept with it, for stats/images.
 */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sample_name.h"

struct image_build;

struct image {
	enum image_kind kind;		/* IMAGE_FILE or IMAGE_KERNEL */
	char *path;			/* as in sample_name.h */
	bool wanted;			/* named by --image= */
	uint64_t mtime;			/* of the file last seen there, seconds; 0: not known */

	struct image *next;		/* private from here on */
	struct image_build *builds;
	bool told;			/* builds are in the session's stats/images */
	uint32_t stack_id;		/* in the store of chains, if that is still the one */
	unsigned int stack_store;	/* opened as this: stacks.c */
};

struct images;

/*
 * @wanted: paths of --image=, NULL terminated, or NULL: all are wanted. Names of modules may
 * stand there too. Not copied.
 */
struct images *images_new(const char *const *wanted);
void images_free(struct images *all);

/* The image, made if it was not known. */
struct image *image_get(struct images *all, enum image_kind kind, const char *path);

/* Remember that build @build_id (hex) was seen under the image's path. */
void image_add_build(struct images *all, struct image *image, const char *build_id);

/* The build seen last, in hex; "": none. */
const char *image_build_id(const struct image *image);

/* Samples are about to be counted for it: have its builds in stats/images, once. */
void image_tell(struct images *all, struct image *image);

/* From now on stats/images below @stats_dir is written; what stands there already is kept. */
void images_set_session(struct images *all, const char *stats_dir);

/* Without --image= everything is kept. */
bool images_filtered(const struct images *all);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - the images that samples are counted for: one struct each, for the daemon's life
 *
 * An image is one build of what lies at a path: two cookies can name the same path (a rebuilt
 * program, two containers). The first build of a path in a session is the one that stats/images
 * has and that sample files' names mean; samples in later ones are kept apart [SS-61]. Of builds
 * that cannot be told (the file has no build-id, or could not be read) nobody knows that they
 * are others: the path's first struct stands for them too.
 */
#ifndef DAEMON_RECORD_IMAGE_H
#define DAEMON_RECORD_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libdb/session/name.h"

struct image {
	enum image_kind kind;		/* IMAGE_FILE or IMAGE_KERNEL */
	char *path;			/* as in libdb/session/name.h */
	char *build_id;			/* in hex; "": not known */
	struct image *head;		/* the first struct of that kind and path, or this one */
	bool wanted;			/* named by --image= */
	uint64_t mtime;			/* of the file last seen there, seconds; 0: not known */

	struct image *next;		/* private from here on */
	enum { IMAGE_UNDECIDED, IMAGE_FIRST, IMAGE_LATER } standing;	/* in the session */
	bool told;			/* its build is in the session's stats/images */
	struct binary *binary;		/* binaries.c; NULL: none yet */
	uint32_t stack_id;		/* in the stack store, if that is still the one */
	unsigned int stack_store;	/* opened as this: stacks.c */
};

struct images;

/*
 * @wanted: paths of --image=, NULL terminated, or NULL: all are wanted. Names of modules may
 * stand there too. Not copied.
 */
struct images *images_new(const char *const *wanted);
void images_free(struct images *all);

/*
 * The image, made if it was not known. One of a build not known becomes that of @build_id (hex)
 * as soon as that is.
 */
struct image *image_get(struct images *all, enum image_kind kind, const char *path,
			const char *build_id);

/*
 * Whether its build is the first of its path in this session; the first one asked about is, if
 * no earlier daemon knew another.
 */
bool image_is_first(struct images *all, struct image *image);
/* The one that is. */
struct image *image_first(struct images *all, struct image *image);

/* Samples are about to be counted for it: have its build in stats/images, once, if it is first. */
void image_tell(struct images *all, struct image *image);

/* Whether that was called in this session. */
bool image_has_samples(const struct image *image);

/* From now on stats/images below @stats_dir is written; what stands there already is kept. */
void images_set_session(struct images *all, const char *stats_dir);

/* Without --image= everything is kept. */
bool images_filtered(const struct images *all);

#endif

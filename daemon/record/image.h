/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - the images that samples are counted for: one struct each, as long as it is in use
 *
 * An image is one build of the file at a path: two cookies can have the same path (a rebuilt
 * program, two containers). The first build of a path in a session is the one that stats/images
 * lists and that sample files' names mean; samples of later builds are separated [SS-61]. Builds
 * that are not known (the file has no build ID, or could not be read) cannot be distinguished: one
 * struct stands for all of a path, but only while no other build of it is known.
 *
 * An image that nothing refers to any more is freed when there are many: images_sweep(). Which
 * build was a path's first stays known for the session.
 */
#ifndef DAEMON_RECORD_IMAGE_H
#define DAEMON_RECORD_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libdb/session/name.h"

enum stacks_kind {			/* what a stack store is for */
	STACKS_OF_SESSION,
	STACKS_OF_HISTORY,
	NR_STACKS
};

struct image {
	enum image_kind kind;		/* IMAGE_FILE or IMAGE_KERNEL */
	char *path;			/* as in libdb/session/name.h */
	char *build_id;			/* in hex; "": not known */
	struct image *head;		/* the first struct of that kind and path, or this one */
	bool wanted;			/* named by --image= */
	uint64_t mtime;			/* of the last file seen there, seconds; 0: not known */

	struct image *next;		/* private from here on */
	enum { IMAGE_UNDECIDED, IMAGE_FIRST, IMAGE_LATER } standing;	/* in the session */
	bool is_sampled;		/* in the session: its build is in stats/images */
	bool is_kept;			/* by image_keep() */
	struct binary *binary;		/* of binaries.c; NULL: none yet */
	struct stack_image_id {		/* in the stack store of that kind: stacks.c */
		uint32_t id;		/* 0: unknown */
		unsigned int store;	/* the number of its opening */
	} stack[NR_STACKS];
};

struct images;

/*
 * @wanted: paths and names of kernel modules from --image=, NULL terminated; NULL: all images. Not
 * copied.
 */
struct images *images_new(const char *const *wanted);
void images_free(struct images *all);

/*
 * Find or create the image. An image whose build is not known becomes the one of @build_id (hex) as
 * soon as that is given, unless it was sampled. NULL: @build_id is "", and the path's file is known
 * to have had others.
 */
struct image *image_get(struct images *all, enum image_kind kind, const char *path,
			const char *build_id);

/*
 * Whether its build is the first of its path in this session. Unless an earlier daemon knew
 * another, it is the build of the first call.
 */
bool image_is_first(struct images *all, struct image *image);
/* The image of the same path whose build is the first. */
struct image *image_first(struct images *all, struct image *image);

/* Samples are about to be counted for it: add its build to stats/images, if it is the first. */
void image_mark_sampled(struct images *all, struct image *image);

/* Whether that was called in this session. */
bool image_has_samples(const struct image *image);

/* From now on write stats/images below @stats_dir, adding to what is there. */
void images_set_session(struct images *all, const char *stats_dir);

/*
 * Free what is not in use: when images_are_many(), those who have pointers to images call
 * image_keep() for each (NULL is fine) or forget them, and then images_sweep() frees all others.
 */
bool images_are_many(const struct images *all);
void image_keep(struct image *image);
bool image_is_kept(const struct image *image);
void images_sweep(struct images *all);

/* Whether --image= was given. */
bool images_filtered(const struct images *all);

#endif

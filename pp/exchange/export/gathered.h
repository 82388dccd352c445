/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gathered.h - the state of an export, shared by its stages
 *
 * Names and addresses are looked up image by image and in order. All samples are therefore gathered
 * first, in a profile whose places are those of binary.h and have no names.
 */
#ifndef PP_EXCHANGE_EXPORT_GATHERED_H
#define PP_EXCHANGE_EXPORT_GATHERED_H

#include "libutil/table.h"
#include "pp/binary/binary.h"
#include "pp/exchange/export/profile.h"
#include "pp/exchange/imported.h"
#include "pp/report/merge_pass.h"

/* Places [low, high) of an image lie at consecutive addresses and file offsets. */
struct export_range {
	uint64_t low, high;
	uint64_t address, offset;	/* of low */
	uint32_t image;			/* the profile's; PROFILE_NONE: not added yet */
	const struct imported_image *from;	/* the image that was imported, or NULL */
};

struct export_image {
	struct report_image *image;
	const struct report_session *session;	/* a kernel's; else NULL */
	struct binary binary;
	uint32_t *places;		/* indices, sorted by place */
	size_t nr_places;
	struct export_range *ranges;	/* the last one has the places outside all others */
	size_t nr_ranges;
};

#define EXPORT_PROCESS	(UINT64_C(1) << 32)

struct export {
	struct collection *collection;
	const struct export_options *options;
	struct populate_options populate;	/* for populate_open_image(), row_make() */
	struct notices *notices;
	struct profile *profile;
	struct imported *imported;	/* of each session, empty for ordinary ones */
	struct export_image **images;
	size_t nr_images, images_room;
	/*
	 * Its images are indices of images[], its addresses places of binary.h; without an image,
	 * the address is how a stack ended, or EXPORT_PROCESS and the image that is the program of
	 * the stack's process. @profile's samples have its nodes until all places are
	 * named.
	 */
	struct profile *gathered;
	uint32_t *named;		/* of its places: @profile's place */
	uint32_t nr_named;
	uint32_t *file_events;		/* of the collection's files: the profile's events */
	bool label_apps;		/* there is more than one application */
	size_t nr_read;			/* sample files */
};

/* --- gathered.c --- */

/* The index of @image, which is opened if it is new. @session: used if it is a kernel. */
uint32_t export_image_get(struct export *x, struct report_image *image,
			  const struct report_session *session);

/* The place of @key of a sample file of the image; @anon_start: of a JIT image's mapping. */
uint32_t export_place(struct export *x, uint32_t image, uint64_t key, uint64_t anon_start);

/* A place that was added before, or PROFILE_NONE. For when all places are named. */
uint32_t export_place_find(const struct export *x, uint32_t image, uint64_t key);

/* Read what is known of the sessions' import, if they were imported. */
void export_read_imported(struct export *x);
const struct imported *export_imported(const struct export *x, const struct report_session *s);

/* --- files.c --- */

/* A session's sample files. */
struct export_files {
	const struct sample_file *files;
	size_t nr;
	struct hash_table by_name;	/* the caller's to free */
};
void export_files_index(struct export_files *all);	/* fills by_name */
/* The index of the file with @f's name and build, or PROFILE_NONE. */
uint32_t export_file_find(const struct export_files *all, const struct sample_file *f);

/* --- stacks.c --- */

/* Add all samples of the session's files [@first, @end). */
void export_stacks(struct export *x, const struct report_session *session, size_t first,
		   size_t end);

/* --- labels.c --- */

/* The label set of samples of @file; @comm "": unknown. @own: a context's labels [ST-14]. */
uint32_t export_labels(struct export *x, const struct sample_file *file, const char *comm,
		       const char *own);
void export_events(struct export *x);
void export_set_details(struct export *x);

/* --- images.c --- */

/* Assign address ranges to @i's places. */
void export_ranges(struct export *x, struct export_image *i, uint64_t *next_address);

/* The image's name in formats: the path of a file, "[ext4]"; malloc'd. */
char *export_image_path(const struct report_image *image);

/* The profile's image and address of a place. *range: a guess of its range, updated; or 0. */
uint32_t export_address(struct export *x, struct export_image *i, uint64_t place, size_t *range,
			uint64_t *ret_address);

/* --- original.c --- */

/* The profile that the session was imported from, if x->profile is all of it; else NULL. */
struct profile *export_original(const struct export *x);

/* The profile that the only session was imported from, if that has no samples; else NULL. */
struct profile *export_empty_original(const struct export *x);

/* --- symbols.c --- */

/* Set x->named of all of @i's places. */
void export_symbols(struct export *x, struct export_image *i);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gathered.h - a session on its way to a profile
 *
 * Names and addresses are looked up image by image and in order, so all that was sampled is
 * gathered first: in a profile whose places are in the images' own measure and have no names.
 */
#ifndef PP_EXCHANGE_EXPORT_GATHERED_H
#define PP_EXCHANGE_EXPORT_GATHERED_H

#include "pp/binary/binary.h"
#include "pp/exchange/export/profile.h"
#include "pp/exchange/imported.h"
#include "pp/report/merge_pass.h"

/* Places [low, high) of an image lie at consecutive addresses and file offsets. */
struct export_range {
	uint64_t low, high;
	uint64_t address, offset;	/* of low */
	uint32_t image;			/* the profile's; PROFILE_NONE: nothing was there yet */
	const struct imported_image *from;	/* what it was when it was imported, or NULL */
};

struct export_image {
	struct report_image *image;
	const struct report_session *session;	/* a kernel's; else NULL */
	struct binary binary;
	uint32_t *places;		/* indices, sorted by place */
	size_t nr_places;
	struct export_range *ranges;	/* the last one takes what is in no other */
	size_t nr_ranges;
};

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
	 * Its places are of images[], at addresses in their own measure (binary.h); without an
	 * image, the address says how a stack ended. @profile's samples have its nodes until all
	 * places are named.
	 */
	struct profile *gathered;
	uint32_t *named;		/* of its places: those of @profile */
	uint32_t nr_named;
	uint32_t *file_events;		/* of the collection's files: the profile's events */
	bool label_apps;		/* there is more than one */
	size_t nr_read;			/* sample files */
};

/* --- gathered.c --- */

/* The index of @image, which is opened if it is new. @session: whose kernel it is, if it is one. */
uint32_t export_image_get(struct export *x, struct report_image *image,
			  const struct report_session *session);

/* The place of key @key of a sample file of that image; @anon_start of a JIT image's mapping. */
uint32_t export_place(struct export *x, uint32_t image, uint64_t key, uint64_t anon_start);

/* The one that was added before; PROFILE_NONE: it was not. All places are named. */
uint32_t export_place_find(const struct export *x, uint32_t image, uint64_t key);

/* What the sessions were imported from. */
void export_read_imported(struct export *x);
const struct imported *export_imported(const struct export *x, const struct report_session *s);

/* --- files.c --- */

/* A session's sample files. */
struct export_files {
	const struct sample_file *files;
	size_t nr;
	uint32_t *slots;		/* hash table of indices; the caller's to free() */
	size_t nr_slots;
};
void export_files_index(struct export_files *all);	/* makes it */
/* The index of the file with @f's name and build; PROFILE_NONE: there is none. */
uint32_t export_file_find(const struct export_files *all, const struct sample_file *f);

/* --- stacks.c: all samples of the session's files [@first, @end) --- */
void export_stacks(struct export *x, const struct report_session *session, size_t first,
		   size_t end);

/* --- labels.c --- */

/* The label set of samples of @file; @comm "": not known. @said: a context's labels [ST-14]. */
uint32_t export_labels(struct export *x, const struct sample_file *file, const char *comm,
		       const char *said);
void export_events(struct export *x);
void export_about(struct export *x);

/* --- images.c --- */

/* Give @i's places their ranges: where in the address space they are. */
void export_ranges(struct export *x, struct export_image *i, uint64_t *next_address);

/* What formats call an image: the path of a file, "[ext4]"; malloc'd. */
char *export_image_path(const struct report_image *image);

/* The profile's image and address of a place; @range: the index it was in, or 0. */
uint32_t export_address(struct export *x, struct export_image *i, uint64_t place, size_t *range,
			uint64_t *ret_address);

/*
 * --- kept.c: what the session was made of, if x->profile is all of that; else NULL. It is
 * the caller's.
 */
struct profile *export_kept(const struct export *x);

/* --- symbols.c: x->named of all of @i's places --- */
void export_symbols(struct export *x, struct export_image *i);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private.h - a session on its way to a profile: what the export_*.c files share */
#ifndef PP_EXCHANGE_EXPORT_PRIVATE_H
#define PP_EXCHANGE_EXPORT_PRIVATE_H

#include "pp/binary/binary.h"
#include "pp/exchange/export/profile.h"
#include "pp/exchange/imported.h"
#include "pp/report/merge_pass.h"

#define EXPORT_NONE UINT32_MAX

/* Code of one image, in the image's own measure (binary.h); later a place of the profile. */
struct export_place {
	uint64_t place;
	uint32_t image;			/* index */
	uint32_t made;			/* the profile's, by export_symbols() */
};

/* Places [low, high) of an image lie at consecutive addresses and file offsets. */
struct export_range {
	uint64_t low, high;
	uint64_t address, offset;	/* of low */
	uint32_t image;			/* the profile's; EXPORT_NONE: nothing was there yet */
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

/* A frame called from another one. Parents come first. */
struct export_node {
	uint32_t parent;		/* or EXPORT_NONE */
	uint32_t place;			/* index; EXPORT_NONE: as good as its parent */
	uint32_t cut;			/* of a root: kind of end, plus 1; else 0 */
};

struct export_sample {
	uint64_t value;
	uint32_t node, labels, event;
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
	struct export_place *places;
	size_t nr_places, places_room;
	uint32_t *slots;		/* hash table of indices of places */
	size_t nr_slots;
	struct export_node *nodes;
	size_t nr_nodes, nodes_room;
	struct export_sample *samples;
	size_t nr_samples, samples_room;
	uint32_t *file_events;		/* of the collection's files: the profile's events */
	bool label_apps;		/* there is more than one */
	size_t nr_read;			/* sample files */
};

/* --- profile.c --- */

/* The index of @image, which is opened if it is new. @session: whose kernel it is, if it is one. */
uint32_t export_image_get(struct export *x, struct report_image *image,
			  const struct report_session *session);

/* The place of key @key of a sample file of that image; @anon_start of a JIT image's mapping. */
uint32_t export_place(struct export *x, uint32_t image, uint64_t key, uint64_t anon_start);

/* Where one is that was added; EXPORT_NONE: it was not. */
uint32_t export_place_find(const struct export *x, uint32_t image, uint64_t key);

uint32_t export_node_add(struct export *x, uint32_t parent, uint32_t place, uint32_t cut);
void export_sample_add(struct export *x, uint32_t node, uint32_t labels, uint32_t event,
		       uint64_t value);

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
/* The index of the file with @f's name and build; EXPORT_NONE: there is none. */
uint32_t export_file_find(const struct export_files *all, const struct sample_file *f);

/* --- chains.c: all samples of the session's files [@first, @end) --- */
void export_chains(struct export *x, const struct report_session *session, size_t first,
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

/* --- symbols.c: fill in made of all of @i's places --- */
void export_symbols(struct export *x, struct export_image *i);

#endif

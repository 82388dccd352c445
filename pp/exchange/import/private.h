/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private.h - a profile on its way to a session: what the import_*.c files share */
#ifndef PP_EXCHANGE_IMPORT_PRIVATE_H
#define PP_EXCHANGE_IMPORT_PRIVATE_H

#include <stddef.h>
#include <stdint.h>
#include "libdb/session/parts.h"
#include "libutil/build_id.h"
#include "pp/exchange/import/session.h"
#include "pp/exchange/imported.h"

/* What becomes one image of the session: parts of one build of one file. */
struct import_image {
	char *path;			/* in the session, absolute */
	char build_id[BUILD_ID_TEXT];	/* the profile's, or invented */
	bool is_invented;
};

/* A place of the profile: where its samples go. */
struct import_place {
	uint32_t image;			/* index */
	uint64_t key;
};

struct import_images {
	struct import_image *images;
	uint32_t nr;
	struct import_place *places;	/* of the profile's places */
	uint32_t *of_image;		/* of the profile's images: index */
	uint32_t *by_image, *ends;	/* places, grouped by image; where each one's end */
};

/* --- images.c --- */
void import_images_make(const struct profile *p, struct imported *imported,
			struct import_images *ret);
void import_images_free(struct import_images *m);

/* The function that really is at a place: what else is there was inlined. "": not known. */
const char *import_function(const struct profile *p, uint32_t place);

/*
 * names.c: an object file at @path with the functions of image @image, if there are any;
 * 1 then.
 */
int import_names_write(const struct profile *p, const struct import_images *m, uint32_t image,
		       const char *path);

/* --- samples.c --- */

/* What a sample file's name and a chain's context say of a set of labels. */
struct import_labels {
	int64_t pid, tid, cpu;
	const char *cgroup, *comm;
	uint32_t app;			/* image, or PROFILE_NONE: the one the sample is in */
};

struct import_event {
	struct profile_event of;
	char *name;			/* in files' names */
	uint64_t divisor, count;
};

/* A sample file; equal ones may be made twice, and add up. */
struct import_file {
	uint32_t event, labels, image;
	uint32_t callee;		/* of calls: into that image; else PROFILE_NONE */
};

struct import_record {
	uint64_t key, value;
	uint32_t file;
};

struct importer {
	const struct profile *p;
	const struct import_images *m;
	const char *samples;		/* folder */
	char *stats;
	struct import_labels *labels;	/* of the profile's label sets */
	struct import_event *events;
	struct import_file *files;
	uint32_t nr_files;
	uint32_t *slots;		/* hash table of files */
	struct import_record *records;
	size_t nr, room;
	struct session_parts parts;
	uint64_t nr_negative;
	struct import_session_sums sums;
	struct op_error *e;
};

/* The index of a file like that, or PROFILE_NONE: there are too many. */
uint32_t import_file_get(struct importer *m, const struct import_file *file);
void import_record_add(struct importer *m, uint32_t file, uint64_t key, uint64_t value);

/* --- calls.c: records of all calls --- */
void import_calls_add(struct importer *m, struct notices *notices);

/* --- events.c: m->events, such that all records fit into counters --- */
void import_events_make(struct importer *m, struct imported *imported, struct notices *notices);

/* --- chains.c: the chains of the profile into a stack store; m->events are named --- */
int import_write_chains(struct importer *m);

/* Is this what stands above chains that were cut [PF-6]? How they ended, then. */
bool import_is_cut(const struct profile *p, uint32_t place, unsigned int *ret);

/* Sample files and stack store below @samples, which is new. */
int import_write_samples(const struct profile *p, const struct import_images *m,
			 struct imported *imported, const char *samples,
			 struct import_session_sums *sums, struct notices *notices,
			 struct op_error *e);

#endif

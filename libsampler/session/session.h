/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - add a profile to a session, for the files of this folder
 *
 * What cannot be written costs only its own samples, which are counted as lost. [SM-67]
 */
#ifndef LIBSAMPLER_SESSION_SESSION_H
#define LIBSAMPLER_SESSION_SESSION_H

#include <string.h>

#include "libdb/session/image_ids.h"
#include "libdb/session/writer.h"
#include "libsampler/build/profile.h"

/* What the samples of an image are filed under. */
struct session_image {
	struct image_name name;
	const char *build_id;
	bool is_known;			/* has a name that a sample file can have */
	bool is_recorded;		/* in stats/images, or needs no line there */
	bool is_apart;			/* in a part: another build of its path [SS-61] */
};

struct session_update {
	const struct profile *p;
	const unsigned char *ends;
	const struct sampler_summary *summary;
	struct session_writer to;
	struct image_name app;
	pid_t pid;
	double cpu_mhz;
	uint64_t count;			/* in names of files */
	uint64_t unit_mask;
	struct session_image *images;	/* of the profile */
	char **names;			/* malloc'd ones of images */
	size_t nr_names, names_room;
	struct image_ids *ids;		/* as they were before; or NULL */
	struct cpu_counts counts;	/* to be added */
	int err;			/* the first, with its text in @e */
	struct op_error *e;
};

/* Record the first failure, to write @what. */
static inline void session_failed(struct session_update *u, int err, const char *what)
{
	if (!u->err)
		u->err = op_error_set(u->e, err, "cannot write '%s': %s", what, strerror(-err));
}

/* --- images.c --- */
void session_images_make(struct session_update *u);
void session_images_free(struct session_update *u);
/* Add a line to stats/images when the image gets its first sample. */
void session_image_record(struct session_update *u, struct session_image *image);
/* The key of a place [SF-28]. */
uint64_t session_key(const struct profile *p, const struct profile_place *place);

/* The number of the sample's label, or -1. */
int64_t session_label(const struct profile *p, uint32_t labels, const char *key);

/* --- files.c: sample files, with calls --- */
void session_write_files(struct session_update *u);

/* --- stacks.c: the stack store --- */
void session_write_stacks(struct session_update *u);

/* --- made.c: names of code made at run time --- */
void session_write_made(struct session_update *u, const char *samples_dir);

/* --- beside.c: the other files; @dir is the session directory --- */
void session_write_beside(struct session_update *u, const char *dir);

#endif

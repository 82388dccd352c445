/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - a profile on its way into a session: what the build_session*.c files share
 *
 * Whatever cannot be written costs the samples it would have held, which are counted as lost, and
 * not the others. [SM-67]
 */
#ifndef LIBSAMPLER_SESSION_SESSION_H
#define LIBSAMPLER_SESSION_SESSION_H

#include "libdb/session/image_ids.h"
#include "libdb/session/name.h"
#include "libdb/session/parts.h"
#include "libdb/session/session.h"
#include "libsampler/build/profile.h"
#include "libutil/error.h"

/* What samples of an image are filed under. */
struct session_image {
	struct image_name name;
	const char *build_id;
	bool known;			/* has a name that a sample file can have */
	bool told;			/* in stats/images, or needs no line there */
	size_t part;			/* 1 + its number; 0: of the path's first build */
};

struct session_writer {
	const struct profile *p;
	const unsigned char *ends;
	const struct sampler_summary *summary;
	char *samples, *stats;		/* folders */
	struct image_name app;
	pid_t pid;
	uint64_t count;			/* in names of files */
	uint64_t unit_mask;
	struct session_image *images;	/* the profile's */
	char **names;			/* that were made */
	size_t nr_names, names_room;
	struct image_ids *ids;		/* as they were; or NULL */
	struct session_parts parts;
	struct cpu_counts counts;	/* to be added */
	int err;			/* the first, and what it says */
	struct op_error *e;
};

/* Take note of a failure: the first one is told. */
void session_failed(struct session_writer *w, int err, const char *what);

/* --- images.c --- */
void session_images_make(struct session_writer *w);
void session_images_free(struct session_writer *w);
/* Into stats/images, once, when it has a sample. */
void session_image_tell(struct session_writer *w, struct session_image *image);
/* The key of a place [SF-28]. */
uint64_t session_key(const struct profile *p, const struct profile_place *place);

/* The number that the sample's label says, or -1. */
int64_t session_label(const struct profile *p, uint32_t labels, const char *key);

/* --- files.c: sample files, with calls --- */
void session_write_files(struct session_writer *w);

/* --- stacks.c: the stack store --- */
void session_write_stacks(struct session_writer *w);

/* --- beside.c: all else; @dir is the session directory --- */
void session_write_beside(struct session_writer *w, const char *dir);

#endif

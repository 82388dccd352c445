/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.h - the source lines of the functions with most samples */
#ifndef PP_PICTURE_SOURCE_H
#define PP_PICTURE_SOURCE_H

#include "pp/picture/data.h"
#include "pp/report/populate.h"
#include "pp/select/collect.h"
#include "pp/select/notices.h"

#define PICTURE_SOURCES		40	/* functions */
#define PICTURE_SOURCE_LINES	400	/* of one function */
#define PICTURE_LINE_BYTES	400

/* A line with samples, or near one. */
struct picture_line {
	uint32_t number;
	char *text;		/* NULL: missing in the source, or the source is unreadable */
	size_t counts;		/* index: a value for each class */
};

struct picture_source {
	uint32_t symbol;
	char *file;		/* or NULL */
	char *why;		/* why lines are missing or may be wrong, or NULL */
	struct picture_line *lines;
	size_t nr, room;
	size_t elsewhere;	/* index: samples of the function in lines of other files */
	bool is_cut;		/* there were more lines */
};

struct picture_sources {
	struct picture_source *sources;		/* those with most samples first */
	size_t nr;
	size_t nr_classes;
	uint64_t *counts;
	size_t nr_counts, counts_room;
};

/* Make *ret from @c's profile, which has @p's classes. Symbols may be added to @p. */
void picture_sources_make(struct picture *p, struct collection *c,
			  const struct populate_options *populate, struct picture_sources *ret,
			  struct notices *notices);
void picture_sources_free(struct picture_sources *s);

#endif

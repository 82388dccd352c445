/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - a profile.proto while it is read: what its parts share
 *
 * Messages refer to each other by ids and come in any order, so the file is walked through once for
 * each kind, in the order in which they need each other. Only ids are kept on the way.
 */
#ifndef FORMATS_PROTO_READER_H
#define FORMATS_PROTO_READER_H

#include "formats/format.h"
#include "formats/proto/columns.h"
#include "formats/proto/decode.h"
#include "formats/proto/ids.h"

struct proto_reader {
	struct proto_cursor file;
	const struct format_read_options *options;
	struct profile *p;
	struct op_error *e;

	uint32_t *strings;		/* the profile's, of those in the file */
	uint32_t nr_strings;
	size_t room_strings;
	uint32_t *comments;		/* the profile's strings */
	uint32_t nr_comments;
	size_t room_comments;
	struct proto_ids mappings, functions, locations;
	struct proto_columns columns;
	uint64_t period;
	struct proto_column period_type;	/* name and unit only; NULL: none */
	uint64_t missed;		/* references to what was cut off [PP-25] */
	unsigned int times;		/* how many time_nanos there were */

	struct profile_line *lines;	/* of one location */
	size_t room_lines;
	uint32_t *places;		/* of one sample's stack, innermost first */
	size_t room_places;
	struct profile_label *labels;	/* of one sample */
	size_t room_labels;
	int64_t *row;			/* of one sample */
};

/* May a reference to nothing be taken for one to something unknown? Counted for a warning. */
bool proto_may_miss(struct proto_reader *r);

/* Call @take for each field of the file with this number. */
int proto_each(struct proto_reader *r, uint32_t number,
	       int (*take)(struct proto_reader *r, struct proto_field *f));

/* The profile's string at place @at of the table; the field at @offset refers to it. */
int proto_text_at(struct proto_reader *r, uint64_t at, size_t offset, uint32_t *ret);

/* The parts, in this order. */
int proto_read_strings(struct proto_reader *r);
int proto_read_head(struct proto_reader *r);	/* sample types, times, comments */
int proto_read_mappings(struct proto_reader *r);
int proto_read_functions(struct proto_reader *r);
int proto_read_locations(struct proto_reader *r);
int proto_read_samples(struct proto_reader *r);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - state of a profile.proto's reader
 *
 * Messages refer to each other by ids and come in any order, so there is one pass over the file for
 * each kind of message, in the order of these references. Only ids are kept.
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

	uint32_t *strings;		/* of the profile, by index in the file */
	uint32_t nr_strings;
	size_t room_strings;
	uint32_t *comments;		/* strings of the profile */
	uint32_t nr_comments;
	size_t room_comments;
	struct proto_ids mappings, functions, locations;
	struct proto_columns columns;
	uint64_t period;
	struct proto_column period_type;	/* name and unit only; NULL: none */
	uint64_t nr_missing;		/* references to data that was cut off [PP-25] */
	unsigned int nr_times;		/* time_nanos fields */

	struct profile_line *lines;	/* of one location */
	size_t room_lines;
	uint32_t *places;		/* of one sample's stack, innermost first */
	size_t room_places;
	struct profile_label *labels;	/* of one sample */
	size_t room_labels;
	int64_t *row;			/* of one sample */
};

/* May a dangling reference count as one to something unknown? If so, count it for a warning. */
bool proto_tolerate_missing(struct proto_reader *r);

/* Call @read for each field of the file with this number. */
int proto_each(struct proto_reader *r, uint32_t number,
	       int (*read)(struct proto_reader *r, struct proto_field *f));

/* The profile's string at index @at of the table; the field at @offset refers to it. */
int proto_text_at(struct proto_reader *r, uint64_t at, size_t offset, uint32_t *ret);

/* The passes, in this order. */
int proto_read_strings(struct proto_reader *r);
int proto_read_head(struct proto_reader *r);	/* sample types, times, comments */
int proto_read_mappings(struct proto_reader *r);
int proto_read_functions(struct proto_reader *r);
int proto_read_locations(struct proto_reader *r);
int proto_read_samples(struct proto_reader *r);

#endif

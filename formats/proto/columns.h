/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns.h - convert between events and the sample types of profile.proto
 *
 * In profile.proto a sample is a row of values with a column for each sample type. If the period of
 * an event is known, its column has the amount, samples times period, and the first column has the
 * samples. What columns cannot express is in comments, one for each event. Rules:
 * doc/profile-proto.md [PP-11] to [PP-17].
 */
#ifndef FORMATS_PROTO_COLUMNS_H
#define FORMATS_PROTO_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include "formats/profile/profile.h"

#define PROTO_ALL_EVENTS	UINT32_MAX	/* the column has the samples of all events */

struct proto_column {
	char *name, *unit;		/* the sample type */
	uint32_t event;			/* or PROTO_ALL_EVENTS */
	char *event_name;		/* NULL: @name */
	uint64_t period;		/* 0: the values are amounts, not samples */
	uint64_t unit_mask;
};

struct proto_columns {
	struct proto_column *columns;
	uint32_t nr, nr_events;
	size_t room;
	bool has_samples;		/* columns[0] has the samples */
	bool has_comments;		/* comments describe the events */
};

void proto_columns_free(struct proto_columns *c);

/* Writing: make columns of the events of @p. */
void proto_columns_make(const struct profile *p, struct proto_columns *c);

/* The comment that describes a column, which the caller frees; is this such a comment? */
char *proto_columns_comment(const struct proto_columns *c, uint32_t column);
bool proto_is_column_comment(const char *comment);

/* Reading: add all columns, then parse all comments. False: the comment describes no column. */
void proto_columns_add(struct proto_columns *c, const char *name, const char *unit);
bool proto_columns_parse_comment(struct proto_columns *c, const char *comment);

/*
 * After that, find what the columns mean. @period is the file's, 0 if it is not that of the last
 * column.
 */
void proto_columns_resolve(struct proto_columns *c, uint64_t period);

/* Is @row consistent with that? If one row is not, all columns are just amounts. */
bool proto_columns_accept(struct proto_columns *c, const int64_t *row);
void proto_columns_make_plain(struct proto_columns *c);

/* Add the events to @p; convert the values of one sample. */
void proto_columns_add_events(const struct proto_columns *c, struct profile *p);
void proto_columns_convert(const struct proto_columns *c, const int64_t *row, int64_t *values);

#endif

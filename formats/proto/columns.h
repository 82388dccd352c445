/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns.h - events as sample types of profile.proto, and back
 *
 * To profile.proto samples are rows of values, with a column for each sample type. Of an event that
 * counts samples, whose period is known, the column has the amount, samples times period; a column
 * before all others has the samples. What the columns don't show stands in comments, one for each
 * event. Rules: doc/profile-proto.md [PP-11] to [PP-17].
 */
#ifndef FORMATS_PROTO_COLUMNS_H
#define FORMATS_PROTO_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include "formats/profile/profile.h"

#define PROTO_ALL_EVENTS	UINT32_MAX	/* the column has the samples of all of them */

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
	bool sampled;			/* columns[0] has the samples */
	bool told;			/* comments are needed, or were there, to tell events */
};

void proto_columns_free(struct proto_columns *c);

/* Writing: the columns that @p's events make. */
void proto_columns_of(const struct profile *p, struct proto_columns *c);

/* The comment that tells of a column, malloc'd; and does a comment look like one? */
char *proto_column_comment(const struct proto_columns *c, uint32_t column);
bool proto_is_column_comment(const char *comment);

/* Reading: a column more, then comments, in the file's order; false: one like any other. */
void proto_column_add(struct proto_columns *c, const char *name, const char *unit);
bool proto_column_told(struct proto_columns *c, const char *comment);

/*
 * All is there: settle what the columns mean. @period is the file's, 0 if it is not that of the
 * last column.
 */
void proto_columns_settle(struct proto_columns *c, uint64_t period);

/* Does @row agree with that? Where it doesn't, the columns are amounts: */
bool proto_columns_fit(struct proto_columns *c, const int64_t *row);
void proto_columns_plain(struct proto_columns *c);

/* Add the events to @p; and the values of one sample. */
void proto_columns_events(const struct proto_columns *c, struct profile *p);
void proto_columns_values(const struct proto_columns *c, const int64_t *row, int64_t *values);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read_samples.c - read the samples of a profile.proto, and find what their columns mean
 *
 * Only the rows show whether a column is samples times a period, and events must be added before
 * samples, so there is a pass over the rows first.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/proto/reader.h"
#include "libutil/xalloc.h"

/* Append the values of one field to the row. */
static int read_values(struct proto_reader *r, struct proto_field *f, uint32_t *nr)
{
	uint64_t value;
	int err = proto_list_start(f, "value", r->e);

	while (!err && (err = proto_list_next(f, &value, r->e)) > 0) {
		if (*nr < r->columns.nr)
			r->row[*nr] = (int64_t)value;
		++*nr;
		err = 0;
	}
	return err;
}

/* Read all values of a sample. [PP-23] */
static int read_row(struct proto_reader *r, const struct proto_field *sample)
{
	struct proto_cursor c = sample->inside;
	struct proto_field f;
	uint32_t nr = 0;
	int err = proto_expect(sample, PROTO_BYTES, "sample", r->e);

	while (!err && (err = proto_next(&c, &f, r->e)) > 0)
		err = f.number == SAMPLE_VALUE ? read_values(r, &f, &nr) : 0;
	if (!err && nr != r->columns.nr)
		return op_error_set(r->e, -EPROTO, "offset %zu: sample with %" PRIu32 " values: "
				    "expected %" PRIu32 ", one for each sample_type",
				    sample->offset, nr, r->columns.nr);
	return err;
}

static int check_row(struct proto_reader *r, struct proto_field *f)
{
	int err = read_row(r, f);

	if (err)
		return err;
	return proto_columns_accept(&r->columns, r->row) ? 0 : -EDOM;
}

static bool is_period_of_last(const struct proto_reader *r)
{
	const struct proto_column *last = &r->columns.columns[r->columns.nr - 1];

	return r->period_type.name && !strcmp(r->period_type.name, last->name) &&
	       !strcmp(r->period_type.unit, last->unit) && r->period <= INT64_MAX;
}

/* Comments that describe columns are consumed, others are kept. [PP-14] to [PP-17] */
static int resolve_columns(struct proto_reader *r)
{
	bool *is_used = xcalloc(r->nr_comments + 1, sizeof(*is_used));
	int err;

	for (uint32_t i = 0; i < r->nr_comments; i++)
		is_used[i] = proto_columns_parse_comment(&r->columns,
							 profile_text(r->p, r->comments[i]));
	proto_columns_resolve(&r->columns, is_period_of_last(r) ? r->period : 0);
	err = proto_each(r, TOP_SAMPLE, check_row);
	if (err == -EDOM) {
		proto_columns_make_plain(&r->columns);
		err = 0;
	}
	for (uint32_t i = 0; i < r->nr_comments; i++)
		if (!is_used[i] || !r->columns.has_comments)
			profile_comment(r->p, profile_text(r->p, r->comments[i]));
	proto_columns_add_events(&r->columns, r->p);
	free(is_used);
	return err;
}

/* [PP-21] */
static int read_stack(struct proto_reader *r, struct proto_field *f, uint32_t *nr)
{
	uint64_t id;
	int err = proto_list_start(f, "location_id", r->e);

	while (!err && (err = proto_list_next(f, &id, r->e)) > 0) {
		uint32_t place = proto_ids_find(&r->locations, id);

		if (place == PROTO_NOT_FOUND && proto_tolerate_missing(r))
			place = profile_place(r->p, PROFILE_NONE, 0, NULL, 0);
		if (place == PROTO_NOT_FOUND)
			return op_error_set(r->e, -EPROTO, "offset %zu: unknown location %" PRIu64
					    " in a sample", f->offset, id);
		xgrow(r->places, *nr, r->room_places);
		r->places[(*nr)++] = place;
		err = 0;
	}
	return err;
}

/* [PP-24] */
static int read_label(struct proto_reader *r, const struct proto_field *f, uint32_t *nr)
{
	struct proto_cursor c = f->inside;
	struct profile_label label = { 0 };
	struct proto_field inner;
	int err = proto_expect(f, PROTO_BYTES, "label", r->e);

	while (!err && (err = proto_next(&c, &inner, r->e)) > 0) {
		uint32_t unused, *text = inner.number == LABEL_KEY ? &label.key :
					 inner.number == LABEL_STR ? &label.text :
					 inner.number == LABEL_NUM_UNIT ? &label.unit : &unused;

		if (inner.number == LABEL_NUM)
			label.number = (int64_t)inner.value;
		err = 0;
		if (inner.number > LABEL_NUM_UNIT)
			continue;
		err = proto_expect(&inner, PROTO_VARINT, "label", r->e);
		if (!err && inner.number != LABEL_NUM)
			err = proto_text_at(r, inner.value, inner.offset, text);
	}
	if (err)
		return err;
	if (!label.key && r->nr_missing)
		return 0;
	if (!label.key)
		return format_warn_or_fail(r->options, r->e, "offset %zu: skipped a label without "
					   "a key", f->offset);
	if (label.text) {
		label.number = 0;
		label.unit = 0;
	}
	xgrow(r->labels, *nr, r->room_labels);
	r->labels[(*nr)++] = label;
	return 0;
}

/* [PP-24] */
static int truncate_stack(struct proto_reader *r, const struct proto_field *f, uint32_t *nr)
{
	if (*nr <= PROFILE_FRAMES_MAX)
		return 0;
	*nr = PROFILE_FRAMES_MAX;
	return format_warn_or_fail(r->options, r->e, "offset %zu: truncated a stack of more than "
				   "%d frames", f->offset, PROFILE_FRAMES_MAX);
}

static int read_sample(struct proto_reader *r, struct proto_field *f)
{
	struct proto_cursor c = f->inside;
	struct proto_field inner;
	uint32_t nr_places = 0, nr_labels = 0, node, labels;
	int err = read_row(r, f);

	while (!err && (err = proto_next(&c, &inner, r->e)) > 0) {
		err = 0;
		if (inner.number == SAMPLE_LOCATION_ID)
			err = read_stack(r, &inner, &nr_places);
		else if (inner.number == SAMPLE_LABEL)
			err = read_label(r, &inner, &nr_labels);
	}
	if (!err)
		err = truncate_stack(r, f, &nr_places);
	if (err)
		return err;
	node = profile_stack(r->p, r->places, nr_places);
	labels = profile_label_set(r->p, r->labels, nr_labels);
	proto_columns_convert(&r->columns, r->row, profile_add_sample(r->p, node, labels));
	return 0;
}

int proto_read_samples(struct proto_reader *r)
{
	int err;

	r->row = xcalloc(r->columns.nr, sizeof(*r->row));
	err = resolve_columns(r);
	return err ? err : proto_each(r, TOP_SAMPLE, read_sample);
}

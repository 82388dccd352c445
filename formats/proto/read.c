// SPDX-License-Identifier: GPL-2.0-or-later
/* read.c - a profile.proto as a whole: is it one, its strings, its sample types and times */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/all_formats.h"
#include "formats/proto/proto.h"
#include "formats/proto/reader.h"
#include "libutil/xalloc.h"

#define SAMPLE_TYPES_MAX	256

static int take_string(struct proto_reader *r, struct proto_field *f)
{
	const char *text;
	size_t len, whole;
	int err = proto_expect(f, PROTO_BYTES, "string_table", r->e);

	if (err)
		return err;
	text = (const char *)f->inside.at;
	whole = proto_size(&f->inside);
	len = strnlen(text, whole);
	if (len != whole) {
		err = format_doubt(r->options, r->e, "offset %zu: a string has a NUL in it, and is "
				   "taken as ending there [PP-22]", f->offset);
		if (err)
			return err;
	}
	if (!r->nr_strings && whole)
		return op_error_set(r->e, -EPROTO, "offset %zu: the first string has to be empty "
				    "[PP-22]", f->offset);
	xgrow(r->strings, r->nr_strings, r->room_strings);
	r->strings[r->nr_strings++] = profile_string_n(r->p, text, len);
	return 0;
}

int proto_read_strings(struct proto_reader *r)
{
	return proto_each(r, TOP_STRING_TABLE, take_string);
}

/* A type's name and unit, in copies for the caller to free. */
static int read_type(struct proto_reader *r, const struct proto_field *f, struct proto_column *type)
{
	struct proto_cursor c = f->inside;
	struct proto_field inner;
	uint32_t text[2] = { 0, 0 };
	int err = proto_expect(f, PROTO_BYTES, "a type", r->e);

	while (!err && (err = proto_next(&c, &inner, r->e)) > 0) {
		err = 0;
		if (inner.number != VALUE_TYPE_TYPE && inner.number != VALUE_TYPE_UNIT)
			continue;
		err = proto_expect(&inner, PROTO_VARINT, "a type's string", r->e);
		if (!err)
			err = proto_text_at(r, inner.value, inner.offset,
					    &text[inner.number == VALUE_TYPE_UNIT]);
	}
	if (err)
		return err;
	type->name = xstrdup(profile_text(r->p, text[0]));
	type->unit = xstrdup(profile_text(r->p, text[1]));
	return 0;
}

static int take_sample_type(struct proto_reader *r, struct proto_field *f)
{
	struct proto_column type;
	int err = read_type(r, f, &type);

	if (err)
		return err;
	if (r->columns.nr == SAMPLE_TYPES_MAX)
		err = op_error_set(r->e, -EPROTO, "offset %zu: there are more than %d sample types "
				   "[PP-23]", f->offset, SAMPLE_TYPES_MAX);
	else
		proto_column_add(&r->columns, type.name, type.unit);
	free(type.name);
	free(type.unit);
	return err;
}

static int take_period_type(struct proto_reader *r, struct proto_field *f)
{
	free(r->period_type.name);
	free(r->period_type.unit);
	r->period_type.name = r->period_type.unit = NULL;
	return read_type(r, f, &r->period_type);
}

static int take_period(struct proto_reader *r, struct proto_field *f)
{
	r->period = f->value;
	return proto_expect(f, PROTO_VARINT, "period", r->e);
}

static int take_time(struct proto_reader *r, struct proto_field *f)
{
	if (r->times++)
		return op_error_set(r->e, -EPROTO, "offset %zu: time_nanos is there twice: these "
				    "are several profiles, one behind the other [PP-23]",
				    f->offset);
	r->p->start_ns = (int64_t)f->value;
	return proto_expect(f, PROTO_VARINT, "time_nanos", r->e);
}

static int take_duration(struct proto_reader *r, struct proto_field *f)
{
	r->p->duration_ns = (int64_t)f->value;
	return proto_expect(f, PROTO_VARINT, "duration_nanos", r->e);
}

static int take_comments(struct proto_reader *r, struct proto_field *f)
{
	uint64_t at;
	uint32_t text = 0;
	int err = proto_list_start(f, "comment", r->e);

	while (!err && (err = proto_list_next(f, &at, r->e)) > 0) {
		err = proto_text_at(r, at, f->offset, &text);
		xgrow(r->comments, r->nr_comments, r->room_comments);
		r->comments[r->nr_comments++] = text;
	}
	return err;
}

/* What struct profile has no room for [PP-19]. */
static int take_dropped(struct proto_reader *r, struct proto_field *f)
{
	static const char *const names[] = {
		[TOP_DROP_FRAMES] = "drop_frames", [TOP_KEEP_FRAMES] = "keep_frames",
	};

	if (f->value)
		format_warn(r->options->warnings, "offset %zu: %s is left out [PP-19]", f->offset,
			    names[f->number]);
	return proto_expect(f, PROTO_VARINT, names[f->number], r->e);
}

int proto_read_head(struct proto_reader *r)
{
	static const struct {
		uint32_t number;
		int (*take)(struct proto_reader *r, struct proto_field *f);
	} parts[] = {
		{ TOP_SAMPLE_TYPE, take_sample_type },
		{ TOP_PERIOD_TYPE, take_period_type },
		{ TOP_PERIOD, take_period },
		{ TOP_TIME_NANOS, take_time },
		{ TOP_DURATION_NANOS, take_duration },
		{ TOP_COMMENT, take_comments },
		{ TOP_DROP_FRAMES, take_dropped },
		{ TOP_KEEP_FRAMES, take_dropped },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int err = proto_each(r, parts[i].number, parts[i].take);

		if (err)
			return err;
	}
	if (!r->columns.nr)
		return op_error_set(r->e, -EPROTO, "offset %zu: it ends, and there was no "
				    "sample_type [PP-23]", (size_t)(r->file.end - r->file.base));
	return 0;
}

/* Whole top-level fields, at the first fault no more: what salvage can work with. */
static void keep_whole(struct proto_reader *r)
{
	struct proto_cursor c = r->file;
	struct op_error why;
	struct proto_field f;
	const unsigned char *end = c.at;
	int err;

	while ((err = proto_next(&c, &f, &why)) > 0)
		end = c.at;
	if (err) {
		format_warn(r->options->warnings, "%s: kept what is whole before that [PP-25]",
			    why.text);
		r->file.end = end;
	}
}

static int read_parts(struct proto_reader *r)
{
	static int (*const parts[])(struct proto_reader *r) = {
		proto_read_strings, proto_read_head, proto_read_mappings, proto_read_functions,
		proto_read_locations, proto_read_samples,
	};

	if (r->options->salvage)
		keep_whole(r);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int err = parts[i](r);

		if (err)
			return err;
	}
	if (r->missed)
		format_warn(r->options->warnings, "offset %zu: %" PRIu64 " references to what "
			    "should come here are taken for unknown names and places [PP-25]",
			    (size_t)(r->file.end - r->file.base), r->missed);
	return 0;
}

static int proto_read(const unsigned char *bytes, size_t size,
		      const struct format_read_options *options, struct profile *p,
		      struct op_error *e)
{
	struct proto_reader r = {
		.file = proto_cursor_at(bytes, size), .options = options, .p = p, .e = e,
		.mappings = { .name = "mapping" }, .functions = { .name = "function" },
		.locations = { .name = "location" },
	};
	int err = read_parts(&r);

	free(r.strings);
	free(r.comments);
	free(r.mappings.all);
	free(r.functions.all);
	free(r.locations.all);
	proto_columns_free(&r.columns);
	free(r.period_type.name);
	free(r.period_type.unit);
	free(r.lines);
	free(r.places);
	free(r.labels);
	free(r.row);
	return err;
}

/*
 * There is no magic. Fields of the known kinds up to the end, a sample type, and an empty first
 * string are as good as one.
 */
static bool proto_detect(const unsigned char *bytes, size_t size)
{
	struct proto_cursor c = proto_cursor_at(bytes, size);
	struct proto_field f;
	bool has_type = false, has_string = false;
	int err;

	while ((err = proto_next(&c, &f, NULL)) > 0) {
		if (f.number <= TOP_STRING_TABLE && f.wire != PROTO_BYTES)
			return false;
		if (f.number == TOP_STRING_TABLE && !has_string && proto_size(&f.inside))
			return false;
		has_string |= f.number == TOP_STRING_TABLE;
		has_type |= f.number == TOP_SAMPLE_TYPE;
	}
	return !err && has_type && has_string;
}

const struct profile_format format_pprof = {
	.name = "pprof",
	.suffix = "pb.gz",
	.text = "profile.proto packed with gzip: pprof, speedscope, Pyroscope, Parca and others",
	.detect = proto_detect,
	.read = proto_read,
	.write = proto_write,
};

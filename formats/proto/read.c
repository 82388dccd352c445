// SPDX-License-Identifier: GPL-2.0-or-later
/* read.c - detect and read a profile.proto: the file, its strings, sample types and times */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/all_formats.h"
#include "formats/proto/proto.h"
#include "formats/proto/reader.h"
#include "libutil/xalloc.h"

#define SAMPLE_TYPES_MAX	256

/* [PP-22] */
static int read_string(struct proto_reader *r, struct proto_field *f)
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
		err = format_warn_or_fail(r->options, r->e, "offset %zu: string cut at a NUL byte",
					  f->offset);
		if (err)
			return err;
	}
	if (!r->nr_strings && whole)
		return op_error_set(r->e, -EPROTO, "offset %zu: expected the first string to be "
				    "empty", f->offset);
	xgrow(r->strings, r->nr_strings, r->room_strings);
	r->strings[r->nr_strings++] = profile_string_n(r->p, text, len);
	return 0;
}

int proto_read_strings(struct proto_reader *r)
{
	return proto_each(r, TOP_STRING_TABLE, read_string);
}

/* Read a type's name and unit. The caller frees them. */
static int read_type(struct proto_reader *r, const struct proto_field *f, struct proto_column *type)
{
	struct proto_cursor c = f->inside;
	struct proto_field inner;
	uint32_t text[2] = { 0, 0 };
	int err = proto_expect(f, PROTO_BYTES, "value type", r->e);

	while (!err && (err = proto_next(&c, &inner, r->e)) > 0) {
		err = 0;
		if (inner.number != VALUE_TYPE_TYPE && inner.number != VALUE_TYPE_UNIT)
			continue;
		err = proto_expect(&inner, PROTO_VARINT, "string of a value type", r->e);
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

/* [PP-23] */
static int read_sample_type(struct proto_reader *r, struct proto_field *f)
{
	struct proto_column type;
	int err = read_type(r, f, &type);

	if (err)
		return err;
	if (r->columns.nr == SAMPLE_TYPES_MAX)
		err = op_error_set(r->e, -EPROTO, "offset %zu: more than %d sample types",
				   f->offset, SAMPLE_TYPES_MAX);
	else
		proto_columns_add(&r->columns, type.name, type.unit);
	free(type.name);
	free(type.unit);
	return err;
}

static int read_period_type(struct proto_reader *r, struct proto_field *f)
{
	free(r->period_type.name);
	free(r->period_type.unit);
	r->period_type.name = r->period_type.unit = NULL;
	return read_type(r, f, &r->period_type);
}

static int read_period(struct proto_reader *r, struct proto_field *f)
{
	r->period = f->value;
	return proto_expect(f, PROTO_VARINT, "period", r->e);
}

/* [PP-23] */
static int read_time(struct proto_reader *r, struct proto_field *f)
{
	if (r->nr_times++)
		return op_error_set(r->e, -EPROTO, "offset %zu: duplicate time_nanos: the file "
				    "contains several profiles", f->offset);
	r->p->start_ns = (int64_t)f->value;
	return proto_expect(f, PROTO_VARINT, "time_nanos", r->e);
}

static int read_duration(struct proto_reader *r, struct proto_field *f)
{
	r->p->duration_ns = (int64_t)f->value;
	return proto_expect(f, PROTO_VARINT, "duration_nanos", r->e);
}

static int read_comments(struct proto_reader *r, struct proto_field *f)
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

/* Fields that struct profile has no room for. [PP-19] */
static int ignore_field(struct proto_reader *r, struct proto_field *f)
{
	static const char *const names[] = {
		[TOP_DROP_FRAMES] = "drop_frames", [TOP_KEEP_FRAMES] = "keep_frames",
	};

	if (f->value)
		format_warn(r->options->warnings, "offset %zu: ignored %s", f->offset,
			    names[f->number]);
	return proto_expect(f, PROTO_VARINT, names[f->number], r->e);
}

int proto_read_head(struct proto_reader *r)
{
	static const struct {
		uint32_t number;
		int (*read)(struct proto_reader *r, struct proto_field *f);
	} parts[] = {
		{ TOP_SAMPLE_TYPE, read_sample_type },
		{ TOP_PERIOD_TYPE, read_period_type },
		{ TOP_PERIOD, read_period },
		{ TOP_TIME_NANOS, read_time },
		{ TOP_DURATION_NANOS, read_duration },
		{ TOP_COMMENT, read_comments },
		{ TOP_DROP_FRAMES, ignore_field },
		{ TOP_KEEP_FRAMES, ignore_field },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int err = proto_each(r, parts[i].number, parts[i].read);

		if (err)
			return err;
	}
	if (!r->columns.nr)		/* [PP-23] */
		return op_error_set(r->e, -EPROTO, "offset %zu: no sample_type before the end of "
				    "the file", (size_t)(r->file.end - r->file.base));
	return 0;
}

/* Cut the file at the first fault: salvage reads the complete fields before it. [PP-25] */
static void cut_at_fault(struct proto_reader *r)
{
	struct proto_cursor c = r->file;
	struct op_error why;
	struct proto_field f;
	const unsigned char *end = c.at;
	int err;

	while ((err = proto_next(&c, &f, &why)) > 0)
		end = c.at;
	if (err) {
		format_warn(r->options->warnings, "%s; kept the complete fields before it",
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
		cut_at_fault(r);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int err = parts[i](r);

		if (err)
			return err;
	}
	if (r->nr_missing)
		format_warn(r->options->warnings, "offset %zu: %" PRIu64 " references to missing "
			    "data, treated as unknown names and places",
			    (size_t)(r->file.end - r->file.base), r->nr_missing);
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
 * There is no magic number. Instead: fields of known wire types up to the end, a sample type, and
 * an empty first string.
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

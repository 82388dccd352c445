// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - read the CSV table: a row is a place, a set of labels and a count
 *
 * Two passes, because events and the ranges of images must be known before the first sample. Rows
 * that differ only in the event are one sample. Rules: doc/folded.md [FO-13]..[FO-17].
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/all_formats.h"
#include "formats/csv/csv.h"
#include "formats/csv/images.h"
#include "formats/file/text_lines.h"
#include "formats/file/whole_number.h"
#include "formats/profile/room.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

#define COLUMNS_MAX	64		/* of a file, unknown ones included */
#define UNKNOWN		CSV_COLUMNS
#define EVENTS_MAX	256
#define TOO_MANY_EVENTS	"more than 256 events"

struct csv_reader {
	const struct format_read_options *options;
	struct profile *p;
	struct op_error *e;
	size_t size;			/* of the file */
	unsigned long line;
	int columns[COLUMNS_MAX];	/* the kind of each column */
	int nr_columns;
	struct csv_images images;

	/* of the current line: */
	char *cells[CSV_COLUMNS];	/* "" if missing */
	char *copy;			/* of the line; @cells point into it */
	size_t room_copy;
};

static int fail(struct csv_reader *r, const char *text)
{
	return op_error_set(r->e, -EPROTO, "line %lu: %s", r->line, text);
}

/* Remove the first cell from *rest, which is NULL after the last one, and its quotes. */
static char *next_cell(char **rest)
{
	char *cell = *rest, *to = cell, *at = cell;
	bool quoted = *at == '"';

	at += quoted;
	for (; *at && (quoted || *at != ','); at++) {
		if (quoted && *at == '"' && at[1] != '"') {
			quoted = false;
			continue;
		}
		at += quoted && *at == '"';
		*to++ = *at;
	}
	*rest = quoted ? NULL : *at ? at + 1 : NULL;
	*to = '\0';
	return quoted ? NULL : cell;
}

/* Copy the line to split it. [FO-13] */
static int copy_line(struct csv_reader *r, struct text line)
{
	size_t len = text_length(line);

	if (text_has_controls(line))
		return fail(r, "invalid control character");
	if (len >= r->room_copy) {
		r->room_copy = 2 * len + 256;
		r->copy = xrealloc_array(r->copy, r->room_copy, 1);
	}
	if (len)
		memcpy(r->copy, line.at, len);
	r->copy[len] = '\0';
	return 0;
}

/* [FO-13] */
static int split_line(struct csv_reader *r, struct text line)
{
	static char empty[] = "";
	int err = copy_line(r, line), nr = 0;
	char *rest = r->copy;

	for (int i = 0; i < CSV_COLUMNS; i++)
		r->cells[i] = empty;
	while (!err && rest) {
		char *cell = next_cell(&rest);

		if (!cell)
			return fail(r, "unterminated quote");
		if (nr == r->nr_columns)
			return fail(r, "more cells than columns");
		if (r->columns[nr] != UNKNOWN)
			r->cells[r->columns[nr]] = cell + (*cell == '\'');	/* [FO-12] */
		nr++;
	}
	if (!err && nr != r->nr_columns)
		return fail(r, "fewer cells than columns");
	return err;
}

static int find_column(const char *name)
{
	int column = 0;

	while (column < CSV_COLUMNS && strcmp(csv_columns[column], name))
		column++;
	return column;
}

/* The first line. [FO-14] */
static int read_columns(struct csv_reader *r, struct text line)
{
	int nr[CSV_COLUMNS + 1] = { 0 };
	int err = copy_line(r, line);
	char *rest = r->copy;

	while (!err && rest) {
		char *name = next_cell(&rest);

		if (!name || r->nr_columns == COLUMNS_MAX)
			return fail(r, "invalid column names");
		r->columns[r->nr_columns] = find_column(name);
		nr[r->columns[r->nr_columns++]]++;
	}
	if (err)
		return err;
	if (!nr[CSV_SAMPLES])
		return fail(r, "missing column 'samples'");
	for (int i = 0; i < CSV_COLUMNS; i++)
		if (nr[i] > 1)
			return op_error_set(r->e, -EPROTO, "line %lu: duplicate column '%s'",
					    r->line, csv_columns[i]);
	if (!nr[UNKNOWN])
		return 0;
	return format_warn_or_fail(r->options, r->e, "line %lu: ignored %d unknown columns",
				   r->line, nr[UNKNOWN]);
}

static bool detect(const unsigned char *bytes, size_t size)
{
	const struct format_read_options options = { .strict = true };
	struct text all = { (const char *)bytes, (const char *)bytes + size }, line;
	struct csv_reader r = { .options = &options, .line = 1 };
	bool is_ours = text_next_line(&all, &line) && !read_columns(&r, line);

	free(r.copy);
	return is_ours && r.nr_columns > 1;
}

/* A number, or @missing if the cell is empty; decimal, or hexadecimal after 0x. [FO-15] */
static int read_number(struct csv_reader *r, enum csv_column column, uint64_t missing,
		       uint64_t *ret)
{
	*ret = missing;
	if (!*r->cells[column] || !number_parse_u64(r->cells[column], ret))
		return 0;
	return op_error_set(r->e, -EPROTO, "line %lu: invalid %s '%.40s'", r->line,
			    csv_columns[column], r->cells[column]);
}

/* [FO-15] */
static int read_event(struct csv_reader *r, struct profile_event *ret)
{
	const char *name = r->cells[CSV_EVENT], *unit = r->cells[CSV_UNIT];

	*ret = (struct profile_event){ .name = profile_string(r->p, *name ? name : "samples"),
				       .unit = profile_string(r->p, *unit ? unit : "count") };
	return read_number(r, CSV_PERIOD, 1, &ret->period);
}

static uint32_t find_event(const struct profile *p, const struct profile_event *event)
{
	for (uint32_t i = 0; i < p->nr_events; i++)
		if (p->events[i].name == event->name && p->events[i].unit == event->unit &&
		    p->events[i].period == event->period)
			return i;
	return PROFILE_NONE;
}

static int read_place_numbers(struct csv_reader *r, struct csv_place *ret)
{
	int err = read_number(r, CSV_ADDRESS, 0, &ret->address);

	ret->path = profile_string(r->p, r->cells[CSV_IMAGE]);
	ret->build_id = profile_string(r->p, r->cells[CSV_BUILD_ID]);
	ret->has_address = *r->cells[CSV_ADDRESS];
	ret->has_offset = *r->cells[CSV_OFFSET];
	return err ? err : read_number(r, CSV_OFFSET, 0, &ret->offset);
}

/* First pass. [FO-15] */
static int note_line(struct csv_reader *r)
{
	struct profile_event event;
	struct csv_place place;
	int err = read_event(r, &event);

	if (!err)
		err = read_place_numbers(r, &place);
	if (err)
		return err;
	if (find_event(r->p, &event) == PROFILE_NONE) {
		if (r->p->nr_events == EVENTS_MAX)
			return fail(r, TOO_MANY_EVENTS);
		profile_add_event(r->p, &event);
	}
	csv_images_note(&r->images, &place);
	return 0;
}

/* The symbol is the outermost function of the place; file and line are those of the innermost. */
static int read_lines(struct csv_reader *r, struct profile_line lines[2], uint32_t *nr)
{
	const char *symbol = r->cells[CSV_SYMBOL], *inlined = r->cells[CSV_INLINED];
	struct profile_function f = { .file = profile_string(r->p, r->cells[CSV_FILE]) };
	uint64_t line;
	int err = read_number(r, CSV_LINE, 0, &line);

	*nr = 0;
	if (err || (!*symbol && !*inlined && !f.file && !line))
		return err;
	if (line > UINT32_MAX)
		return fail(r, "line number out of range");
	f.name = f.system_name = profile_string(r->p, *inlined ? inlined : symbol);
	lines[(*nr)++] = (struct profile_line){ profile_function(r->p, &f), (uint32_t)line };
	if (*inlined) {
		f = (struct profile_function){ 0 };
		f.name = f.system_name = profile_string(r->p, symbol);
		lines[(*nr)++] = (struct profile_line){ profile_function(r->p, &f), 0 };
	}
	return 0;
}

static uint32_t read_labels(struct csv_reader *r)
{
	struct profile_label labels[CSV_COLUMNS];
	uint32_t nr = 0;

	for (int c = CSV_FIRST_LABEL; c <= CSV_LAST_LABEL; c++) {
		struct profile_label *l = &labels[nr];
		const char *cell = r->cells[c];

		if (!*cell)
			continue;
		*l = (struct profile_label){ .key = profile_string(r->p, csv_columns[c]) };
		if (c == CSV_COMM || c == CSV_CGROUP || !whole_number(cell, strlen(cell),
								      &l->number))
			l->text = profile_string(r->p, cell);
		nr++;
	}
	return profile_label_set(r->p, labels, nr);
}

/* Second pass. [FO-15] [PF-7] */
static int add_line(struct csv_reader *r)
{
	const char *count = r->cells[CSV_SAMPLES];
	struct profile_event event;
	struct profile_line lines[2];
	struct csv_place place;
	uint32_t nr_lines, image, at, node = PROFILE_NONE;
	int64_t value;
	int err;

	if (!whole_number(count, strlen(count), &value))
		return op_error_set(r->e, -EPROTO, "line %lu: invalid count '%.40s'", r->line,
				    count);
	err = read_event(r, &event);
	if (!err)
		err = read_place_numbers(r, &place);
	if (!err)
		err = read_lines(r, lines, &nr_lines);
	if (err)
		return err;
	at = find_event(r->p, &event);
	if (at == PROFILE_NONE)		/* only with --salvage */
		return fail(r, TOO_MANY_EVENTS);
	if (!has_room_for_sample(r->p, r->size))
		return fail(r, "too many rows for this number of events");
	image = csv_images_find(&r->images, &place);
	if (nr_lines || image != PROFILE_NONE || place.address)
		node = profile_node(r->p, PROFILE_NONE,
				    profile_place(r->p, image, place.address, lines, nr_lines));
	profile_add_sample(r->p, node, read_labels(r))[at] = value;
	return 0;
}

/* Call @read for each row; only the last pass warns. */
static int read_rows(struct csv_reader *r, struct text all, int (*read)(struct csv_reader *r),
		     bool warn)
{
	struct text line;
	int err = 0;

	r->line = 1;
	while (!err && text_next_line(&all, &line)) {
		r->line++;
		if (line.at == line.end)
			continue;
		err = split_line(r, line);
		if (!err)
			err = read(r);
		if (err && r->options->salvage) {
			if (warn)
				format_warn(r->options->warnings, "%s; line skipped", r->e->text);
			err = 0;
		}
	}
	return err;
}

/* [FO-14] [FO-15] */
static int read_all(struct csv_reader *r, struct text all)
{
	struct text line;
	int err;

	r->line = 1;
	if (!text_next_line(&all, &line))
		return fail(r, "expected the names of columns");
	err = read_columns(r, line);
	if (!err)
		err = read_rows(r, all, note_line, false);
	if (!err && !r->p->nr_events)
		return fail(r, "no rows after the names of columns");
	if (!err)
		csv_images_add(&r->images, r->p);
	if (!err)
		err = read_rows(r, all, add_line, true);
	profile_merge_samples(r->p);
	return err;
}

static int read_csv(const unsigned char *bytes, size_t size,
		    const struct format_read_options *options, struct profile *p,
		    struct op_error *e)
{
	struct text all = { (const char *)bytes, (const char *)bytes + size };
	struct csv_reader r = { .options = options, .p = p, .e = e, .size = size };
	int err = read_all(&r, all);

	csv_images_free(&r.images);
	free(r.copy);
	return err;
}

const struct profile_format format_csv = {
	.name = "csv",
	.suffix = "csv",
	.text = "table with a line for each event, place in an image, and process",
	.detect = detect,
	.read = read_csv,
	.write = csv_write,
};

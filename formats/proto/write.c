// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - write profile.proto for its strictest readers
 *
 * A struct profile stores equal elements once, as the file does, so ids are indices plus 1. A
 * million samples go through put_sample(); everything else is small beside them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/file/gzip_write.h"
#include "formats/profile/saturate.h"
#include "formats/proto/columns.h"
#include "formats/proto/encode.h"
#include "formats/proto/proto.h"
#include "formats/proto/strings.h"
#include "formats/proto/wire.h"
#include "libutil/xalloc.h"

#define FLUSH_SIZE	(256 * 1024)	/* bytes packed at once */
#define NOT_YET		SIZE_MAX

struct proto_writer {
	const struct profile *p;
	const struct format_warnings *warnings;
	struct gzip_writer *out;
	struct proto_buffer file;	/* not yet packed */
	struct proto_buffer message, inner;
	struct proto_columns columns;
	struct proto_strings strings;
	struct proto_buffer labels;	/* of each set, encoded when it is first used */
	struct label_bytes { size_t at, len; } *label_sets;
	uint32_t *mapping_ids;		/* of the images */
	bool saturated;
};

static void flush(struct proto_writer *w)
{
	gzip_write(w->out, w->file.bytes, w->file.len);
	w->file.len = 0;
}

static void put_message(struct proto_writer *w, uint32_t field)
{
	proto_put_buffer(&w->file, field, &w->message);
	if (w->file.len >= FLUSH_SIZE)
		flush(w);
}

static void put_type(struct proto_writer *w, uint32_t field, const struct proto_column *type)
{
	proto_put_number(&w->message, VALUE_TYPE_TYPE, proto_text_index(&w->strings, type->name));
	proto_put_number(&w->message, VALUE_TYPE_UNIT, proto_text_index(&w->strings, type->unit));
	put_message(w, field);
}

static void put_label(struct proto_writer *w, const struct profile_label *label)
{
	struct proto_buffer *m = &w->inner;

	proto_put_number(m, LABEL_KEY, proto_string_index(&w->strings, label->key));
	if (label->text) {
		proto_put_number(m, LABEL_STR, proto_string_index(&w->strings, label->text));
	} else {
		proto_put_number(m, LABEL_NUM, (uint64_t)label->number);
		proto_put_number(m, LABEL_NUM_UNIT, proto_string_index(&w->strings, label->unit));
	}
	proto_put_buffer(&w->labels, SAMPLE_LABEL, m);
}

static int compare_labels(const void *x, const void *y, void *profile)
{
	const struct profile_label *a = x, *b = y;
	const struct profile *p = profile;
	int order = strcmp(profile_text(p, a->key), profile_text(p, b->key));

	if (!order)
		order = strcmp(profile_text(p, a->text), profile_text(p, b->text));
	if (!order)
		order = (a->number > b->number) - (a->number < b->number);
	return order ? order : strcmp(profile_text(p, a->unit), profile_text(p, b->unit));
}

/* Sorted by text, so that the order of strings in the profile does not matter. [PP-9] */
static struct label_bytes put_label_set(struct proto_writer *w, uint32_t set)
{
	const struct profile_labels *s = &w->p->label_sets[set];
	struct profile_label *sorted = xmalloc((s->nr + !s->nr) * sizeof(*sorted));
	struct label_bytes bytes = { .at = w->labels.len };

	if (s->nr)
		memcpy(sorted, w->p->labels + s->first, s->nr * sizeof(*sorted));
	qsort_r(sorted, s->nr, sizeof(*sorted), compare_labels, (void *)(uintptr_t)w->p);
	for (uint32_t i = 0; i < s->nr; i++)
		put_label(w, &sorted[i]);
	free(sorted);
	bytes.len = w->labels.len - bytes.at;
	return bytes;
}

static int64_t amount(struct proto_writer *w, int64_t value, uint64_t period)
{
	int64_t n = period ? multiply_saturated(value, period) : value;

	w->saturated |= n == INT64_MAX || n == INT64_MIN;
	return n;
}

static int64_t column_value(struct proto_writer *w, const struct proto_column *c,
			    const int64_t *values)
{
	int64_t samples = 0;

	if (c->event != PROTO_ALL_EVENTS)
		return amount(w, values[c->event], c->period);
	for (uint32_t i = 0; i < w->p->nr_events; i++)
		if (w->p->events[i].period)
			samples = add_saturated(samples, values[i]);
	return amount(w, samples, 0);
}

static void put_sample(struct proto_writer *w, uint32_t sample)
{
	const struct profile *p = w->p;
	const struct profile_sample *s = &p->samples[sample];
	const int64_t *values = p->values + (size_t)sample * p->nr_events;
	struct label_bytes *labels = &w->label_sets[s->labels];

	for (uint32_t n = s->node; n != PROFILE_NONE; n = p->tree.nodes[n].parent)
		proto_put_varint(&w->inner, (uint64_t)p->tree.nodes[n].key + 1);
	if (w->inner.len)
		proto_put_buffer(&w->message, SAMPLE_LOCATION_ID, &w->inner);
	for (uint32_t i = 0; i < w->columns.nr; i++)
		proto_put_varint(&w->inner,
				 (uint64_t)column_value(w, &w->columns.columns[i], values));
	proto_put_buffer(&w->message, SAMPLE_VALUE, &w->inner);
	if (labels->at == NOT_YET)
		*labels = put_label_set(w, s->labels);
	proto_reserve(&w->message, labels->len);
	if (labels->len)
		memcpy(w->message.bytes + w->message.len, w->labels.bytes + labels->at,
		       labels->len);
	w->message.len += labels->len;
	put_message(w, TOP_SAMPLE);
}

static void put_samples(struct proto_writer *w)
{
	w->label_sets = xmalloc(w->p->nr_label_sets * sizeof(*w->label_sets));
	for (uint32_t i = 0; i < w->p->nr_label_sets; i++)
		w->label_sets[i].at = NOT_YET;
	for (uint32_t i = 0; i < w->p->nr_samples; i++)
		put_sample(w, i);
}

/* Facts about the places in an image. */
struct image_facts {
	bool unnamed, files, lines, inlines, used;
};

static struct image_facts *facts_of_images(const struct profile *p)
{
	struct image_facts *facts = xcalloc(p->nr_images + 1, sizeof(*facts));

	for (uint32_t i = 0; i < p->nr_places; i++) {
		const struct profile_place *place = &p->places[i];
		const struct profile_line_list lines = p->line_lists[place->lines];
		struct image_facts *f;

		if (place->image == PROFILE_NONE)
			continue;
		f = &facts[place->image];
		f->used = true;
		f->unnamed |= !lines.nr;
		f->inlines |= lines.nr > 1;
		for (uint32_t n = 0; n < lines.nr; n++) {
			const struct profile_line *line = &p->lines[lines.first + n];

			f->files |= p->functions[line->function].file != 0;
			f->lines |= line->line != 0;
		}
	}
	return facts;
}

/* pprof recognizes the kernel by its name and that of the symbol at its start. [PP-7] */
static uint64_t image_name(struct proto_writer *w, const struct profile_image *image)
{
	const char *path = profile_text(w->p, image->path);

	if (image->kind == PROFILE_KERNEL && (path[0] != '[' || !strcmp(path, PROTO_KERNEL_PREFIX)))
		return proto_text_index(&w->strings, PROTO_KERNEL_NAME);
	return proto_string_index(&w->strings, image->path);
}

static void put_image(struct proto_writer *w, uint32_t index, const struct image_facts *facts)
{
	const struct profile_image *image = &w->p->images[index];
	bool named = facts->used && !facts->unnamed;
	struct proto_buffer *m = &w->message;

	proto_put_number(m, MAPPING_ID, w->mapping_ids[index]);
	proto_put_number(m, MAPPING_START, image->start);
	proto_put_number(m, MAPPING_LIMIT, image->limit);
	proto_put_number(m, MAPPING_OFFSET, image->offset);
	proto_put_number(m, MAPPING_FILENAME, image_name(w, image));
	proto_put_number(m, MAPPING_BUILD_ID, proto_string_index(&w->strings, image->build_id));
	proto_put_number(m, MAPPING_HAS_FUNCTIONS, named || image->kind == PROFILE_JIT);
	proto_put_number(m, MAPPING_HAS_FILENAMES, facts->files);
	proto_put_number(m, MAPPING_HAS_LINE_NUMBERS, facts->lines);
	proto_put_number(m, MAPPING_HAS_INLINE_FRAMES, facts->inlines);
	put_message(w, TOP_MAPPING);
}

/* The program first, because readers take the first mapping for it. [PP-6] */
static void put_images(struct proto_writer *w)
{
	const struct profile *p = w->p;
	struct image_facts *facts = facts_of_images(p);
	uint32_t id = 1;

	w->mapping_ids = xcalloc(p->nr_images + 1, sizeof(*w->mapping_ids));
	if (p->main_image != PROFILE_NONE) {
		w->mapping_ids[p->main_image] = id++;
		put_image(w, p->main_image, &facts[p->main_image]);
	}
	for (uint32_t i = 0; i < p->nr_images; i++) {
		if (i == p->main_image)
			continue;
		w->mapping_ids[i] = id++;
		put_image(w, i, &facts[i]);
	}
	free(facts);
}

static void put_place(struct proto_writer *w, uint32_t index)
{
	const struct profile_place *place = &w->p->places[index];
	const struct profile_line_list lines = w->p->line_lists[place->lines];

	proto_put_number(&w->message, LOCATION_ID, (uint64_t)index + 1);
	if (place->image != PROFILE_NONE)
		proto_put_number(&w->message, LOCATION_MAPPING_ID, w->mapping_ids[place->image]);
	proto_put_number(&w->message, LOCATION_ADDRESS, place->address);
	for (uint32_t i = 0; i < lines.nr; i++) {
		const struct profile_line *line = &w->p->lines[lines.first + i];

		proto_put_number(&w->inner, LINE_FUNCTION_ID, (uint64_t)line->function + 1);
		proto_put_number(&w->inner, LINE_LINE, line->line);
		proto_put_buffer(&w->message, LOCATION_LINE, &w->inner);
	}
	put_message(w, TOP_LOCATION);
}

static void put_function(struct proto_writer *w, uint32_t index)
{
	const struct profile_function *f = &w->p->functions[index];
	struct proto_buffer *m = &w->message;

	proto_put_number(m, FUNCTION_ID, (uint64_t)index + 1);
	proto_put_number(m, FUNCTION_NAME, proto_string_index(&w->strings, f->name));
	proto_put_number(m, FUNCTION_SYSTEM_NAME, proto_string_index(&w->strings, f->system_name));
	proto_put_number(m, FUNCTION_FILENAME, proto_string_index(&w->strings, f->file));
	proto_put_number(m, FUNCTION_START_LINE, f->start_line);
	put_message(w, TOP_FUNCTION);
}

static void put_strings(struct proto_writer *w)
{
	size_t len;

	for (uint32_t i = 0; i < w->strings.nr; i++) {
		const char *text = proto_string_bytes(&w->strings, i, &len);

		proto_put_bytes(&w->file, TOP_STRING_TABLE, text, len);
		if (w->file.len >= FLUSH_SIZE)
			flush(w);
	}
}

/* Comments that describe columns, which only the writer adds, then the others. [PP-14] */
static void put_comments(struct proto_writer *w, struct proto_buffer *list)
{
	const struct proto_columns *c = &w->columns;

	for (uint32_t event = 0; c->has_comments && event < c->nr_events; event++)
		for (uint32_t i = 0; i < c->nr; i++) {
			char *comment;

			if (c->columns[i].event != event)
				continue;
			comment = proto_columns_comment(c, i);
			proto_put_varint(list, proto_text_index(&w->strings, comment));
			free(comment);
		}
	for (uint32_t i = 0; i < w->p->nr_comments; i++)
		if (!proto_is_column_comment(profile_text(w->p, w->p->comments[i])))
			proto_put_varint(list, proto_string_index(&w->strings, w->p->comments[i]));
}

/* The period of the last column, if it has one. Its strings are in the table already. */
static void put_period(struct proto_writer *w)
{
	const struct proto_column *last = &w->columns.columns[w->columns.nr - 1];

	if (!last->period)
		return;
	put_type(w, TOP_PERIOD_TYPE, last);
	proto_put_number(&w->file, TOP_PERIOD, last->period);
}

static void put_all(struct proto_writer *w)
{
	const struct profile *p = w->p;
	struct proto_buffer comments = { NULL, 0, 0 };

	for (uint32_t i = 0; i < w->columns.nr; i++)
		put_type(w, TOP_SAMPLE_TYPE, &w->columns.columns[i]);
	put_samples(w);
	put_images(w);
	for (uint32_t i = 0; i < p->nr_places; i++)
		put_place(w, i);
	for (uint32_t i = 0; i < p->nr_functions; i++)
		put_function(w, i);
	put_comments(w, &comments);
	put_strings(w);
	proto_put_number(&w->file, TOP_TIME_NANOS, (uint64_t)p->start_ns);
	proto_put_number(&w->file, TOP_DURATION_NANOS, (uint64_t)p->duration_ns);
	put_period(w);
	if (comments.len)
		proto_put_buffer(&w->file, TOP_COMMENT, &comments);
	proto_buffer_free(&comments);
	flush(w);
}

static void writer_free(struct proto_writer *w)
{
	proto_columns_free(&w->columns);
	proto_strings_free(&w->strings);
	proto_buffer_free(&w->file);
	proto_buffer_free(&w->message);
	proto_buffer_free(&w->inner);
	proto_buffer_free(&w->labels);
	free(w->label_sets);
	free(w->mapping_ids);
}

int proto_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		struct op_error *e)
{
	struct proto_writer w = { .p = p, .warnings = options->warnings };

	if (!p->nr_events)
		return op_error_set(e, -EINVAL, "the profile has no events");
	w.out = gzip_writer_new(out, options->small);
	if (!w.out)
		return op_error_set(e, -ENOMEM, "out of memory");
	proto_columns_make(p, &w.columns);
	proto_strings_start(&w.strings, p);
	put_all(&w);
	gzip_writer_end(w.out);
	if (w.saturated)
		format_warn(w.warnings, "wrote values beyond 64 bits as the largest number");
	if (w.strings.nr_repaired)
		format_warn(w.warnings, "replaced invalid UTF-8 by U+FFFD in %" PRIu32 " names",
			    w.strings.nr_repaired);
	writer_free(&w);
	return 0;
}

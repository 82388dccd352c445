// SPDX-License-Identifier: GPL-2.0-or-later
/* annotate.c - look up the lines of a function's places, and read them from its source */
#include "live/top/annotate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"
#include "pp/annotate/missing.h"
#include "pp/annotate/paths.h"
#include "pp/binary/line/binary.h"

#define LINES_AROUND	5
#define LINES_MAX	2000
#define TAB		8

struct place {
	uint64_t place;
	double now;
	uint64_t since, before;
	struct line_place line;
};

struct top_annotation {
	struct stack_symbols *symbols;
	const char *cache_dir;
	uint32_t image;
	struct line_binary *lines;	/* of that image; NULL: it has none, or not opened yet */
	bool is_opened;
	struct place *places;
	size_t nr, room;
	char **texts;			/* of the rows */
	size_t nr_texts, texts_room;
};

struct top_annotation *top_annotation_new(struct stack_symbols *symbols, const char *cache_dir)
{
	struct top_annotation *a = xcalloc(1, sizeof(*a));

	a->symbols = symbols;
	a->cache_dir = cache_dir;
	return a;
}

static void free_texts(struct top_annotation *a)
{
	while (a->nr_texts)
		free(a->texts[--a->nr_texts]);
}

void top_annotation_free(struct top_annotation *a)
{
	if (!a)
		return;
	free_texts(a);
	line_binary_close(a->lines);
	free(a->texts);
	free(a->places);
	free(a);
}

void top_annotation_add(struct top_annotation *a, const struct stack_frame *frame, double now,
			uint64_t since, uint64_t before)
{
	if (!a->is_opened || a->image != frame->image) {
		line_binary_close(a->lines);
		a->image = frame->image;
		a->lines = stack_symbols_lines(a->symbols, frame, a->cache_dir);
		a->is_opened = true;
		a->nr = 0;
	}
	xgrow(a->places, a->nr, a->room);
	a->places[a->nr++] = (struct place){ stack_symbols_place(a->symbols, frame), now, since,
					     before, { NULL, 0 } };
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

static void find_lines(struct top_annotation *a)
{
	uint64_t *places = xcalloc(a->nr + 1, sizeof(*places));
	struct line_place *lines = xcalloc(a->nr + 1, sizeof(*lines));

	for (size_t i = 0; i < a->nr; i++)
		places[i] = a->places[i].place;
	line_binary_find(a->lines, places, a->nr, lines);
	for (size_t i = 0; i < a->nr; i++)
		a->places[i].line = lines[i];
	free(places);
	free(lines);
}

/* The file with most samples: others are those of functions inlined here. */
static const char *file_of(const struct top_annotation *a)
{
	const char *best = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < a->nr; i++) {
		uint64_t samples = 0;

		if (!a->places[i].line.file || a->places[i].line.file == best)
			continue;
		for (size_t k = 0; k < a->nr; k++)
			if (a->places[k].line.file &&
			    !strcmp(a->places[k].line.file, a->places[i].line.file))
				samples += a->places[k].since + a->places[k].before + 1;
		if (samples > most) {
			best = a->places[i].line.file;
			most = samples;
		}
	}
	return best;
}

/* --- rows --- */

static struct top_row *row_of(struct top_annotation *a, struct top_model *m, uint64_t number,
			      char *name)
{
	bool is_new;
	struct top_row *row = top_row(m, hash_u64(number), &is_new);

	if (!is_new) {
		free(name);
		return row;
	}
	xgrow(a->texts, a->nr_texts, a->texts_room);
	row->name = a->texts[a->nr_texts++] = name;
	row->order = (uint32_t)number;
	return row;
}

static void add_samples(struct top_row *row, const struct place *p)
{
	row->now += p->now;
	row->since += p->since;
	row->before += p->before;
}

static char *numbered(uint32_t line, const char *source)
{
	struct strbuf text = STRBUF_INIT;
	size_t begin;

	strbuf_addf(&text, "%5" PRIu32 "  ", line);
	for (begin = text.len; *source && *source != '\n'; source++) {
		if (*source != '\t')
			strbuf_add_char(&text, *source);
		else
			do
				strbuf_add_char(&text, ' ');
			while ((text.len - begin) % TAB);
	}
	return strbuf_steal(&text);
}

/* Rows for the lines of @file from @first to @last that can be read. */
static void add_text(struct top_annotation *a, struct top_model *m, const char *file,
		     uint32_t first, uint32_t last)
{
	const struct annotate_options anywhere = { .compat = false };
	const struct report_image *image = stack_symbols_image(a->symbols, a->image);
	char *text = NULL, *found = NULL;
	size_t room = 0;
	FILE *f = source_open(&anywhere, file, source_binary_of(image->found).owner, &found);

	if (!f) {
		snprintf(m->message, sizeof(m->message), "cannot read %s", file);
		return;
	}
	for (uint32_t line = 1; line <= last && getline(&text, &room, f) >= 0; line++)
		if (line >= first)
			row_of(a, m, line, numbered(line, text));
	free(text);
	free(found);
	fclose(f);
}

static void add_lines(struct top_annotation *a, struct top_model *m, const char *file)
{
	uint32_t first = UINT32_MAX, last = 0;
	struct place elsewhere = { .place = 0 };

	for (size_t i = 0; i < a->nr; i++) {
		const struct line_place *l = &a->places[i].line;

		if (!l->file || strcmp(l->file, file) != 0)
			continue;
		first = l->line < first ? l->line : first;
		last = l->line > last ? l->line : last;
	}
	first = first > LINES_AROUND ? first - LINES_AROUND : 1;
	last = last < UINT32_MAX - LINES_AROUND ? last + LINES_AROUND : last;
	if (last - first > LINES_MAX)
		last = first + LINES_MAX;
	add_text(a, m, file, first, last);
	for (size_t i = 0; i < a->nr; i++) {
		const struct place *p = &a->places[i];

		if (p->line.file && !strcmp(p->line.file, file)) {
			add_samples(row_of(a, m, p->line.line, numbered(p->line.line, "")), p);
			continue;
		}
		elsewhere.now += p->now;
		elsewhere.since += p->since;
		elsewhere.before += p->before;
	}
	if (elsewhere.since + elsewhere.before)
		add_samples(row_of(a, m, UINT32_MAX, xstrdup("       [lines of other files]")),
			    &elsewhere);
}

void top_annotation_rows(struct top_annotation *a, struct top_model *m)
{
	const char *file;

	free_texts(a);
	if (a->nr)
		qsort(a->places, a->nr, sizeof(*a->places), compare_places);
	if (a->lines)
		find_lines(a);
	file = a->lines ? file_of(a) : NULL;
	if (file) {
		add_lines(a, m, file);
	} else if (a->nr) {
		snprintf(m->message, sizeof(m->message), "no line information: addresses");
		for (size_t i = 0; i < a->nr; i++)
			add_samples(row_of(a, m, a->places[i].place - a->places[0].place,
					   xasprintf("+0x%" PRIx64, a->places[i].place -
						     a->places[0].place)), &a->places[i]);
	}
	a->nr = 0;
}

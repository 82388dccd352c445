/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.c - collect the lines with samples and a few around them */
#include "pp/picture/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"
#include "pp/annotate/missing.h"
#include "pp/annotate/paths.h"
#include "pp/annotate/samples.h"
#include "pp/binary/line/cache.h"
#include "pp/picture/tree.h"
#include "pp/select/invert.h"

#define LINES_AROUND	4
#define MIN_PERCENT	0.1	/* of all samples; functions below have no source in the page */

struct maker {
	struct picture *picture;
	struct picture_sources *sources;
	const struct annotation *annotation;
	struct source_binary *binaries;	/* per file */
};

/* Append a value of 0 for each class; returns the index of the first. */
static size_t counts_add(struct picture_sources *s)
{
	size_t at = s->nr_counts;

	if (s->counts_room - s->nr_counts < s->nr_classes) {
		s->counts_room = s->counts_room + s->counts_room / 2 + s->nr_classes + 256;
		s->counts = xrealloc_array(s->counts, s->counts_room, sizeof(*s->counts));
	}
	memset(s->counts + at, 0, s->nr_classes * sizeof(*s->counts));
	s->nr_counts += s->nr_classes;
	return at;
}

/* The page may have one class where the annotation has one for each control group. */
static void add_counts(struct maker *m, size_t at, const uint64_t *counts)
{
	bool is_one = m->sources->nr_classes == 1;

	for (size_t c = 0; c < m->annotation->nr_classes; c++)
		count_add(&m->sources->counts[at + (is_one ? 0 : c)], counts[c]);
}

/* --- which lines --- */

static int compare_lines(const void *a, const void *b)
{
	const struct picture_line *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void add_line(struct picture_source *s, uint32_t number, size_t counts)
{
	xgrow(s->lines, s->nr, s->room);
	s->lines[s->nr++] = (struct picture_line){ number, NULL, counts };
}

static struct picture_line *find_line(struct picture_source *s, size_t nr, uint32_t number)
{
	const struct picture_line key = { .number = number };

	return nr ? bsearch(&key, s->lines, nr, sizeof(*s->lines), compare_lines) : NULL;
}

/* The file of the function's start, not that of inlined functions; else of its first sample. */
static size_t file_of(const struct annotation *a, const struct annotated_symbol *s)
{
	if (s->start.file != NO_FILE)
		return s->start.file;
	for (size_t i = s->first; i < s->first + s->nr; i++)
		if (a->samples[i].file != NO_FILE)
			return a->samples[i].file;
	return NO_FILE;
}

static void add_sampled(struct maker *m, struct picture_source *s,
			const struct annotated_symbol *symbol, size_t file)
{
	const struct annotation *a = m->annotation;

	for (size_t i = symbol->first; i < symbol->first + symbol->nr; i++) {
		const struct annotated_place *place = &a->samples[i];

		if (place->file == file && place->line) {
			add_line(s, place->line, counts_add(m->sources));
			add_counts(m, s->lines[s->nr - 1].counts, annotated_sample_counts(a, i));
		} else {
			add_counts(m, s->elsewhere, annotated_sample_counts(a, i));
		}
	}
}

/* Merge the entries of each line. */
static void merge_lines(struct maker *m, struct picture_source *s)
{
	uint64_t *counts = m->sources->counts;
	size_t nr = 0;

	if (s->nr)
		qsort(s->lines, s->nr, sizeof(*s->lines), compare_lines);
	for (size_t i = 0; i < s->nr; i++) {
		if (!nr || s->lines[nr - 1].number != s->lines[i].number) {
			s->lines[nr++] = s->lines[i];
			continue;
		}
		for (size_t c = 0; c < m->sources->nr_classes; c++)
			count_add(&counts[s->lines[nr - 1].counts + c],
				    counts[s->lines[i].counts + c]);
	}
	s->nr = nr;
}

/* Add the lines around those with samples, and the function's first line. */
static void add_around(struct maker *m, struct picture_source *s, uint32_t start)
{
	size_t none = counts_add(m->sources), nr = s->nr;

	if (start && !find_line(s, nr, start))
		add_line(s, start, none);
	for (size_t i = 0; i < nr; i++) {
		uint32_t number = s->lines[i].number;

		for (uint32_t k = number > LINES_AROUND ? number - LINES_AROUND : 1;
		     k <= number + LINES_AROUND && number < UINT32_MAX - LINES_AROUND; k++)
			if (k != start && k != number && !find_line(s, nr, k) &&
			    (i == 0 || k > s->lines[i - 1].number + LINES_AROUND))
				add_line(s, k, none);
	}
	if (s->nr)
		qsort(s->lines, s->nr, sizeof(*s->lines), compare_lines);
}

/* --- their text --- */

/* A copy without newline, truncated between two characters if it is too long. */
static char *line_text(char *text, ssize_t len)
{
	len -= len && text[len - 1] == '\n';
	if (len > PICTURE_LINE_BYTES) {
		len = PICTURE_LINE_BYTES;
		while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	text[len] = '\0';
	return xstrdup(text);
}

static bool is_empty(const struct maker *m, const struct picture_line *line)
{
	for (size_t c = 0; c < m->sources->nr_classes; c++)
		if (m->sources->counts[line->counts + c])
			return false;
	return true;
}

static void drop_line(struct picture_source *s)
{
	free(s->lines[--s->nr].text);
}

static void read_lines(const struct maker *m, struct picture_source *s, FILE *f)
{
	char *text = NULL;
	size_t room = 0, at = 0;
	ssize_t len;

	for (uint32_t number = 1; at < s->nr && (len = getline(&text, &room, f)) >= 0; number++)
		while (at < s->nr && s->lines[at].number <= number) {
			if (s->lines[at].number == number)
				s->lines[at].text = line_text(text, len);
			at++;
		}
	free(text);
	/* lines past the end are kept only if they have samples */
	while (s->nr > at && is_empty(m, &s->lines[s->nr - 1]))
		drop_line(s);
}

/* Without text, keep only lines with samples. */
static void drop_empty_lines(const struct maker *m, struct picture_source *s)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++)
		if (!is_empty(m, &s->lines[i]))
			s->lines[nr++] = s->lines[i];
	s->nr = nr;
}

static void read_source(struct maker *m, struct picture_source *s, size_t file)
{
	const struct annotate_options options = { .compat = false };
	char *found = NULL;
	FILE *f = source_open(&options, s->file, m->binaries[file].owner, &found);

	if (!f) {
		s->why = xasprintf("cannot read the source: %s", source_error(errno));
		drop_empty_lines(m, s);
		return;
	}
	if (source_is_newer(f, m->binaries[file].built))
		s->why = xstrdup("the source is newer than the binary; lines may have moved");
	read_lines(m, s, f);
	fclose(f);
	free(found);
}

/* --- which functions --- */

static const struct annotated_image *image_of(const struct annotation *a,
					      const struct annotated_symbol *s)
{
	for (size_t i = 0; i < a->nr_images; i++)
		if (a->images[i].image == s->image)
			return &a->images[i];
	return NULL;
}

static void make_source(struct maker *m, const struct annotated_symbol *symbol)
{
	struct picture_source *s = &m->sources->sources[m->sources->nr++];
	const struct annotation *a = m->annotation;
	const struct annotated_image *image = image_of(a, symbol);
	size_t file = file_of(a, symbol);

	*s = (struct picture_source){
		.symbol = picture_symbol(m->picture, symbol->shown, symbol->image),
		.elsewhere = counts_add(m->sources),
	};
	if (file == NO_FILE) {
		add_counts(m, s->elsewhere,
			   annotated_symbol_counts(a, (size_t)(symbol - a->symbols)));
		s->why = xstrdup(image && image->no_lines ? image->no_lines
							  : "no debug information");
		return;
	}
	s->file = xstrdup(a->files.paths[file]);
	add_sampled(m, s, symbol, file);
	merge_lines(m, s);
	add_around(m, s, file == symbol->start.file ? symbol->start.line : 0);
	if (s->nr > PICTURE_SOURCE_LINES) {
		s->nr = PICTURE_SOURCE_LINES;
		s->is_cut = true;
	}
	read_source(m, s, file);
}

struct ranked {
	double share;
	size_t symbol;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static double share_of(const struct annotation *a, size_t symbol)
{
	double largest = 0;

	for (size_t c = 0; c < a->nr_classes; c++) {
		uint64_t n = annotated_symbol_counts(a, symbol)[c];
		double share = a->totals[c] ? (double)n / (double)a->totals[c] : 0;

		largest = share > largest ? share : largest;
	}
	return largest;
}

static void make_sources(struct maker *m)
{
	const struct annotation *a = m->annotation;
	struct ranked *ranked = xcalloc(a->nr_symbols + 1, sizeof(*ranked));

	for (size_t i = 0; i < a->nr_symbols; i++)
		ranked[i] = (struct ranked){ share_of(a, i), i };
	qsort(ranked, a->nr_symbols, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < a->nr_symbols && i < PICTURE_SOURCES; i++)
		if (100 * ranked[i].share >= MIN_PERCENT)
			make_source(m, &a->symbols[ranked[i].symbol]);
	free(ranked);
}

void picture_sources_make(struct picture *p, struct collection *c,
			  const struct populate_options *populate, struct picture_sources *ret,
			  struct notices *notices)
{
	char *cache_dir = line_cache_dir();
	const struct line_options lines = { .root = c->root, .cache_dir = cache_dir };
	struct annotation annotation;
	struct inversion inversion;
	struct maker m = { p, ret, &annotation, NULL };

	*ret = (struct picture_sources){ .nr_classes = p->nr_classes };
	ret->sources = xcalloc(PICTURE_SOURCES, sizeof(*ret->sources));
	invert_arrangement(&c->arrangement, &inversion);
	annotate_samples(&inversion, c->arrangement.nr_classes, populate, &lines, c->finder,
			 &annotation, notices);
	inversion_free(&inversion);
	m.binaries = source_binaries(&annotation);
	make_sources(&m);
	free(m.binaries);
	annotation_free(&annotation);
	free(cache_dir);
}

void picture_sources_free(struct picture_sources *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		for (size_t k = 0; k < s->sources[i].nr; k++)
			free(s->sources[i].lines[k].text);
		free(s->sources[i].lines);
		free(s->sources[i].file);
		free(s->sources[i].why);
	}
	free(s->sources);
	free(s->counts);
	*s = (struct picture_sources){ 0 };
}

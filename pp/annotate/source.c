/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source.c - join samples, sorted by file and line, with the file's text */
#include "pp/annotate/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/strbuf.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"
#include "pp/annotate/missing.h"
#include "pp/annotate/paths.h"
#include "pp/annotate/text.h"

#define MISSING_NAMED	10	/* unreadable, and newer, sources that are named */

/* A sample or a symbol on a line. */
struct mark {
	uint32_t line;
	uint32_t index;		/* of a->samples or a->symbols */
};

struct marks {
	struct mark *marks;	/* by file, then line, then index */
	size_t *first;		/* of each file, and one more */
};

struct writer {
	const struct annotation *a;
	const struct annotate_options *options;
	const char *header;
	struct notices *notices;
	struct marks samples, symbols;
	uint64_t *file_counts;		/* nr_classes per file */
	struct source_binary *binaries;	/* per file */
	size_t nr_missing, nr_newer;
	struct strbuf line;		/* room for one */
	uint64_t *sums;			/* nr_classes */
	size_t *same_line;		/* room for all symbols */
};

static const struct annotated_place *place_of(const struct annotation *a, bool symbols, size_t i)
{
	return symbols ? &a->symbols[i].start : &a->samples[i];
}

static int compare_marks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Group by file, then sort within each. */
static void make_marks(const struct annotation *a, bool symbols, struct marks *m)
{
	size_t nr = symbols ? a->nr_symbols : a->nr_samples, sum = 0;
	size_t *next = xcalloc(a->files.nr + 1, sizeof(*next));

	m->first = xcalloc(a->files.nr + 1, sizeof(*m->first));
	m->marks = xcalloc(nr + 1, sizeof(*m->marks));
	for (size_t i = 0; i < nr; i++)
		if (place_of(a, symbols, i)->file != NO_FILE)
			next[place_of(a, symbols, i)->file]++;
	for (size_t f = 0; f <= a->files.nr; f++) {
		size_t in_file = next[f];

		m->first[f] = next[f] = sum;
		sum += f < a->files.nr ? in_file : 0;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct annotated_place *p = place_of(a, symbols, i);

		if (p->file != NO_FILE)
			m->marks[next[p->file]++] = (struct mark){ p->line, i };
	}
	for (size_t f = 0; f < a->files.nr; f++)
		if (m->first[f + 1] > m->first[f])
			qsort(m->marks + m->first[f], m->first[f + 1] - m->first[f],
			      sizeof(*m->marks), compare_marks);
	free(next);
}

static uint64_t *counts_of_file(const struct writer *w, size_t file)
{
	return w->file_counts + file * w->a->nr_classes;
}

static void count_files(struct writer *w)
{
	const struct annotation *a = w->a;

	w->file_counts = xcalloc((a->files.nr + 1) * a->nr_classes, sizeof(*w->file_counts));
	for (size_t i = 0; i < a->nr_samples; i++)
		for (size_t c = 0; a->samples[i].file != NO_FILE && c < a->nr_classes; c++)
			counts_of_file(w, a->samples[i].file)[c] +=
				annotated_sample_counts(a, i)[c];
}

/* Append "<credited to line zero>" with its counts, if there are any, and a newline. */
static void add_line_zero(struct writer *w, size_t file, struct strbuf *out)
{
	const struct annotation *a = w->a;
	size_t i = w->samples.first[file];

	if (i < w->samples.first[file + 1] && !w->samples.marks[i].line) {
		memset(w->sums, 0, a->nr_classes * sizeof(*w->sums));
		for (; i < w->samples.first[file + 1] && !w->samples.marks[i].line; i++)
			for (size_t c = 0; c < a->nr_classes; c++)
				w->sums[c] +=
					annotated_sample_counts(a, w->samples.marks[i].index)[c];
		strbuf_add(out, "<credited to line zero> ");
		annotate_field(out, a, w->sums);
		strbuf_add_char(out, ':');
	}
	strbuf_add_char(out, '\n');
}

static void put_file_header(struct writer *w, size_t file, FILE *out)
{
	strbuf_add(&w->line, "/* \n * Total samples for file : \"");
	annotate_name(&w->line, w->a->files.paths[file]);
	strbuf_add(&w->line, "\"\n * \n * ");
	annotate_counts(&w->line, w->a, counts_of_file(w, file));
	strbuf_add(&w->line, "\n */\n\n");
	add_line_zero(w, file, &w->line);
	fwrite(w->line.text, 1, w->line.len, out);
	strbuf_reset(&w->line);
}

/* Append the symbols that begin on @line, from mark *at on. */
static void add_symbols(struct writer *w, size_t end, uint32_t line, size_t *at)
{
	size_t nr = 0;

	while (*at < end && w->symbols.marks[*at].line < line)
		(*at)++;	/* line 0 */
	for (; *at < end && w->symbols.marks[*at].line == line; (*at)++)
		w->same_line[nr++] = w->symbols.marks[*at].index;
	if (nr)
		annotate_symbols(&w->line, w->a, w->same_line, nr);
}

static void add_samples(struct writer *w, size_t end, uint32_t line, size_t *at)
{
	const struct annotation *a = w->a;
	bool any = false;

	while (*at < end && w->samples.marks[*at].line < line)
		(*at)++;
	for (; *at < end && w->samples.marks[*at].line == line; (*at)++) {
		const uint64_t *counts = annotated_sample_counts(a, w->samples.marks[*at].index);

		if (!any)
			memset(w->sums, 0, a->nr_classes * sizeof(*w->sums));
		any = true;
		for (size_t c = 0; c < a->nr_classes; c++)
			w->sums[c] += counts[c];
	}
	annotate_field(&w->line, a, any ? w->sums : NULL);
}

/* The remaining samples are on lines past the end: another version was compiled [AN-17]. */
static void put_rest(struct writer *w, size_t file, const char *path, size_t sample,
		     size_t symbol, FILE *out)
{
	size_t end_of_symbols = w->symbols.first[file + 1], nr = 0;
	size_t end = w->samples.first[file + 1];
	uint64_t sum = 0;

	memset(w->sums, 0, w->a->nr_classes * sizeof(*w->sums));
	for (size_t i = sample; i < end; i++) {
		const uint64_t *counts = annotated_sample_counts(w->a, w->samples.marks[i].index);

		for (size_t c = 0; c < w->a->nr_classes; c++) {
			w->sums[c] += counts[c];
			sum += counts[c];
		}
	}
	for (size_t i = symbol; i < end_of_symbols; i++)
		w->same_line[nr++] = w->symbols.marks[i].index;
	if (!sum && !nr)
		return;
	annotate_field(&w->line, w->a, sum ? w->sums : NULL);
	strbuf_add(&w->line, ":/* lines after the end */");
	if (nr)
		annotate_symbols(&w->line, w->a, w->same_line, nr);
	strbuf_add_char(&w->line, '\n');
	fwrite(w->line.text, 1, w->line.len, out);
	strbuf_reset(&w->line);
	notice_add(w->notices, "source '%s' is not the compiled version: %" PRIu64 " samples are "
		   "past its end", path, sum);
}

static void put_text(struct writer *w, size_t file, FILE *source, const char *path, FILE *out)
{
	size_t sample = w->samples.first[file], symbol = w->symbols.first[file], room = 0;
	char *text = NULL;
	ssize_t len;

	for (uint32_t line = 1; (len = getline(&text, &room, source)) >= 0; line++) {
		len -= len && text[len - 1] == '\n';
		add_samples(w, w->samples.first[file + 1], line, &sample);
		strbuf_add_char(&w->line, ':');
		strbuf_add_bytes(&w->line, text, len);
		add_symbols(w, w->symbols.first[file + 1], line, &symbol);
		strbuf_add_char(&w->line, '\n');
		fwrite(w->line.text, 1, w->line.len, out);
		strbuf_reset(&w->line);
	}
	free(text);
	if (!w->options->compat)
		put_rest(w, file, path, sample, symbol, out);
}

static int compare_indices(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

/* List the symbols of an unreadable source, by line; in compatibility mode by address. */
static void put_symbols(struct writer *w, size_t file, FILE *out)
{
	size_t nr = 0;

	for (size_t i = w->symbols.first[file]; i < w->symbols.first[file + 1]; i++)
		w->same_line[nr++] = w->symbols.marks[i].index;
	if (w->options->compat)
		qsort(w->same_line, nr, sizeof(*w->same_line), compare_indices);
	for (size_t i = 0; i < nr; i++) {
		annotate_symbols(&w->line, w->a, &w->same_line[i], 1);
		strbuf_add_char(&w->line, '\n');
		fwrite(w->line.text, 1, w->line.len, out);
		strbuf_reset(&w->line);
	}
}

static void report_missing(struct writer *w, const char *path, int why)
{
	if (w->nr_missing++ < MISSING_NAMED)
		notice_add(w->notices, "cannot read source '%s': %s", path, source_error(why));
}

static void report_newer(struct writer *w, size_t file, FILE *source, const char *path)
{
	if (!w->options->compat && source_is_newer(source, w->binaries[file].built) &&
	    w->nr_newer++ < MISSING_NAMED)
		notice_add(w->notices, "source '%s' is newer than the binary; lines may have moved",
			   path);
}

static int put_file(struct writer *w, size_t file, FILE *out, struct op_error *e)
{
	const char *path = w->a->files.paths[file];
	char *found = NULL;
	FILE *source = source_open(w->options, path, w->binaries[file].owner, &found);
	bool is_separate = w->options->output_dir;
	char *copy = NULL;
	size_t len = 0;
	int err = 0;

	if (!source)
		report_missing(w, path, errno);
	else
		report_newer(w, file, source, found);
	if (is_separate)
		out = open_memstream(&copy, &len);
	if (!out) {
		err = op_error_set(e, -errno, "%s", strerror(errno));
		goto close_source;
	}
	if (!is_separate)
		put_file_header(w, file, out);
	if (source)
		put_text(w, file, source, found, out);
	else
		put_symbols(w, file, out);
	if (is_separate) {
		put_file_header(w, file, out);
		fputs(w->header, out);
		if (fclose(out))
			err = op_error_set(e, -ENOMEM, "%s", strerror(ENOMEM));
		else
			err = source_write_copy(w->options, path, found, copy, len, e);
		free(copy);
	}
close_source:
	if (source)
		fclose(source);
	free(found);
	return err;
}

struct ranked_file {
	double share;		/* of all samples, in the class where it is largest */
	const char *path;
	size_t file;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked_file *x = a, *y = b;

	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	return -strcmp(x->path, y->path);
}

/* The file's largest share in the first @nr_classes classes. */
static double largest_share(const struct writer *w, size_t file, size_t nr_classes)
{
	double largest = 0;

	for (size_t c = 0; c < nr_classes; c++) {
		uint64_t total = w->a->totals[c];
		double share = total ? (double)counts_of_file(w, file)[c] / total : 0;

		largest = share > largest ? share : largest;
	}
	return largest;
}

/* The files that are shown, in order; malloc'd. */
static struct ranked_file *rank_files(const struct writer *w, bool first_class_only, size_t *ret_nr)
{
	size_t nr_classes = first_class_only ? 1 : w->a->nr_classes, nr = 0;
	struct ranked_file *ranked = xcalloc(w->a->files.nr + 1, sizeof(*ranked));

	for (size_t f = 0; f < w->a->files.nr; f++) {
		const char *path = w->a->files.paths[f];
		double share = largest_share(w, f, nr_classes);

		if (largest_share(w, f, w->a->nr_classes) > 0 &&
		    100 * share >= w->options->threshold && source_is_wanted(w->options, path))
			ranked[nr++] = (struct ranked_file){ share, path, f };
	}
	qsort(ranked, nr, sizeof(*ranked), compare_ranked);
	*ret_nr = nr;
	return ranked;
}

static void free_writer(struct writer *w)
{
	free(w->samples.marks);
	free(w->samples.first);
	free(w->symbols.marks);
	free(w->symbols.first);
	free(w->file_counts);
	free(w->binaries);
	free(w->sums);
	free(w->same_line);
	strbuf_free(&w->line);
}

int annotate_source(const struct annotation *a, const struct annotate_options *options,
		    const char *header, bool first_class_only, FILE *out,
		    struct notices *notices, struct op_error *e)
{
	struct writer w = { .a = a, .options = options, .header = header, .notices = notices,
			    .line = STRBUF_INIT };
	struct ranked_file *ranked;
	size_t nr;
	int err = 0;

	make_marks(a, false, &w.samples);
	make_marks(a, true, &w.symbols);
	count_files(&w);
	w.binaries = source_binaries(a);
	w.sums = xcalloc(a->nr_classes + 1, sizeof(*w.sums));
	w.same_line = xcalloc(a->nr_symbols + 1, sizeof(*w.same_line));
	ranked = rank_files(&w, first_class_only, &nr);
	if (!options->output_dir)
		fputs(header, out);
	for (size_t i = 0; i < nr && !err; i++) {
		progress_tell(NULL, i, nr, "source files");
		err = put_file(&w, ranked[i].file, out, e);
	}
	if (w.nr_missing > MISSING_NAMED)
		notice_add(notices, "cannot read %zu more sources; use --search-dirs to find them",
			   w.nr_missing - MISSING_NAMED);
	if (w.nr_newer > MISSING_NAMED)
		notice_add(notices, "%zu more sources are newer than the binary",
			   w.nr_newer - MISSING_NAMED);
	free(ranked);
	free_writer(&w);
	return err;
}

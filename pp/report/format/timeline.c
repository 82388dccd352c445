// SPDX-License-Identifier: GPL-2.0-or-later
/* timeline.c - samples, share, bar, names [TL-3] */
#include "pp/report/format/timeline.h"

#include <inttypes.h>

#include "libutil/clock.h"
#include "libutil/local_time.h"
#include "libutil/print_line.h"
#include "pp/report/format/columns.h"

enum { COUNTS_WIDTH = 18, NAME_WIDTH = 25, SYMBOL_WIDTH = 20, BAR_MIN = 12, LEVELS = 8 };

static const char *const blocks[LEVELS] = {
	"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
};
static const char *const letters[LEVELS] = { "_", "-", "~", "=", "+", "*", "#", "@" };

size_t format_timeline_periods(const struct timeline_text *how)
{
	unsigned int other = COUNTS_WIDTH + 1 + NAME_WIDTH + (how->symbols ? SYMBOL_WIDTH : 0);

	return how->width > other + BAR_MIN ? how->width - other : BAR_MIN;
}

/* Samples per second of the slices that the period has. */
static double rate(const struct timeline *t, const uint64_t *samples, size_t period)
{
	return (double)samples[period] / ((double)t->periods.covered_ns[period] / 1e9);
}

static void add_bar(const struct timeline *t, const uint64_t *samples,
		    const struct timeline_text *how, struct strbuf *line)
{
	double most = 0;

	for (size_t i = 0; i < t->periods.nr; i++)
		if (t->periods.covered_ns[i] && rate(t, samples, i) > most)
			most = rate(t, samples, i);
	for (size_t i = 0; i < t->periods.nr; i++) {
		double part = t->periods.covered_ns[i] && most > 0 ? rate(t, samples, i) / most : 0;
		int level = (int)(part * (LEVELS - 1) + 0.5);

		if (!t->periods.covered_ns[i])
			strbuf_add_char(line, ' ');
		else if (!samples[i])
			strbuf_add_char(line, '.');
		else
			strbuf_add(line, how->utf8 ? blocks[level] : letters[level]);
	}
	strbuf_add_char(line, ' ');
}

static void add_time(struct strbuf *line, int64_t ns)
{
	char text[64];

	if (local_time(ns / (int64_t)NS_PER_SECOND, "%Y-%m-%d %H:%M:%S %Z", text, sizeof(text)))
		strbuf_add(line, text);
}

static void print_scale(const struct timeline *t, const struct timeline_text *how, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_add(&line, "Timeline: ");
	add_time(&line, t->periods.begin_ns);
	strbuf_add(&line, " to ");
	add_time(&line, t->periods.end_ns);
	strbuf_addf(&line, ", a character is %" PRId64 " s: ",
		    t->periods.period_ns / (int64_t)NS_PER_SECOND);
	for (int i = 0; i < LEVELS; i++)
		strbuf_add(&line, how->utf8 ? blocks[i] : letters[i]);
	strbuf_add(&line, " up to the row's maximum, . no samples, blank no history");
	print_line(&line, out);
	strbuf_free(&line);
}

static void print_titles(const struct timeline *t, const struct timeline_text *how, FILE *out)
{
	size_t width = t->periods.nr + 1;

	fprintf(out, "%-9s%-9s%-*s ", "samples", "%", (int)(width > 9 ? width - 1 : 8), "timeline");
	if (how->symbols)
		fprintf(out, "%-*ssymbol name\n", NAME_WIDTH, "image name");
	else
		fprintf(out, "image name\n");
}

/* Bars that are narrower than their title. */
static void end_bar(const struct timeline *t, struct strbuf *line)
{
	for (size_t i = t->periods.nr; i < 8; i++)
		strbuf_add_char(line, ' ');
}

static void print_rows(const struct timeline *t, const struct timeline_class *c,
		       const struct timeline_text *how, const struct text_options *options,
		       FILE *out)
{
	static const struct text_options plain = { .compat = false };
	const struct columns columns = { .options = &plain, .nr_classes = 1 };
	struct strbuf line = STRBUF_INIT;

	if (!options->no_header) {
		columns_counts(&columns, &c->total, &c->total, NULL, NULL, &line);
		add_bar(t, c->samples, how, &line);
		end_bar(t, &line);
		strbuf_add(&line, "(all)");
		print_line(&line, out);
	}
	for (size_t i = 0; i < c->nr; i++) {
		const struct timeline_row *row = &c->rows[i];
		const char *image = row->symbol->image
				    ? image_shown_name(row->symbol->image, options->long_names)
				    : "";

		columns_counts(&columns, &row->total, &c->total, NULL, NULL, &line);
		add_bar(t, row->samples, how, &line);
		end_bar(t, &line);
		if (how->symbols) {
			column_text(&line, image, NAME_WIDTH);
			strbuf_add(&line, row->symbol->name);
		} else {
			strbuf_add(&line, *image ? image : row->symbol->name);
		}
		format_colored_line(&line, format_color(&row->total, &c->total, 1, options->color),
				    out);
	}
	strbuf_free(&line);
}

void format_timeline(const struct timeline *t, const struct arrangement *a,
		     const struct timeline_text *how, const struct text_options *options,
		     FILE *out)
{
	if (!options->no_header)
		print_scale(t, how, out);
	for (size_t i = 0; i < t->nr_classes; i++) {
		struct strbuf line = STRBUF_INIT;

		if (t->nr_classes > 1) {
			strbuf_add(&line, a->classes[i].title);
			strbuf_add_char(&line, ':');
			print_line(&line, out);
		}
		if (!options->no_header)
			print_titles(t, how, out);
		print_rows(t, &t->classes[i], how, options, out);
		strbuf_free(&line);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format_text.c - image summary and symbol list */
#include "format_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PERCENT_WIDTH	7
#define TITLE_WIDTH	17	/* of a class in the summary, before its '|' */

void format_percent_value(struct strbuf *out, double percent)
{
	size_t start = out->len;

	if (percent == 0)
		strbuf_addf(out, "%*s", PERCENT_WIDTH, "0");
	else if (fabs(percent) <= 0.001)
		strbuf_addf(out, "%.1e", percent);
	else
		strbuf_addf(out, "%*.4f", PERCENT_WIDTH, percent);
	if (out->len > start + PERCENT_WIDTH)
		strbuf_truncate(out, start + PERCENT_WIDTH);
}

void format_percent(struct strbuf *out, uint64_t part, uint64_t total)
{
	format_percent_value(out, total ? 100.0 * (double)part / (double)total : 0);
}

/* Names come from files and may hold anything: the terminal gets no control characters. */
static void put_line(struct strbuf *line, FILE *out)
{
	for (size_t i = 1; i < line->len; i++)	/* 0: the tab of an indented line */
		if ((unsigned char)line->text[i] < ' ' || line->text[i] == 0x7f)
			line->text[i] = '?';
	strbuf_add_char(line, '\n');
	fwrite(line->text, 1, line->len, out);
	strbuf_reset(line);
}

static void summary_titles(const struct arrangement *a, const char *indent, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_add(&line, indent);
	for (size_t c = 0; c < a->nr_classes; c++) {
		const char *title = a->classes[c].title;

		if (strlen(title) > TITLE_WIDTH)
			strbuf_addf(&line, "%.*s...|", TITLE_WIDTH - 3, title);
		else
			strbuf_addf(&line, "%*s|", TITLE_WIDTH, title);
	}
	put_line(&line, out);
	strbuf_add(&line, indent);
	for (size_t c = 0; c < a->nr_classes; c++)
		strbuf_add(&line, "  samples|      %|");
	put_line(&line, out);
	strbuf_add(&line, indent);
	for (size_t c = 0; c < a->nr_classes; c++)
		strbuf_add(&line, "------------------");
	put_line(&line, out);
	strbuf_free(&line);
}

/* The summary looks nothing up, so its names are those of the sample files. */
static const char *summary_name(const struct image *image, bool long_names)
{
	const char *base = strrchr(image->name, '/');

	if (long_names || !base || image->kind == IMAGE_ANON)
		return image->name;
	return base + 1;
}

static void summary_line(struct strbuf *line, const char *indent, const struct summary_row *row,
			 const uint64_t *totals, size_t nr_classes, bool long_names)
{
	strbuf_add(line, indent);
	for (size_t c = 0; c < nr_classes; c++) {
		strbuf_addf(line, "%9" PRIu64 " ", row->counts[c]);
		format_percent(line, row->counts[c], totals[c]);
		strbuf_add_char(line, ' ');
	}
	strbuf_add(line, summary_name(row->image, long_names));
}

void format_summary(const struct summary *s, const struct arrangement *a,
		    const struct text_options *options, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	if (!options->no_header)
		summary_titles(a, "", out);
	for (size_t i = 0; i < s->nr; i++) {
		const struct summary_row *row = &s->rows[i];

		summary_line(&line, "", row, s->totals, s->nr_classes, options->long_names);
		put_line(&line, out);
		if (row->nr_parts && !options->no_header)
			summary_titles(a, "\t", out);
		for (size_t j = 0; j < row->nr_parts; j++) {
			summary_line(&line, "\t", &row->parts[j],
				     options->global_percent ? s->totals : row->counts,
				     s->nr_classes, options->long_names);
			put_line(&line, out);
		}
	}
	strbuf_free(&line);
}

/* Columns of the symbol list: left-justified, with these widths at least. */
enum { VMA_WIDTH = 9, WIDE_VMA_WIDTH = 17, COUNT_WIDTH = 9, SUM_WIDTH = 14, SHARE_WIDTH = 9,
       SHARE_SUM_WIDTH = 11, LINE_WIDTH = 28, NAME_WIDTH = 25 };

/* Fill the column that began at @start; a full one is followed by one blank. */
static void pad(struct strbuf *line, size_t start, size_t width)
{
	do
		strbuf_add_char(line, ' ');
	while (line->len < start + width);
}

static void column(struct strbuf *line, const char *text, size_t width)
{
	size_t start = line->len;

	strbuf_add(line, text);
	pad(line, start, width);
}

static bool has_dependent(const struct row_list *rows)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (rows->rows[i]->image != rows->rows[i]->app)
			return true;
	return false;
}

static void symbol_titles(const struct row_list *rows, const struct text_options *o, bool images,
			  FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	if (o->show_address)
		/* the original's titles do not widen with the column */
		column(&line, "vma", o->wide_addresses && !o->compat ? WIDE_VMA_WIDTH : VMA_WIDTH);
	for (size_t c = 0; c < rows->nr_classes; c++) {
		column(&line, "samples", COUNT_WIDTH);
		if (o->accumulated)
			column(&line, "cum. samples", SUM_WIDTH);
		column(&line, "%", SHARE_WIDTH);
		if (o->accumulated)
			column(&line, "cum. %", SHARE_SUM_WIDTH);
	}
	if (o->show_lines)
		column(&line, "linenr info", LINE_WIDTH);
	if (images)
		column(&line, "image name", NAME_WIDTH);
	if (o->several_apps)
		column(&line, "app name", NAME_WIDTH);
	strbuf_add(&line, "symbol name");
	put_line(&line, out);
	strbuf_free(&line);
}

static void count_columns(struct strbuf *line, const struct symbol_row *row, uint64_t *sums,
			  const struct row_list *rows, const struct text_options *o)
{
	for (size_t c = 0; c < rows->nr_classes; c++) {
		size_t start = line->len;

		sums[c] += row->counts[c];
		strbuf_addf(line, "%" PRIu64, row->counts[c]);
		pad(line, start, COUNT_WIDTH);
		if (o->accumulated) {
			start = line->len;
			strbuf_addf(line, "%" PRIu64, sums[c]);
			pad(line, start, SUM_WIDTH);
		}
		start = line->len;
		format_percent(line, row->counts[c], rows->totals[c]);
		pad(line, start, SHARE_WIDTH);
		if (o->accumulated) {
			start = line->len;
			format_percent(line, sums[c], rows->totals[c]);
			pad(line, start, SHARE_SUM_WIDTH);
		}
	}
}

static void symbol_line(struct strbuf *line, const struct symbol_row *row, uint64_t *sums,
			const struct row_list *rows, const struct text_options *o, bool images)
{
	if (o->show_address)
		strbuf_addf(line, "%0*" PRIx64 " ",
			    o->wide_addresses ? WIDE_VMA_WIDTH - 1 : VMA_WIDTH - 1, row->vma);
	count_columns(line, row, sums, rows, o);
	if (o->show_lines)
		column(line, row->line ? row->line : "(no location information)", LINE_WIDTH);
	if (images)
		column(line, image_shown_name(row->image, o->long_names), NAME_WIDTH);
	if (o->several_apps)
		column(line, image_shown_name(row->app, o->long_names), NAME_WIDTH);
	strbuf_add(line, row->shown);
}

void format_symbols(const struct row_list *rows, const struct text_options *options, FILE *out)
{
	struct row_list sums;		/* only for its array of totals */
	struct strbuf line = STRBUF_INIT;
	bool images = has_dependent(rows);

	rows_init(&sums, rows->nr_classes);
	if (!options->no_header)
		symbol_titles(rows, options, images, out);
	for (size_t i = 0; i < rows->nr; i++) {
		symbol_line(&line, rows->rows[i], sums.totals, rows, options, images);
		put_line(&line, out);
	}
	rows_free(&sums);
	strbuf_free(&line);
}

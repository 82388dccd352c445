/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.c - left-justified columns of minimum width, separated by a blank at least */
#include "pp/report/format/columns.h"

#include <inttypes.h>
#include <string.h>

#include "libutil/print_line.h"

enum { VMA_WIDTH = 9, WIDE_VMA_WIDTH = 17, COUNT_WIDTH = 9, SUM_WIDTH = 14, SHARE_WIDTH = 9,
       SHARE_SUM_WIDTH = 11, CHANGE_WIDTH = 10, RATIO_WIDTH = 9, LINE_WIDTH = 28, NAME_WIDTH = 25 };

void columns_init(struct columns *c, const struct row_list *rows,
		  const struct text_options *options)
{
	*c = (struct columns){ .options = options, .nr_classes = rows->nr_classes };
	for (size_t i = 0; i < rows->nr && !c->images; i++)
		c->images = rows->rows[i]->image != rows->rows[i]->app;
}

void column_end(struct strbuf *line, size_t start, size_t width)
{
	static const char blanks[] = "                                ";
	size_t used = line->len - start;

	strbuf_add_bytes(line, blanks, used < width ? width - used : 1);
}

void column_text(struct strbuf *line, const char *text, size_t width)
{
	size_t start = line->len;

	strbuf_add(line, text);
	column_end(line, start, width);
}

/* Long titles make wide columns; 32 is the widest that column_end() fills up. */
static size_t ratio_width(const struct text_options *o, size_t i)
{
	size_t len = strlen(o->ratios->ratios[i].title) + 1;

	return len < RATIO_WIDTH ? RATIO_WIDTH : len > 32 ? 32 : len;
}

void columns_titles(const struct columns *c, FILE *out)
{
	const struct text_options *o = c->options;
	struct strbuf line = STRBUF_INIT;

	if (o->show_address)
		/* the original's titles do not widen with the column */
		column_text(&line, "vma",
			    o->wide_addresses && !o->compat ? WIDE_VMA_WIDTH : VMA_WIDTH);
	for (size_t i = 0; i < c->nr_classes; i++) {
		column_text(&line, "samples", COUNT_WIDTH);
		if (o->accumulated)
			column_text(&line, "cum. samples", SUM_WIDTH);
		column_text(&line, "%", SHARE_WIDTH);
		if (o->accumulated)
			column_text(&line, "cum. %", SHARE_SUM_WIDTH);
		if (o->differential)
			column_text(&line, "diff %", CHANGE_WIDTH);
	}
	for (size_t i = 0; i < format_nr_ratios(o); i++)
		column_text(&line, o->ratios->ratios[i].title, ratio_width(o, i));
	if (o->show_lines)
		column_text(&line, "linenr info", LINE_WIDTH);
	if (c->images)
		column_text(&line, "image name", NAME_WIDTH);
	if (o->several_apps)
		column_text(&line, "app name", NAME_WIDTH);
	strbuf_add(&line, "symbol name");
	print_line(&line, out);
	strbuf_free(&line);
}

void columns_address(const struct columns *c, uint64_t vma, struct strbuf *line)
{
	if (c->options->show_address)
		strbuf_addf(line, "%0*" PRIx64 " ", c->options->wide_addresses
			    ? WIDE_VMA_WIDTH - 1 : VMA_WIDTH - 1, vma);
}

static void number_column(struct strbuf *line, uint64_t n, size_t width)
{
	char text[20];			/* printf() would take 10 % of the time */
	size_t start = line->len, at = sizeof(text);

	do {
		text[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	strbuf_add_bytes(line, text + at, sizeof(text) - at);
	column_end(line, start, width);
}

static void share_column(struct strbuf *line, uint64_t part, uint64_t total, size_t width)
{
	size_t start = line->len;

	format_percent(line, part, total);
	column_end(line, start, width);
}

void columns_counts(const struct columns *c, const uint64_t *counts, const uint64_t *totals,
		    uint64_t *sums, const struct row_diff *diff, struct strbuf *line)
{
	bool accumulated = c->options->accumulated, compat = c->options->compat;
	bool is_gone = diff && !diff->in_second;

	for (size_t i = 0; i < c->nr_classes; i++) {
		size_t start;

		number_column(line, counts[i], COUNT_WIDTH);
		if (accumulated && compat && is_gone) {
			column_text(line, "---", SUM_WIDTH);
		} else if (accumulated) {
			sums[i] += counts[i];
			number_column(line, sums[i], SUM_WIDTH);
		}
		if (is_gone)
			column_text(line, "---", SHARE_WIDTH);
		else
			share_column(line, counts[i], totals[i], SHARE_WIDTH);
		if (accumulated && compat && is_gone)
			column_text(line, "---", SHARE_SUM_WIDTH);
		else if (accumulated)
			share_column(line, sums[i], totals[i], SHARE_SUM_WIDTH);
		if (!diff)
			continue;
		start = line->len;
		if (compat)
			format_change_as_original(line, diff->change[i]);
		else
			format_change(line, diff->change[i]);
		column_end(line, start, CHANGE_WIDTH);
	}
}

void columns_ratios(const struct columns *c, const uint64_t *counts, struct strbuf *line)
{
	const struct text_options *o = c->options;

	for (size_t i = 0; i < format_nr_ratios(o); i++) {
		size_t start = line->len;

		ratio_add_text(ratio_value(&o->ratios->ratios[i], counts), line);
		column_end(line, start, ratio_width(o, i));
	}
}

void columns_line(const struct columns *c, const char *location, struct strbuf *line)
{
	if (c->options->show_lines)
		column_text(line, location ? location : "(no location information)", LINE_WIDTH);
}

void columns_names(const struct columns *c, const struct symbol_row *row, struct strbuf *line)
{
	bool long_names = c->options->long_names;

	if (c->images)
		column_text(line, image_shown_name(row->image, long_names), NAME_WIDTH);
	if (c->options->several_apps)
		column_text(line, image_shown_name(row->app, long_names), NAME_WIDTH);
	strbuf_add(line, row->shown);
}

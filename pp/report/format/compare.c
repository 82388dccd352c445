/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare.c - a table for each class as text, with columns as in opreport */
#include "pp/report/format/compare.h"

#include <inttypes.h>
#include <math.h>

#include "libutil/print_line.h"
#include "pp/report/format/columns.h"

enum { COUNT_WIDTH = 9, SHARE_WIDTH = 9, CHANGE_WIDTH = 9, NAME_WIDTH = 25 };

static void titles(const struct diff_options *o, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_add(&line, "  ");
	for (int i = 0; i < 2; i++) {
		column_text(&line, i ? "second" : "first", COUNT_WIDTH);
		column_text(&line, "%", SHARE_WIDTH);
	}
	column_text(&line, "change", CHANGE_WIDTH);
	column_text(&line, "from", CHANGE_WIDTH);
	column_text(&line, "to", CHANGE_WIDTH);
	if (!o->images)
		column_text(&line, "image name", NAME_WIDTH);
	if (o->applications)
		column_text(&line, "app name", NAME_WIDTH);
	strbuf_add(&line, o->images ? "image name" : "symbol name");
	print_line(&line, out);
	strbuf_free(&line);
}

static void change_column(struct strbuf *line, double points)
{
	size_t start = line->len;

	format_change(line, points);
	column_end(line, start, CHANGE_WIDTH);
}

static void put_row(const struct comparison *c, const struct compared_row *r,
		    const struct diff_options *o, struct strbuf *line, FILE *out)
{
	const struct symbol_row *row = r->row;

	strbuf_add(line, r->direction > 0 ? "+ " : r->direction < 0 ? "- " : "= ");
	for (int i = 0; i < 2; i++) {
		size_t start = line->len;

		strbuf_addf(line, "%" PRIu64, r->counts[i]);
		column_end(line, start, COUNT_WIDTH);
		start = line->len;
		format_percent(line, r->counts[i], c->totals[i]);
		column_end(line, start, SHARE_WIDTH);
	}
	change_column(line, r->change);
	change_column(line, r->interval.low);
	change_column(line, r->interval.high);
	if (!o->images)
		column_text(line, image_shown_name(row->image, o->long_names), NAME_WIDTH);
	if (o->applications)
		column_text(line, image_shown_name(row->app, o->long_names), NAME_WIDTH);
	strbuf_add(line, o->images ? image_shown_name(row->image, o->long_names) : row->shown);
	format_colored_line(line, !o->color ? COLOR_NONE : r->direction > 0 ? COLOR_HOT
				  : r->direction < 0 ? COLOR_WARM : COLOR_NONE, out);
}

/* How many samples were compared, and how many rows changed. */
static void put_counts(const struct compare_report *r, size_t class, FILE *out)
{
	const struct comparison *c = &r->comparisons[class];
	struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "%s: %" PRIu64 " and %" PRIu64 " samples; %zu of %zu %s changed "
		    "(%g %% confidence)", r->arrangement->classes[class].title, c->totals[0],
		    c->totals[1], c->nr_changed, c->nr_rows,
		    r->options->images ? "images" : "symbols", r->options->confidence);
	if (c->nr_few)
		strbuf_addf(&line, ", %zu have too few samples to tell", c->nr_few);
	print_line(&line, out);
	strbuf_free(&line);
}

void format_compare_text(const struct compare_report *r, FILE *out)
{
	const struct diff_options *o = r->options;
	const struct text_options text = {
		.no_header = o->no_header,
		.title = o->command_line,
		.events = r->events,
	};
	struct strbuf line = STRBUF_INIT;

	format_header(r->arrangement, r->sessions, 2, &text, out);
	for (size_t i = 0; i < r->arrangement->nr_classes; i++) {
		const struct comparison *c = &r->comparisons[i];

		if (!o->no_header)
			put_counts(r, i, out);
		if (!o->no_header && c->nr)
			titles(o, out);
		for (size_t k = 0; k < c->nr; k++)
			put_row(c, &c->rows[k], o, &line, out);
	}
	strbuf_free(&line);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.c - the image summary as text */
#include "pp/report/format/text.h"

#include <inttypes.h>
#include <string.h>

#include "libutil/print_line.h"

#define TITLE_WIDTH	17	/* of a class in the summary, before its '|' */
#define RATIO_WIDTH	9	/* of a ratio, likewise; a longer title is cut */

/* The lower line has what is below the titles of classes: nothing. */
static void ratio_titles(struct strbuf *line, const struct text_options *o, bool is_lower)
{
	for (size_t i = 0; i < format_nr_ratios(o); i++) {
		const char *title = is_lower ? "" : o->ratios->ratios[i].title;

		if (strlen(title) > RATIO_WIDTH)
			strbuf_addf(line, "%.*s...|", RATIO_WIDTH - 3, title);
		else
			strbuf_addf(line, "%*s|", RATIO_WIDTH, title);
	}
}

static void summary_titles(const struct arrangement *a, const char *indent,
			   const struct text_options *o, FILE *out)
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
	ratio_titles(&line, o, false);
	print_line(&line, out);
	strbuf_add(&line, indent);
	for (size_t c = 0; c < a->nr_classes; c++)
		strbuf_add(&line, "  samples|      %|");
	ratio_titles(&line, o, true);
	print_line(&line, out);
	strbuf_add(&line, indent);
	for (size_t c = 0; c < a->nr_classes; c++)
		strbuf_add(&line, "------------------");
	for (size_t i = 0; i < format_nr_ratios(o); i++)
		strbuf_add(&line, "----------");
	print_line(&line, out);
	strbuf_free(&line);
}

/* The summary finds no binaries, so its names are those of the sample files. */
static const char *summary_name(const struct report_image *image, bool long_names)
{
	const char *base = strrchr(image->name, '/');

	if (long_names || !base || image->kind == IMAGE_ANON)
		return image->name;
	return base + 1;
}

static void summary_line(struct strbuf *line, const char *indent, const struct summary_row *row,
			 const uint64_t *totals, size_t nr_classes, const struct text_options *o)
{
	strbuf_add(line, indent);
	for (size_t c = 0; c < nr_classes; c++) {
		strbuf_addf(line, "%9" PRIu64 " ", row->counts[c]);
		format_percent(line, row->counts[c], totals[c]);
		strbuf_add_char(line, ' ');
	}
	for (size_t i = 0; i < format_nr_ratios(o); i++) {
		struct strbuf ratio = STRBUF_INIT;

		ratio_add_text(ratio_value(&o->ratios->ratios[i], row->counts), &ratio);
		strbuf_addf(line, "%*s ", RATIO_WIDTH, ratio.text);
		strbuf_free(&ratio);
	}
	strbuf_add(line, summary_name(row->image, o->long_names));
}

void format_summary(const struct summary *s, const struct arrangement *a,
		    const struct text_options *options, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	if (!options->no_header)
		summary_titles(a, "", options, out);
	for (size_t i = 0; i < s->nr; i++) {
		const struct summary_row *row = &s->rows[i];

		summary_line(&line, "", row, s->totals, s->nr_classes, options);
		format_colored_line(&line, format_color(row->counts, s->totals, s->nr_classes,
							options->color), out);
		if (row->nr_parts && !options->no_header)
			summary_titles(a, "\t", options, out);
		for (size_t j = 0; j < row->nr_parts; j++) {
			summary_line(&line, "\t", &row->parts[j],
				     options->global_percent ? s->totals : row->counts,
				     s->nr_classes, options);
			print_line(&line, out);
		}
	}
	strbuf_free(&line);
}

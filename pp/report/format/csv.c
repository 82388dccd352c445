/* SPDX-License-Identifier: GPL-2.0-or-later */
/* csv.c - every line has every column, so that programs can read lines one by one */
#include "pp/report/format/csv.h"

#include <inttypes.h>
#include <math.h>

#include "libutil/csv_text.h"

static void put_titles(const struct arrangement *a, bool differential, FILE *out)
{
	for (size_t c = 0; c < a->nr_classes; c++) {
		struct strbuf title = STRBUF_INIT;

		strbuf_addf(&title, "samples %s", a->classes[c].title);
		csv_put_text(title.text, out);
		strbuf_reset(&title);
		strbuf_addf(&title, "percent %s", a->classes[c].title);
		putc(',', out);
		csv_put_text(title.text, out);
		if (differential) {
			strbuf_reset(&title);
			strbuf_addf(&title, "change %s", a->classes[c].title);
			putc(',', out);
			csv_put_text(title.text, out);
		}
		putc(',', out);
		strbuf_free(&title);
	}
}

static void put_counts(const uint64_t *counts, const uint64_t *totals, size_t nr,
		       const struct row_diff *diff, FILE *out)
{
	for (size_t c = 0; c < nr; c++) {
		fprintf(out, "%" PRIu64 ",", counts[c]);
		if (!diff || diff->in_second)
			fprintf(out, "%.6g",
				totals[c] ? 100.0 * (double)counts[c] / (double)totals[c] : 0);
		putc(',', out);
		if (!diff)
			continue;
		if (isfinite(diff->change[c]))
			fprintf(out, "%.6g", diff->change[c]);
		putc(',', out);
	}
}

static void put_ratio_titles(const struct text_options *o, FILE *out)
{
	for (size_t i = 0; i < format_nr_ratios(o); i++) {
		csv_put_text(o->ratios->ratios[i].title, out);
		putc(',', out);
	}
}

static void put_ratios(const struct text_options *o, const uint64_t *counts, FILE *out)
{
	for (size_t i = 0; i < format_nr_ratios(o); i++) {
		double value = ratio_value(&o->ratios->ratios[i], counts);

		if (isfinite(value))
			fprintf(out, "%.6g", value);
		putc(',', out);
	}
}

static void put_summary_row(const struct summary *s, const struct summary_row *app,
			    const struct summary_row *row, const struct text_options *o, FILE *out)
{
	put_counts(row->counts, s->totals, s->nr_classes, NULL, out);
	put_ratios(o, row->counts, out);
	csv_put_text(app->image->name, out);
	putc(',', out);
	csv_put_text(row->image->name, out);
	putc('\n', out);
}

void format_csv_summary(const struct summary *s, const struct arrangement *a,
			const struct text_options *options, FILE *out)
{
	if (!options->no_header) {
		put_titles(a, false, out);
		put_ratio_titles(options, out);
		fputs("app,image\n", out);
	}
	for (size_t i = 0; i < s->nr; i++) {
		const struct summary_row *row = &s->rows[i];

		if (!row->nr_parts)
			put_summary_row(s, row, row, options, out);
		for (size_t j = 0; j < row->nr_parts; j++)
			put_summary_row(s, row, &row->parts[j], options, out);
	}
}

static void put_line(const struct row_list *rows, const struct symbol_row *row,
		     const uint64_t *counts, uint64_t address, const char *line,
		     const struct text_options *o, FILE *out)
{
	put_counts(counts, rows->totals, rows->nr_classes, row->diff, out);
	put_ratios(o, counts, out);
	fprintf(out, "0x%" PRIx64 ",", address);
	if (o->show_lines) {
		csv_put_text(line ? line : "", out);
		putc(',', out);
	}
	csv_put_text(image_shown_name(row->image, true), out);
	putc(',', out);
	csv_put_text(image_shown_name(row->app, true), out);
	putc(',', out);
	csv_put_text(row->shown, out);
	putc('\n', out);
}

/* With --details a line for each address instead of each symbol. */
void format_csv_symbols(const struct row_list *rows, const struct arrangement *a,
			const struct text_options *o, FILE *out)
{
	if (!o->no_header) {
		put_titles(a, o->differential, out);
		put_ratio_titles(o, out);
		fprintf(out, "address,%simage,app,symbol\n", o->show_lines ? "line," : "");
	}
	for (size_t i = 0; i < rows->nr; i++) {
		const struct symbol_row *row = rows->rows[i];

		if (!o->details)
			put_line(rows, row, row->counts, row->vma, row->line, o, out);
		for (size_t d = 0; o->details && d < row->nr_details; d++)
			put_line(rows, row, row_detail_counts(rows, row, d), row->details[d].vma,
				 row->details[d].line, o, out);
	}
}

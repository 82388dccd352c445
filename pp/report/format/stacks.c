// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks.c - column widths of the other reports; names are indented by depth */
#include "pp/report/format/stacks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "libutil/count.h"
#include "libutil/csv_text.h"
#include "libutil/print_line.h"
#include "libutil/xalloc.h"
#include "pp/report/format/columns.h"
#include "pp/report/format/csv.h"

#define NAME_WIDTH 25

static bool has_self(const struct stack_report *r)
{
	return r->order != STACKS_CALLEES;
}

static const char *image_of(const struct stack_symbol *symbol, bool long_names)
{
	return symbol->image ? image_shown_name(symbol->image, long_names) : "";
}

/* "98.7 %"; 100 and 0 only if it is all or nothing. */
static void add_share(struct strbuf *out, uint64_t part, uint64_t total)
{
	double percent = total ? 100.0 * (double)part / (double)total : 0;

	if (part && percent < 0.1)
		strbuf_add(out, "less than 0.1 %");
	else if (part < total && percent > 99.9)
		strbuf_add(out, "more than 99.9 %");
	else
		strbuf_addf(out, "%.1f %%", percent);
}

/* [CT-7] */
static void quality_line(const struct stack_quality *q, FILE *out)
{
	struct strbuf line = STRBUF_INIT;
	uint64_t known = 0;

	strbuf_add(&line, "Stacks: ");
	add_share(&line, q->ends[STACK_COMPLETE], q->samples);
	strbuf_addf(&line, " %s", stack_end_text(STACK_COMPLETE));
	for (unsigned int i = 0; i < NR_STACK_ENDS; i++) {
		count_add(&known, q->ends[i]);
		if (i == STACK_COMPLETE || !q->ends[i])
			continue;
		strbuf_add(&line, ", ");
		add_share(&line, q->ends[i], q->samples);
		strbuf_addf(&line, " %s", stack_end_text(i));
	}
	if (known < q->samples) {
		strbuf_add(&line, ", ");
		add_share(&line, q->samples - known, q->samples);
		strbuf_addf(&line, " %s", stack_end_text(NR_STACK_ENDS));
	}
	print_line(&line, out);
	if (q->guessed) {
		strbuf_add(&line, "Stacks: ");
		add_share(&line, q->guessed, q->samples);
		strbuf_add(&line, " have frames found by frame pointer, without an unwind table");
		print_line(&line, out);
	}
	if (q->lost) {
		strbuf_addf(&line, "Stacks: the stacks of %" PRIu64 " samples could not be "
			    "recorded", q->lost);
		print_line(&line, out);
	}
	strbuf_free(&line);
}

static void titles(const struct stack_report *r, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	for (size_t c = 0; c < r->nr_classes; c++) {
		strbuf_addf(&line, "%-9s%-9s", "samples", "%");
		if (has_self(r))
			strbuf_addf(&line, "%-9s%-9s", "self", "%");
	}
	strbuf_addf(&line, "%-*ssymbol name", NAME_WIDTH, "image name");
	print_line(&line, out);
	strbuf_free(&line);
}

void format_stacks(const struct stack_report *r, const struct text_options *options, FILE *out)
{
	const struct text_options plain = { .compat = false };
	const struct columns columns = { .options = &plain, .nr_classes = 1 };
	const uint64_t *totals = r->rows.totals;
	struct strbuf line = STRBUF_INIT;

	if (!options->no_header) {
		quality_line(&r->quality, out);
		titles(r, out);
	}
	for (size_t i = 0; i < r->nr_lines; i++) {
		const struct stack_symbol *symbol = &r->symbols[r->lines[i].symbol];
		const uint64_t *counts = r->counts + r->lines[i].counts;
		const uint64_t *self = has_self(r) ? counts + r->nr_classes : counts;

		for (size_t c = 0; c < r->nr_classes; c++) {
			columns_counts(&columns, counts + c, totals + c, NULL, NULL, &line);
			if (has_self(r))
				columns_counts(&columns, self + c, totals + c, NULL, NULL, &line);
		}
		column_text(&line, image_of(symbol, options->long_names), NAME_WIDTH);
		strbuf_addf(&line, "%*s%s", (int)r->lines[i].depth, "", symbol->name);
		format_colored_line(&line, format_color(self, totals, r->nr_classes,
							options->color), out);
	}
	strbuf_free(&line);
}

static char *folded_name(const char *name)
{
	struct strbuf folded = STRBUF_INIT;

	plain_add_folded(&folded, name);
	return strbuf_steal(&folded);
}

/* A line is one stack; ';' separates names [CT-8]. */
void format_folded(const struct stack_report *r, FILE *out)
{
	size_t *ends = xcalloc(STACK_LIST_DEPTH, sizeof(*ends));	/* of names, by depth */
	char **names = xcalloc(r->nr_symbols + 1, sizeof(*names));	/* those used so far */
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < r->nr_lines; i++) {
		const struct stack_line *l = &r->lines[i];
		const uint64_t *self = r->counts + l->counts + r->nr_classes;
		bool any = false;

		strbuf_truncate(&line, l->depth ? ends[l->depth - 1] : 0);
		if (l->depth)
			strbuf_add_char(&line, ';');
		if (!names[l->symbol])
			names[l->symbol] = folded_name(r->symbols[l->symbol].name);
		strbuf_add(&line, names[l->symbol]);
		ends[l->depth] = line.len;
		for (size_t c = 0; c < r->nr_classes; c++)
			any |= self[c];
		if (!any)
			continue;
		for (size_t c = 0; c < r->nr_classes; c++)
			strbuf_addf(&line, " %" PRIu64, self[c]);
		strbuf_add_char(&line, '\n');
		fwrite(line.text, 1, line.len, out);
	}
	strbuf_free(&line);
	for (size_t i = 0; i < r->nr_symbols; i++)
		free(names[i]);
	free(names);
	free(ends);
}

static void csv_titles(const struct stack_report *r, const struct arrangement *a, FILE *out)
{
	static const char *const columns[] = { "samples", "percent", "self", "self percent" };

	for (size_t c = 0; c < r->nr_classes; c++)
		for (size_t i = 0; i < (has_self(r) ? 4 : 2); i++) {
			struct strbuf title = STRBUF_INIT;

			strbuf_addf(&title, "%s %s", columns[i], a->classes[c].title);
			csv_put_text(title.text, out);
			putc(',', out);
			strbuf_free(&title);
		}
	fputs("depth,image,symbol\n", out);
}

static void csv_count(uint64_t count, uint64_t total, FILE *out)
{
	fprintf(out, "%" PRIu64 ",%.6g,", count,
		total ? 100.0 * (double)count / (double)total : 0);
}

void format_csv_stacks(const struct stack_report *r, const struct arrangement *a,
		       const struct text_options *options, FILE *out)
{
	if (!options->no_header)
		csv_titles(r, a, out);
	for (size_t i = 0; i < r->nr_lines; i++) {
		const struct stack_symbol *symbol = &r->symbols[r->lines[i].symbol];
		const uint64_t *counts = r->counts + r->lines[i].counts;

		for (size_t c = 0; c < r->nr_classes; c++) {
			csv_count(counts[c], r->rows.totals[c], out);
			if (has_self(r))
				csv_count(counts[r->nr_classes + c], r->rows.totals[c], out);
		}
		fprintf(out, "%" PRIu32 ",", r->lines[i].depth);
		csv_put_text(image_of(symbol, true), out);
		putc(',', out);
		csv_put_text(symbol->name, out);
		putc('\n', out);
	}
}

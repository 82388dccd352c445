/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.c - format numbers and names */
#include "pp/annotate/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/cpu/type.h"
#include "events/data.h"
#include "libutil/print_line.h"
#include "libutil/xalloc.h"
#include "pp/report/format/text.h"

#define CLASS_WIDTH	16	/* of a class in the field, with the blank after it */

static void add_count(struct strbuf *out, uint64_t count, uint64_t total)
{
	strbuf_addf(out, "%6" PRIu64 " ", count);
	format_percent(out, count, total);
}

void annotate_counts(struct strbuf *out, const struct annotation *a, const uint64_t *counts)
{
	for (size_t c = 0; c < a->nr_classes; c++)
		add_count(out, counts[c], a->totals[c]);
}

void annotate_field(struct strbuf *out, const struct annotation *a, const uint64_t *counts)
{
	size_t end = out->len + CLASS_WIDTH * a->nr_classes - 1;

	if (counts) {
		enum line_color color = format_color(counts, a->totals, a->nr_classes, a->color);

		strbuf_add(out, format_color_start(color));
		annotate_counts(out, a, counts);
		strbuf_add(out, format_color_end(color));
		end += strlen(format_color_start(color)) + strlen(format_color_end(color));
	}
	if (out->len < end)
		strbuf_addf(out, "%*s", (int)(end - out->len), "");
}

void annotate_name(struct strbuf *out, const char *text)
{
	plain_add(out, text);
}

void annotate_symbols(struct strbuf *out, const struct annotation *a, const size_t *symbols,
		      size_t nr)
{
	uint64_t *sums = xcalloc(a->nr_classes + 1, sizeof(*sums));

	strbuf_add(out, " /* ");
	for (size_t i = 0; i < nr; i++) {
		const uint64_t *counts = annotated_symbol_counts(a, symbols[i]);

		annotate_name(out, a->symbols[symbols[i]].shown);
		strbuf_add_char(out, ' ');
		if (nr > 1) {
			annotate_counts(out, a, counts);
			strbuf_add(out, ", ");
		}
		for (size_t c = 0; c < a->nr_classes; c++)
			sums[c] += counts[c];
	}
	strbuf_add(out, "total: ");
	annotate_counts(out, a, sums);
	strbuf_add(out, " */");
	free(sums);
}

static void add_interpretation(struct strbuf *out, const struct annotate_options *o)
{
	strbuf_add(out, " * Interpretation of command line:\n");
	if (o->assembly) {
		strbuf_add(out, " * Output annotated assembly listing with samples\n");
		if (o->objdump_params) {
			strbuf_add(out, " * Passing the following additional arguments to "
				   "objdump ; \"");
			annotate_name(out, o->objdump_params);
			strbuf_add(out, " \"\n");
		}
	} else {
		strbuf_add(out, " * Output annotated source file with samples\n");
		if (o->threshold > 0)
			strbuf_addf(out, " * Output files where samples count reach %g%% of the "
				    "samples\n", o->threshold);
		else
			strbuf_add(out, " * Output all files\n");
	}
	if (!o->compat && o->inlines)
		strbuf_add(out, " * Samples of inlined code are counted where it was called\n");
}

/* Append the header of all reports, each line as a line of the comment. */
static void add_report_header(struct strbuf *out, const struct annotate_options *o,
			      const struct collection *c)
{
	const struct sample_header *h = &c->arrangement.classes[0].header;
	const struct cpu_type *type = cpu_type_by_number(h->cpu_type, h->version);
	const struct session_list *sessions = &c->sessions;
	struct text_options text = { .compat = o->compat };
	struct event_table *events = NULL;
	char *lines = NULL, *rest = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&lines, &size);

	if (!f)
		return;
	/* without a table for the CPU only the events' names are known */
	if (type && !event_table_open(type, &events, NULL))
		text.events = events;
	format_header(&c->arrangement, &sessions, 1, &text, f);
	event_table_free(events);
	if (!fclose(f))
		for (char *line = strtok_r(lines, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest)) {
			strbuf_add(out, " * ");
			annotate_name(out, line);
			strbuf_add_char(out, '\n');
		}
	free(lines);
}

void annotate_header(struct strbuf *out, const struct annotate_options *o,
		     const struct collection *collection)
{
	strbuf_add(out, "/* \n * Command line: ");
	annotate_name(out, o->command_line);
	strbuf_add(out, " \n * \n");
	add_interpretation(out, o);
	strbuf_add(out, " * \n");
	add_report_header(out, o, collection);
	strbuf_add(out, " */\n");
}

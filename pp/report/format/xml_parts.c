/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xml_parts.c - what stands before the binaries, and the tables behind them */
#include "pp/report/format/xml_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/cpu/type.h"
#include "events/data.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

static void put_setup(const struct xml *x, bool is_timer)
{
	fputs("<setup>\n", x->out);
	for (size_t c = 0; c < x->a->nr_classes; c++) {
		const struct profile_class *class = &x->a->classes[c];
		struct event_description text;

		if (c && x->a->axis != AXIS_EVENT)
			break;
		if (is_timer) {
			xml_open(x->out, "timersetup");
			xml_number(x->out, "rtcinterrupts", class->template.count);
		} else {
			event_describe(x->options->events, class->template.event,
				       class->header.event, class->header.unit_mask, true, &text);
			xml_open(x->out, "eventsetup");
			fprintf(x->out, " id=\"%zu\"", c);
			xml_text(x->out, "eventname",
				 x->options->compat ? text.name : class->template.event);
			xml_number(x->out, "unitmask", class->header.unit_mask);
			xml_number(x->out, "setupcount", class->template.count);
		}
		fputs("/>\n", x->out);
	}
	fputs("</setup>\n\n", x->out);
}

static void put_classes(const struct xml *x)
{
	if (x->a->nr_classes < 2 || x->a->axis == AXIS_TGID || x->a->axis == AXIS_TID)
		return;
	fputs("<classes>\n", x->out);
	for (size_t c = 0; c < x->a->nr_classes; c++) {
		const struct profile_class *class = &x->a->classes[c];

		xml_open(x->out, "class");
		fprintf(x->out, " name=\"c%zu\"", c);
		if (class->template.cpu != SAMPLE_ALL)
			xml_number(x->out, "cpu", class->template.cpu);
		if (*class->template.cgroup)
			xml_text(x->out, "cgroup", class->template.cgroup);
		xml_number(x->out, "event", x->a->axis == AXIS_EVENT ? c : 0);
		xml_number(x->out, "mask", class->header.unit_mask);
		fputs("/>\n", x->out);
	}
	fputs("</classes>\n", x->out);
}

static void put_option(struct strbuf *s, FILE *out, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	if (!s->len)
		fputs("<options ", out);
	strbuf_add_char(s, '.');
	xml_text(out, name, value);
}

static void put_options(const struct xml *x)
{
	const struct xml_options *o = x->options;
	struct strbuf any = STRBUF_INIT;

	put_option(&any, x->out, "session", o->arguments);
	put_option(&any, x->out, "debuginfo", o->debug_info ? "true" : NULL);
	put_option(&any, x->out, "details", o->details ? "true" : NULL);
	put_option(&any, x->out, "excludedependent", o->exclude_dependent ? "true" : NULL);
	put_option(&any, x->out, "excludesymbols", o->exclude);
	put_option(&any, x->out, "imagepath", o->image_path);
	put_option(&any, x->out, "includesymbols", o->include);
	put_option(&any, x->out, "merge", o->merge);
	put_option(&any, x->out, "reversesort", o->reverse ? "true" : NULL);
	fputs(any.len ? "/>\n" : "<options />\n", x->out);
	strbuf_free(&any);
}

static size_t count_cpus(const struct arrangement *a)
{
	return a->axis == AXIS_CPU ? a->nr_classes : 0;
}

void xml_profile_start(const struct xml *x)
{
	const struct sample_header *header = &x->a->classes[0].header;
	const struct cpu_type *type = cpu_type_by_number(header->cpu_type, header->version);
	const char *name = type ? type->name : "unknown", *slash = strchr(name, '/');
	bool is_old = x->options->compat && header->version == SAMPLE_VERSION_099;
	char *family = xasprintf("%.*s", (int)(slash ? slash - name : (long)strlen(name)), name);

	fputs("<?xml version=\"1.0\" ?>\n", x->out);
	xml_open(x->out, "profile");
	xml_text(x->out, "schemaversion", is_old ? "3.0" : "3.1");
	xml_text(x->out, "cputype", family);
	putc('\n', x->out);
	if (slash) {
		xml_text(x->out, "processor", slash + 1);
		putc('\n', x->out);
	}
	if (count_cpus(x->a)) {
		xml_number(x->out, "separatedcpus", count_cpus(x->a));
		putc('\n', x->out);
	}
	fprintf(x->out, " mhz=\"%.2f\"\n", header->cpu_mhz);
	xml_text(x->out, "title", x->options->title);
	fputs(">\n", x->out);
	put_options(x);
	put_setup(x, type && !strcmp(type->name, "timer"));
	put_classes(x);
	free(family);
}

static void put_symbol_data(struct xml *x, size_t id)
{
	const struct symbol_row *row = x->symbols[id].row;

	xml_open(x->out, "symboldata");
	fprintf(x->out, " id=\"%zu\" ", id);
	xml_text(x->out, "name", row->shown);
	if (row->line) {
		const char *colon = strrchr(row->line, ':');
		char *file = xasprintf("%.*s", (int)(colon - row->line), row->line);

		xml_text(x->out, "file", file);
		xml_text(x->out, "line", colon + 1);
		free(file);
	}
	fputs(" ", x->out);
	xml_address(x->out, "startingaddr", row->vma, x->options->wide_addresses ? 16 : 8);
	fputs("/>\n", x->out);
}

/* By id in a call graph, else in the rows' order. */
void xml_symbol_table(struct xml *x)
{
	fputs("<symboltable>\n", x->out);
	if (x->graph) {
		for (size_t id = 0; id < x->nr_symbols; id++)
			put_symbol_data(x, id);
	} else {
		for (size_t i = 0; i < x->rows->nr; i++) {
			const struct symbol_row *row = x->rows->rows[i];
			size_t id = xml_symbol_id(x, row);

			if (x->symbols[id].row == row)
				put_symbol_data(x, id);
		}
	}
	fputs("</symboltable>\n", x->out);
}

static size_t classes_with_samples(const struct xml *x, const struct symbol_row *row, size_t i)
{
	const uint64_t *counts = row_detail_counts(x->rows, row, i);
	size_t nr = 0;

	for (size_t c = 0; c < x->rows->nr_classes; c++)
		nr += counts[c] != 0;
	return nr;
}

/* The original has an element for each sample, that is each address and class. */
size_t xml_detail_count(const struct xml *x, const struct symbol_row *row)
{
	size_t nr = 0;

	if (!x->options->compat)
		return row->nr_details;
	for (size_t i = 0; i < row->nr_details; i++)
		nr += classes_with_samples(x, row, i);
	return nr;
}

static void open_detail(const struct xml *x, const struct row_detail *detail, size_t id)
{
	xml_open(x->out, "detaildata");
	fprintf(x->out, " id=\"%zu\" ", id);
	xml_address(x->out, "vmaoffset", detail->vma, x->options->wide_addresses ? 16 : 8);
	if (detail->line) {
		const char *colon = strrchr(detail->line, ':');
		char *file = xasprintf("%.*s", (int)(colon - detail->line), detail->line);

		xml_text(x->out, "file", file);
		xml_text(x->out, "line", colon + 1);
		free(file);
	}
	fputs(">\n", x->out);
}

static void put_detail(struct xml *x, const struct symbol_row *row, size_t i, size_t *id)
{
	const uint64_t *counts = row_detail_counts(x->rows, row, i);

	if (!x->options->compat) {
		open_detail(x, &row->details[i], (*id)++);
		xml_counts(x, counts);
		fputs("</detaildata>\n", x->out);
		return;
	}
	for (size_t c = 0; c < x->rows->nr_classes; c++) {
		if (!counts[c])
			continue;
		open_detail(x, &row->details[i], (*id)++);
		if (x->rows->nr_classes > 1)
			fprintf(x->out, "<count  class=\"c%zu\">\n", c);
		else
			fputs("<count  class=\"\">\n", x->out);	/* not in its schema */
		fprintf(x->out, "%" PRIu64 "</count>\n</detaildata>\n", counts[c]);
	}
}

/* Rows of the same symbol in other applications are chained behind the first. */
static void put_details(struct xml *x, size_t id, const size_t *next, size_t row)
{
	size_t detail = 0;

	xml_open(x->out, "symboldetails");
	fprintf(x->out, " id=\"%zu\">\n", id);
	for (; row != SIZE_MAX; row = next[row]) {
		const struct symbol_row *r = x->rows->rows[row];

		for (size_t i = 0; i < r->nr_details; i++)
			put_detail(x, r, i, &detail);
	}
	fputs("</symboldetails>\n", x->out);
}

static void put_bytes(struct xml *x, size_t id, const struct symbol_row *row)
{
	static const char digits[] = "0123456789ABCDEF";

	xml_open(x->out, "bytes");
	fprintf(x->out, " id=\"%zu\">\n", id);
	for (size_t i = 0; i < row->code_size; i++) {
		putc(digits[row->code[i] >> 4], x->out);
		putc(digits[row->code[i] & 15], x->out);
	}
	fputs("</bytes>\n", x->out);
}

void xml_detail_tables(struct xml *x)
{
	size_t *next = xcalloc(x->rows->nr + 1, sizeof(*next));
	size_t *last = xcalloc(x->nr_symbols + 1, sizeof(*last));

	for (size_t i = 0; i < x->rows->nr; i++) {
		size_t id = xml_symbol_id(x, x->rows->rows[i]);

		if (x->symbols[id].row != x->rows->rows[i])
			next[last[id]] = i;
		last[id] = i;
		next[i] = SIZE_MAX;
	}
	fputs("<detailtable>\n", x->out);
	for (size_t i = 0; i < x->rows->nr; i++) {
		size_t id = xml_symbol_id(x, x->rows->rows[i]);

		if (x->symbols[id].row == x->rows->rows[i])
			put_details(x, id, next, i);
	}
	fputs("</detailtable>\n<bytestable>\n", x->out);
	for (size_t i = 0; i < x->rows->nr; i++) {
		size_t id = xml_symbol_id(x, x->rows->rows[i]);

		if (x->symbols[id].row == x->rows->rows[i] && x->rows->rows[i]->code)
			put_bytes(x, id, x->rows->rows[i]);
	}
	fputs("</bytestable>\n", x->out);
	free(next);
	free(last);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xml.c - setup and classes, binaries (or processes and threads) with their symbols, tables
 *
 * An application's own symbols come first, then those of its modules, as the schema requires. The
 * tables after the binaries have what a symbol is called and, with --details, its addresses.
 */
#include "pp/report/format/xml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/cpu/type.h"
#include "events/data.h"
#include "libdb/session/thread_sample.h"
#include "libutil/hash.h"
#include "libutil/strbuf.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"
#include "pp/report/format/xml_text.h"

struct xml_symbol {
	const struct symbol_row *row;	/* the first row of the symbol */
	size_t nr_details;		/* ids that its rows have used so far */
};

struct xml {
	const struct row_list *rows;
	const struct callgraph *graph;
	const struct arrangement *a;
	const struct xml_options *options;
	FILE *out;
	struct xml_symbol *symbols;	/* by id: one for each (image, name, address) */
	size_t nr_symbols, room;
	struct hash_table ids;
};

static bool is_symbol_of(const void *symbols, uint32_t id, const void *key)
{
	const struct symbol_row *a = ((const struct xml_symbol *)symbols)[id].row, *b = key;

	return a->image == b->image && a->vma == b->vma && !strcmp(a->name, b->name);
}

/* A symbol's id, a new one on its first occurrence. */
static size_t symbol_id(struct xml *x, const struct symbol_row *row)
{
	uint64_t hash = hash_mix(hash_mix((uintptr_t)row->image, hash_string(row->name)), row->vma);
	uint32_t id = hash_table_find(&x->ids, hash, is_symbol_of, x->symbols, row);

	if (id == HASH_NONE) {
		xgrow(x->symbols, x->nr_symbols, x->room);
		id = (uint32_t)x->nr_symbols++;
		x->symbols[id] = (struct xml_symbol){ row, 0 };
		hash_table_add(&x->ids, hash, id);
	}
	return id;
}

/* --- before the binaries --- */

static void put_setup(const struct xml *x, bool is_timer)
{
	fputs("<setup>\n", x->out);
	for (size_t c = 0; c < x->a->nr_classes; c++) {
		const struct profile_class *class = &x->a->classes[c];
		struct event_description text;

		if (c && x->a->axis != AXIS_EVENT)
			break;
		if (is_timer && (x->options->compat ||
				 strcmp(class->template.event, THREAD_SAMPLE) != 0)) {
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

static void put_profile_start(const struct xml *x)
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

/* --- binaries --- */

/* <count> for each class with samples. */
static void put_counts(const struct xml *x, const uint64_t *counts)
{
	for (size_t c = 0; c < x->rows->nr_classes; c++) {
		if (!counts[c])
			continue;
		if (x->rows->nr_classes > 1)
			fprintf(x->out, "<count  class=\"c%zu\">\n%" PRIu64 "</count>\n", c,
				counts[c]);
		else
			fprintf(x->out, "<count>\n%" PRIu64 "</count>\n", counts[c]);
	}
}

static size_t classes_with_samples(const struct xml *x, const struct symbol_row *row, size_t i)
{
	const uint64_t *counts = row_detail_counts(x->rows, row, i);
	size_t nr = 0;

	for (size_t c = 0; c < x->rows->nr_classes; c++)
		nr += counts[c] != 0;
	return nr;
}

/* How many detail elements @row has: the original writes one for each address and class. */
static size_t count_details(const struct xml *x, const struct symbol_row *row)
{
	size_t nr = 0;

	if (!x->options->compat)
		return row->nr_details;
	for (size_t i = 0; i < row->nr_details; i++)
		nr += classes_with_samples(x, row, i);
	return nr;
}

static void open_named(const struct xml *x, const char *tag, const char *name)
{
	xml_open(x->out, tag);
	xml_text(x->out, "name", name);
	fputs(">\n", x->out);
}

/* @in_module: the parent element is a module, so each arc names the module of its own. */
static void put_arcs(struct xml *x, const char *tag, const struct graph_arc *arcs, size_t nr,
		     bool in_module)
{
	fprintf(x->out, "<%s>\n", tag);
	for (size_t i = 0; i < nr; i++) {
		if (in_module)
			open_named(x, "module", image_shown_name(arcs[i].row->image, true));
		xml_open(x->out, "symbol");
		xml_number(x->out, "idref", symbol_id(x, arcs[i].row));
		fputs(arcs[i].is_self ? " self=\"true\">\n" : ">\n", x->out);
		put_counts(x, arcs[i].counts);
		fputs("</symbol>\n", x->out);
		if (in_module)
			fputs("</module>\n", x->out);
	}
	fprintf(x->out, "</%s>\n", tag);
}

static void put_symbol(struct xml *x, const struct symbol_row *row, bool in_module)
{
	size_t id, nr = count_details(x, row);

	if (x->graph && !row->node)
		return;		/* below the threshold */
	id = symbol_id(x, row);
	xml_open(x->out, "symbol");
	xml_number(x->out, "idref", id);
	if (x->options->details && nr) {
		xml_number(x->out, "detaillo", x->symbols[id].nr_details);
		x->symbols[id].nr_details += nr;
		xml_number(x->out, "detailhi", x->symbols[id].nr_details - 1);
	}
	fputs(">\n", x->out);
	if (x->graph) {
		put_arcs(x, "callers", row->node->callers, row->node->nr_callers, in_module);
		put_arcs(x, "callees", row->node->callees, row->node->nr_callees, in_module);
	}
	put_counts(x, row->counts);
	fputs("</symbol>\n", x->out);
}

static void add_up(const struct xml *x, size_t first, size_t end, const struct report_image *image,
		   uint64_t *sums)
{
	memset(sums, 0, x->rows->nr_classes * sizeof(*sums));
	for (size_t i = first; i < end; i++)
		if (x->rows->rows[i]->image == image)
			for (size_t c = 0; c < x->rows->nr_classes; c++)
				sums[c] += x->rows->rows[i]->counts[c];
}

/* Rows [@first, @end) are one application's, sorted by image. */
static void put_binary(struct xml *x, size_t first, size_t end, uint64_t *sums)
{
	struct symbol_row *const *rows = x->rows->rows;
	const struct report_image *app = rows[first]->app, *module = NULL;

	open_named(x, "binary", image_shown_name(app, true));
	add_up(x, first, end, app, sums);
	put_counts(x, sums);
	for (size_t i = first; i < end; i++)
		if (rows[i]->image == app)
			put_symbol(x, rows[i], false);
	for (size_t i = first; i < end; i++) {
		if (rows[i]->image == app)
			continue;
		if (rows[i]->image != module) {
			if (module)
				fputs("</module>\n", x->out);
			module = rows[i]->image;
			open_named(x, "module", image_shown_name(module, true));
			add_up(x, first, end, module, sums);
			put_counts(x, sums);
		}
		put_symbol(x, rows[i], true);
	}
	if (module)
		fputs("</module>\n", x->out);
	fputs("</binary>\n", x->out);
}

static void put_one_count(const struct xml *x, uint64_t count)
{
	if (count)
		fprintf(x->out, "<count>\n%" PRIu64 "</count>\n", count);
}

static uint64_t sum_of_class(const struct xml *x, size_t first, size_t end, size_t class,
			     const struct report_image *image)
{
	uint64_t sum = 0;

	for (size_t i = first; i < end; i++)
		if (!image || x->rows->rows[i]->image == image)
			sum += x->rows->rows[i]->counts[class];
	return sum;
}

/* One class of one application; all symbols are in modules, the application's own too. */
static void put_thread(struct xml *x, size_t first, size_t end, size_t class)
{
	struct symbol_row *const *rows = x->rows->rows;
	const struct report_image *module = NULL;

	xml_open(x->out, "thread");
	fprintf(x->out, " tid=\"%" PRId64 "\">\n", x->a->classes[class].template.tid);
	put_one_count(x, sum_of_class(x, first, end, class, NULL));
	for (size_t i = first; i < end; i++) {
		if (!rows[i]->counts[class])
			continue;
		if (rows[i]->image != module) {
			if (module)
				fputs("</module>\n", x->out);
			module = rows[i]->image;
			open_named(x, "module", image_shown_name(module, true));
			put_one_count(x, sum_of_class(x, first, end, class, module));
		}
		xml_open(x->out, "symbol");
		xml_number(x->out, "idref", symbol_id(x, rows[i]));
		fputs(">\n", x->out);
		put_one_count(x, rows[i]->counts[class]);
		fputs("</symbol>\n", x->out);
	}
	if (module)
		fputs("</module>\n", x->out);
	fputs("</thread>\n", x->out);
}

/* Classes of one process are consecutive. */
static void put_processes(struct xml *x, size_t first, size_t end)
{
	size_t nr = x->rows->nr_classes;

	for (size_t c = 0, last; c < nr; c = last) {
		int64_t tgid = x->a->classes[c].template.tgid;
		uint64_t sum = 0;

		for (last = c; last < nr && x->a->classes[last].template.tgid == tgid; last++)
			sum += sum_of_class(x, first, end, last, NULL);
		if (!sum)
			continue;
		xml_open(x->out, "process");
		fprintf(x->out, " pid=\"%" PRId64 "\"", tgid);
		xml_text(x->out, "name", image_shown_name(x->rows->rows[first]->app, true));
		fputs(">\n", x->out);
		if (!x->options->compat)
			put_one_count(x, sum);
		for (size_t i = c; x->options->compat && i < last; i++)
			put_one_count(x, sum_of_class(x, first, end, i, NULL));
		for (size_t i = c; i < last; i++)
			if (sum_of_class(x, first, end, i, NULL))
				put_thread(x, first, end, i);
		fputs("</process>\n", x->out);
	}
}

/* --- tables --- */

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
static void put_symbol_table(struct xml *x)
{
	fputs("<symboltable>\n", x->out);
	if (x->graph) {
		for (size_t id = 0; id < x->nr_symbols; id++)
			put_symbol_data(x, id);
	} else {
		for (size_t i = 0; i < x->rows->nr; i++) {
			const struct symbol_row *row = x->rows->rows[i];
			size_t id = symbol_id(x, row);

			if (x->symbols[id].row == row)
				put_symbol_data(x, id);
		}
	}
	fputs("</symboltable>\n", x->out);
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
		put_counts(x, counts);
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

/* @next, by row: the row of the same symbol in another application, or SIZE_MAX. */
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

static void put_detail_tables(struct xml *x)
{
	size_t *next = xcalloc(x->rows->nr + 1, sizeof(*next));
	size_t *last = xcalloc(x->nr_symbols + 1, sizeof(*last));

	for (size_t i = 0; i < x->rows->nr; i++) {
		size_t id = symbol_id(x, x->rows->rows[i]);

		if (x->symbols[id].row != x->rows->rows[i])
			next[last[id]] = i;
		last[id] = i;
		next[i] = SIZE_MAX;
	}
	fputs("<detailtable>\n", x->out);
	for (size_t i = 0; i < x->rows->nr; i++) {
		size_t id = symbol_id(x, x->rows->rows[i]);

		if (x->symbols[id].row == x->rows->rows[i])
			put_details(x, id, next, i);
	}
	fputs("</detailtable>\n<bytestable>\n", x->out);
	for (size_t i = 0; i < x->rows->nr; i++) {
		size_t id = symbol_id(x, x->rows->rows[i]);

		if (x->symbols[id].row == x->rows->rows[i] && x->rows->rows[i]->code)
			put_bytes(x, id, x->rows->rows[i]);
	}
	fputs("</bytestable>\n", x->out);
	free(next);
	free(last);
}

void format_xml(const struct row_list *rows, const struct callgraph *graph,
		const struct arrangement *a, const struct xml_options *options, FILE *out)
{
	struct xml x = { .rows = rows, .graph = graph, .a = a, .options = options, .out = out };
	uint64_t *sums = xcalloc(rows->nr_classes + 1, sizeof(*sums));
	bool threads = a->axis == AXIS_TGID || a->axis == AXIS_TID;

	put_profile_start(&x);
	for (size_t i = 0, end; i < rows->nr; i = end) {
		for (end = i; end < rows->nr && rows->rows[end]->app == rows->rows[i]->app;)
			end++;
		if (threads)
			put_processes(&x, i, end);
		else
			put_binary(&x, i, end, sums);
	}
	put_symbol_table(&x);
	if (options->details)
		put_detail_tables(&x);
	fputs("</profile>\n", out);
	free(sums);
	free(x.symbols);
	hash_table_free(&x.ids);
}

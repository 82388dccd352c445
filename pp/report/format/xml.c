/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xml.c - binaries (or processes and threads), modules and symbols
 *
 * An application's own symbols come first, then those of its modules, as the schema has it.
 */
#include "pp/report/format/xml_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"

static size_t find_slot(const struct xml *x, const struct symbol_row *row)
{
	uint64_t h = hash_mix(hash_mix((uintptr_t)row->image, hash_string(row->name)), row->vma);
	size_t at = h & (x->nr_slots - 1);

	for (; x->slots[at]; at = (at + 1) & (x->nr_slots - 1)) {
		const struct symbol_row *other = x->symbols[x->slots[at] - 1].row;

		if (other->image == row->image && other->vma == row->vma &&
		    !strcmp(other->name, row->name))
			break;
	}
	return at;
}

static void grow_slots(struct xml *x)
{
	free(x->slots);
	x->nr_slots = x->nr_slots ? x->nr_slots * 2 : 1024;
	x->slots = xcalloc(x->nr_slots, sizeof(*x->slots));
	for (size_t i = 0; i < x->nr_symbols; i++)
		x->slots[find_slot(x, x->symbols[i].row)] = i + 1;
}

size_t xml_symbol_id(struct xml *x, const struct symbol_row *row)
{
	size_t at;

	if (x->nr_symbols * 2 >= x->nr_slots)
		grow_slots(x);
	at = find_slot(x, row);
	if (!x->slots[at]) {
		xgrow(x->symbols, x->nr_symbols, x->room);
		x->symbols[x->nr_symbols++] = (struct xml_symbol){ row, 0 };
		x->slots[at] = x->nr_symbols;
	}
	return x->slots[at] - 1;
}

void xml_counts(const struct xml *x, const uint64_t *counts)
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

static void open_named(const struct xml *x, const char *tag, const char *name)
{
	xml_open(x->out, tag);
	xml_text(x->out, "name", name);
	fputs(">\n", x->out);
}

/* @in_module: the parent is in one, so these have to say in which they are. */
static void put_arcs(struct xml *x, const char *tag, const struct call_arc *arcs, size_t nr,
		     bool in_module)
{
	fprintf(x->out, "<%s>\n", tag);
	for (size_t i = 0; i < nr; i++) {
		if (in_module)
			open_named(x, "module", image_shown_name(arcs[i].row->image, true));
		xml_open(x->out, "symbol");
		xml_number(x->out, "idref", xml_symbol_id(x, arcs[i].row));
		fputs(arcs[i].is_self ? " self=\"true\">\n" : ">\n", x->out);
		xml_counts(x, arcs[i].counts);
		fputs("</symbol>\n", x->out);
		if (in_module)
			fputs("</module>\n", x->out);
	}
	fprintf(x->out, "</%s>\n", tag);
}

static void put_symbol(struct xml *x, const struct symbol_row *row, bool in_module)
{
	size_t id, nr = xml_detail_count(x, row);

	if (x->graph && !row->node)
		return;		/* below the threshold */
	id = xml_symbol_id(x, row);
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
	xml_counts(x, row->counts);
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
	xml_counts(x, sums);
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
			xml_counts(x, sums);
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

/* One class of one application: everything is in modules. */
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
		xml_number(x->out, "idref", xml_symbol_id(x, rows[i]));
		fputs(">\n", x->out);
		put_one_count(x, rows[i]->counts[class]);
		fputs("</symbol>\n", x->out);
	}
	if (module)
		fputs("</module>\n", x->out);
	fputs("</thread>\n", x->out);
}

/* Classes of a process follow each other. */
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

void format_xml(const struct row_list *rows, const struct callgraph *graph,
		const struct arrangement *a, const struct xml_options *options, FILE *out)
{
	struct xml x = { .rows = rows, .graph = graph, .a = a, .options = options, .out = out };
	uint64_t *sums = xcalloc(rows->nr_classes + 1, sizeof(*sums));
	bool threads = a->axis == AXIS_TGID || a->axis == AXIS_TID;

	xml_profile_start(&x);
	for (size_t i = 0, end; i < rows->nr; i = end) {
		for (end = i; end < rows->nr && rows->rows[end]->app == rows->rows[i]->app;)
			end++;
		if (threads)
			put_processes(&x, i, end);
		else
			put_binary(&x, i, end, sums);
	}
	xml_symbol_table(&x);
	if (options->details)
		xml_detail_tables(&x);
	fputs("</profile>\n", out);
	free(sums);
	free(x.symbols);
	free(x.slots);
}

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
	size_t first, last;		/* in mentions */
};

/* A symbol element whose addresses are to follow: of @row, in the classes [low, end). */
struct xml_mention {
	const struct symbol_row *row;
	size_t low, end;
	size_t next;			/* of the same symbol, or SIZE_MAX */
};

struct xml_class;

struct xml {
	const struct row_list *rows;
	const struct callgraph *graph;
	const struct arrangement *a;
	const struct xml_options *options;
	FILE *out;
	struct xml_symbol *symbols;	/* by id: one for each (image, name, address) [XM-2] */
	size_t nr_symbols, room;
	struct hash_table ids;
	struct xml_mention *mentions;	/* in the order of the elements */
	size_t nr_mentions, mentions_room;
	struct xml_class *classes;	/* one for each of the arrangement's */
	size_t nr_events, nr_cpus;
	bool has_masks;
};

/* The column of a count: a name "cN", or none. */
struct xml_class {
	size_t event;			/* id of its eventsetup */
	size_t name;			/* N, or SIZE_MAX */
};

static bool is_symbol_of(const void *symbols, uint32_t id, const void *key)
{
	const struct symbol_row *a = ((const struct xml_symbol *)symbols)[id].row, *b = key;

	return a->image == b->image && a->vma == b->vma && !strcmp(a->name, b->name);
}

/* The original takes functions of one name in one image for one. */
static bool is_named_as(const void *symbols, uint32_t id, const void *key)
{
	const struct symbol_row *a = ((const struct xml_symbol *)symbols)[id].row, *b = key;

	return a->image == b->image && !strcmp(a->name, b->name);
}

/* A symbol's id, a new one on its first occurrence. */
static size_t symbol_id(struct xml *x, const struct symbol_row *row)
{
	bool compat = x->options->compat;
	uint64_t hash = hash_mix(hash_mix((uintptr_t)row->image, hash_string(row->name)),
				 compat ? 0 : row->vma);
	uint32_t id = hash_table_find(&x->ids, hash, compat ? is_named_as : is_symbol_of,
				      x->symbols, row);

	if (id == HASH_NONE) {
		xgrow(x->symbols, x->nr_symbols, x->room);
		id = (uint32_t)x->nr_symbols++;
		x->symbols[id] = (struct xml_symbol){ row, 0, SIZE_MAX, SIZE_MAX };
		hash_table_add(&x->ids, hash, id);
	}
	return id;
}

/* --- classes --- */

static bool are_threads_apart(const struct arrangement *a)
{
	return a->axis == AXIS_TGID || a->axis == AXIS_TID;
}

static void set_classes(struct xml *x)
{
	const struct arrangement *a = x->a;
	bool are_named = a->nr_classes > 1 && !are_threads_apart(a);

	x->nr_events = a->axis == AXIS_EVENT ? a->nr_classes : 1;
	x->nr_cpus = a->axis == AXIS_CPU ? a->nr_classes : 0;
	for (size_t c = 0; c < a->nr_classes; c++)
		x->classes[c] = (struct xml_class){
			.event = a->axis == AXIS_EVENT ? c : 0,
			.name = are_named ? c : SIZE_MAX,
		};
}

/* In the original an event is a name, whatever its count and unit mask. */
static size_t find_event(const struct xml *x, size_t class)
{
	const struct profile_class *classes = x->a->classes;

	for (size_t c = 0; c < class; c++)
		if (!strcmp(classes[c].template.event, classes[class].template.event))
			return x->classes[c].event;
	return x->nr_events;
}

static int64_t original_cpu(const struct profile_template *t)
{
	return t->cpu == SAMPLE_ALL ? 0 : t->cpu;
}

/* It names classes that differ in CPU, event or unit mask, and the only one if it has a mask. */
static size_t find_original_name(const struct xml *x, size_t class, size_t new_name)
{
	const struct profile_template *t = &x->a->classes[class].template;

	for (size_t c = 0; c < class; c++) {
		const struct profile_template *o = &x->a->classes[c].template;

		if (x->classes[c].event == x->classes[class].event &&
		    (x->nr_cpus == 1 || original_cpu(o) == original_cpu(t)) &&
		    o->unit_mask == t->unit_mask)
			return x->classes[c].name;
	}
	return new_name;
}

static void set_original_classes(struct xml *x)
{
	const struct arrangement *a = x->a;
	size_t nr_names = 0;

	x->nr_cpus = 1;
	for (size_t c = 0; c < a->nr_classes; c++) {
		const struct profile_template *t = &a->classes[c].template;

		x->classes[c] = (struct xml_class){ find_event(x, c), SIZE_MAX };
		x->nr_events += x->classes[c].event == x->nr_events;
		x->has_masks |= t->unit_mask != SAMPLE_ALL && t->unit_mask;
		if (original_cpu(t) >= (int64_t)x->nr_cpus)
			x->nr_cpus = (size_t)original_cpu(t) + 1;
	}
	for (size_t c = 0; c < a->nr_classes; c++) {
		if (x->nr_cpus == 1 && x->nr_events == 1 && !x->has_masks)
			break;
		x->classes[c].name = find_original_name(x, c, nr_names);
		nr_names += x->classes[c].name == nr_names;
	}
}

/* --- before the binaries --- */

static void put_setup(const struct xml *x, bool is_timer)
{
	size_t nr = 0;

	fputs("<setup>\n", x->out);
	for (size_t c = 0; c < x->a->nr_classes; c++) {
		const struct profile_class *class = &x->a->classes[c];
		struct event_description text;

		if (x->classes[c].event != nr)
			continue;
		nr++;
		if (is_timer && (x->options->compat ||
				 strcmp(class->template.event, THREAD_SAMPLE) != 0)) {
			xml_open(x->out, "timersetup");
			xml_number(x->out, "rtcinterrupts", class->template.count);
		} else {
			event_describe(x->options->events, class->template.event,
				       class->header.event, class->header.unit_mask, true, &text);
			xml_open(x->out, "eventsetup");
			fprintf(x->out, " id=\"%zu\"", x->classes[c].event);
			xml_text(x->out, "eventname",
				 x->options->compat ? text.name : class->template.event);
			xml_number(x->out, "unitmask", class->header.unit_mask);
			xml_number(x->out, "setupcount", class->template.count);
		}
		fputs("/>\n", x->out);
	}
	fputs("</setup>\n\n", x->out);
}

static void put_class(const struct xml *x, size_t c)
{
	const struct profile_class *class = &x->a->classes[c];

	if (class->template.cpu != SAMPLE_ALL)
		xml_number(x->out, "cpu", class->template.cpu);
	if (*class->template.cgroup)
		xml_text(x->out, "cgroup", class->template.cgroup);
	xml_number(x->out, "event", x->classes[c].event);
	xml_number(x->out, "mask", class->header.unit_mask);
}

/* A number, "all", or nothing where it was merged. */
static void put_field(FILE *out, const char *name, int64_t n, bool is_merged)
{
	if (n != SAMPLE_ALL)
		fprintf(out, " %s=\"%" PRId64 "\"", name, n);
	else
		fprintf(out, " %s=\"%s\"", name, is_merged ? "" : "all");
}

static void put_original_class(const struct xml *x, size_t c)
{
	const struct profile_template *t = &x->a->classes[c].template;

	if (x->nr_cpus > 1)
		put_field(x->out, "cpu", t->cpu, x->a->merge.cpu);
	if (x->nr_events > 1)
		xml_number(x->out, "event", x->classes[c].event);
	if (x->has_masks)
		put_field(x->out, "mask", t->unit_mask, x->a->merge.unit_mask);
}

static void put_classes(const struct xml *x)
{
	size_t nr = 0;

	if (x->classes[0].name == SIZE_MAX)
		return;
	fputs("<classes>\n", x->out);
	for (size_t c = 0; c < x->a->nr_classes; c++) {
		if (x->classes[c].name != nr)
			continue;
		xml_open(x->out, "class");
		fprintf(x->out, " name=\"c%zu\"", nr++);
		if (x->options->compat)
			put_original_class(x, c);
		else
			put_class(x, c);
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
	if (x->nr_cpus > x->options->compat) {	/* it needs two */
		xml_number(x->out, "separatedcpus", x->nr_cpus);
		putc('\n', x->out);
	}
	fprintf(x->out, " mhz=\"%.2f\"\n", header->cpu_mhz);
	xml_text(x->out, "title", x->options->title);
	fputs(">\n", x->out);
	put_options(x);
	put_setup(x, type && !strcmp(type->name, "timer"));
	if (!x->options->header_only)
		put_classes(x);
	free(family);
}

/* --- binaries --- */

/* <count> for each of the classes [@low, @end) with samples. */
static void put_counts_of(const struct xml *x, const uint64_t *counts, size_t low, size_t end)
{
	for (size_t c = low; c < end; c++) {
		if (!counts[c])
			continue;
		if (x->classes[c].name != SIZE_MAX)
			fprintf(x->out, "<count  class=\"c%zu\">\n%" PRIu64 "</count>\n",
				x->classes[c].name, counts[c]);
		else
			fprintf(x->out, "<count>\n%" PRIu64 "</count>\n", counts[c]);
	}
}

static void put_counts(const struct xml *x, const uint64_t *counts)
{
	put_counts_of(x, counts, 0, x->rows->nr_classes);
}

static size_t classes_with_samples(const uint64_t *counts, size_t low, size_t end)
{
	size_t nr = 0;

	for (size_t c = low; c < end; c++)
		nr += counts[c] != 0;
	return nr;
}

/* How many detail elements @row has: the original writes one for each address and class. */
static size_t count_details(const struct xml *x, const struct symbol_row *row, size_t low,
			    size_t end)
{
	size_t nr = 0;

	for (size_t i = 0; i < row->nr_details; i++) {
		size_t classes = classes_with_samples(row_detail_counts(x->rows, row, i), low, end);

		nr += x->options->compat ? classes : classes > 0;
	}
	return nr;
}

/* The details of an element follow those of the symbol's earlier ones. */
static void mention(struct xml *x, size_t id, const struct symbol_row *row, size_t low, size_t end)
{
	struct xml_symbol *s = &x->symbols[id];

	xgrow(x->mentions, x->nr_mentions, x->mentions_room);
	x->mentions[x->nr_mentions] = (struct xml_mention){ row, low, end, SIZE_MAX };
	if (s->first == SIZE_MAX)
		s->first = x->nr_mentions;
	else
		x->mentions[s->last].next = x->nr_mentions;
	s->last = x->nr_mentions++;
}

static void open_named(const struct xml *x, const char *tag, const char *name)
{
	xml_open(x->out, tag);
	xml_text(x->out, "name", name);
	fputs(">\n", x->out);
}

/* @in_module: the parent element is a module, so each arc names the module of its own. */
static void put_arcs(struct xml *x, const char *tag, const struct graph_arc *arcs, size_t nr,
		     bool in_module, size_t low, size_t end)
{
	fprintf(x->out, "<%s>\n", tag);
	for (size_t i = 0; i < nr; i++) {
		if (in_module)
			open_named(x, "module", image_shown_name(arcs[i].row->image, true));
		xml_open(x->out, "symbol");
		xml_number(x->out, "idref", symbol_id(x, arcs[i].row));
		fputs(arcs[i].is_self ? " self=\"true\">\n" : ">\n", x->out);
		put_counts_of(x, arcs[i].counts, low, end);
		fputs("</symbol>\n", x->out);
		if (in_module)
			fputs("</module>\n", x->out);
	}
	fprintf(x->out, "</%s>\n", tag);
}

/* With the counts of the classes [@low, @end). */
static void put_symbol(struct xml *x, const struct symbol_row *row, bool in_module, size_t low,
		       size_t end)
{
	size_t id, nr = count_details(x, row, low, end);

	if (x->graph && !row->node)
		return;		/* below the threshold */
	id = symbol_id(x, row);
	xml_open(x->out, "symbol");
	xml_number(x->out, "idref", id);
	if (x->options->details && nr) {
		mention(x, id, row, low, end);
		xml_number(x->out, "detaillo", x->symbols[id].nr_details);
		x->symbols[id].nr_details += nr;
		xml_number(x->out, "detailhi", x->symbols[id].nr_details - 1);
	}
	fputs(">\n", x->out);
	if (x->graph) {
		put_arcs(x, "callers", row->node->callers, row->node->nr_callers, in_module, low,
			 end);
		put_arcs(x, "callees", row->node->callees, row->node->nr_callees, in_module, low,
			 end);
	}
	put_counts_of(x, row->counts, low, end);
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
			put_symbol(x, rows[i], false, 0, x->rows->nr_classes);
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
		put_symbol(x, rows[i], true, 0, x->rows->nr_classes);
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
		put_symbol(x, rows[i], true, class, class + 1);
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
		put_one_count(x, sum);
		for (size_t i = c; i < last; i++)
			if (sum_of_class(x, first, end, i, NULL))
				put_thread(x, first, end, i);
		fputs("</process>\n", x->out);
	}
}

/* --- processes and threads as in the original: all applications' symbols in one sequence --- */

static void put_sums(const struct xml *x, size_t first, size_t last, size_t low, size_t end)
{
	uint64_t *sums = xcalloc(end + 1, sizeof(*sums));

	for (size_t c = low; c < end; c++)
		sums[c] = sum_of_class(x, first, last, c, NULL);
	put_counts_of(x, sums, low, end);
	free(sums);
}

static bool has_samples(const struct symbol_row *row, size_t low, size_t end)
{
	return classes_with_samples(row->counts, low, end) > 0;
}

/* The end of the rows of the image of row @i. */
static size_t module_end(const struct xml *x, size_t i)
{
	size_t end = i + 1;

	while (end < x->rows->nr && x->rows->rows[end]->image == x->rows->rows[i]->image)
		end++;
	return end;
}

/* The classes [@low, @end), which are one thread's. */
static void put_original_thread(struct xml *x, size_t low, size_t end)
{
	const struct profile_template *t = &x->a->classes[low].template;
	struct symbol_row *const *rows = x->rows->rows;

	xml_open(x->out, "thread");
	put_field(x->out, "tid", t->tid, x->a->merge.tid || x->a->merge.tgid);
	fputs(">\n", x->out);
	put_sums(x, 0, x->rows->nr, low, end);
	for (size_t i = 0, last; i < x->rows->nr; i = last) {
		for (last = i + 1; !has_samples(rows[i], low, end) && last < x->rows->nr; last++)
			i = last;
		if (!has_samples(rows[i], low, end))
			break;
		last = module_end(x, i);
		open_named(x, "module", image_shown_name(rows[i]->image, true));
		put_sums(x, i, last, low, end);
		for (; i < last; i++)
			if (x->graph || has_samples(rows[i], low, end))
				put_symbol(x, rows[i], true, low, end);
		fputs("</module>\n", x->out);
	}
	fputs("</thread>\n", x->out);
}

static bool is_in_range(const struct xml *x, size_t low, size_t end)
{
	for (size_t i = 0; i < x->rows->nr; i++)
		if (has_samples(x->rows->rows[i], low, end))
			return true;
	return false;
}

/* The classes [@low, @end), which are one process's; named by the first application [XM-3]. */
static void put_original_process(struct xml *x, size_t low, size_t end)
{
	const struct profile_template *t = &x->a->classes[low].template;
	struct symbol_row *const *rows = x->rows->rows;
	size_t first = 0;

	if (!is_in_range(x, low, end))
		return;
	while (!has_samples(rows[first], low, end))
		first++;
	xml_open(x->out, "process");
	put_field(x->out, "pid", t->tgid, x->a->merge.tgid);
	xml_text(x->out, "name", image_shown_name(rows[first]->app, true));
	fputs(">\n", x->out);
	put_sums(x, 0, x->rows->nr, low, end);
	for (size_t c = low, next; c < end; c = next) {
		for (next = c + 1; next < end && x->a->classes[next].template.tid ==
				   x->a->classes[c].template.tid; next++)
			;
		if (is_in_range(x, c, next))
			put_original_thread(x, c, next);
	}
	fputs("</process>\n", x->out);
}

static void put_original_processes(struct xml *x)
{
	const struct profile_class *classes = x->a->classes;

	for (size_t c = 0, end; c < x->a->nr_classes; c = end) {
		for (end = c + 1; end < x->a->nr_classes &&
				  classes[end].template.tgid == classes[c].template.tgid; end++)
			;
		put_original_process(x, c, end);
	}
}

/* Threads that were merged count as separated there. */
static bool has_original_threads(const struct arrangement *a)
{
	return a->classes[0].template.tid != SAMPLE_ALL || a->merge.tid || a->merge.tgid;
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
	if (!x->options->compat || *row->name != '?') {
		fputs(" ", x->out);
		xml_address(x->out, "startingaddr", row->vma, x->options->wide_addresses ? 16 : 8);
	}
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

static void put_detail(struct xml *x, const struct xml_mention *m, size_t i, size_t *id)
{
	const uint64_t *counts = row_detail_counts(x->rows, m->row, i);

	if (!x->options->compat && !classes_with_samples(counts, m->low, m->end))
		return;
	if (!x->options->compat) {
		open_detail(x, &m->row->details[i], (*id)++);
		put_counts_of(x, counts, m->low, m->end);
		fputs("</detaildata>\n", x->out);
		return;
	}
	for (size_t c = m->low; c < m->end; c++) {
		if (!counts[c])
			continue;
		open_detail(x, &m->row->details[i], (*id)++);
		if (x->classes[c].name != SIZE_MAX)
			fprintf(x->out, "<count  class=\"c%zu\">\n", x->classes[c].name);
		else
			fputs("<count  class=\"\">\n", x->out);	/* not in its schema */
		fprintf(x->out, "%" PRIu64 "</count>\n</detaildata>\n", counts[c]);
	}
}

/* Of all applications, in the order of their elements. */
static void put_details(struct xml *x, size_t id)
{
	size_t detail = 0;

	xml_open(x->out, "symboldetails");
	fprintf(x->out, " id=\"%zu\">\n", id);
	for (size_t m = x->symbols[id].first; m != SIZE_MAX; m = x->mentions[m].next)
		for (size_t i = 0; i < x->mentions[m].row->nr_details; i++)
			put_detail(x, &x->mentions[m], i, &detail);
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
	fputs("<detailtable>\n", x->out);
	for (size_t id = 0; id < x->nr_symbols; id++)
		if (x->symbols[id].first != SIZE_MAX)
			put_details(x, id);
	fputs("</detailtable>\n<bytestable>\n", x->out);
	for (size_t i = 0; i < x->rows->nr; i++) {
		size_t id = symbol_id(x, x->rows->rows[i]);

		if (x->symbols[id].row == x->rows->rows[i] && x->rows->rows[i]->code)
			put_bytes(x, id, x->rows->rows[i]);
	}
	fputs("</bytestable>\n", x->out);
}

void format_xml(const struct row_list *rows, const struct callgraph *graph,
		const struct arrangement *a, const struct xml_options *options, FILE *out)
{
	struct xml x = { .rows = rows, .graph = graph, .a = a, .options = options, .out = out };
	uint64_t *sums = xcalloc(rows->nr_classes + 1, sizeof(*sums));
	bool original_threads = options->compat && has_original_threads(a);
	size_t nr_rows = options->header_only ? 0 : rows->nr;

	x.classes = xcalloc(a->nr_classes + 1, sizeof(*x.classes));
	if (options->compat)
		set_original_classes(&x);
	else
		set_classes(&x);
	put_profile_start(&x);
	if (original_threads && nr_rows)
		put_original_processes(&x);
	for (size_t i = 0, end; i < nr_rows && !original_threads; i = end) {
		for (end = i; end < rows->nr && rows->rows[end]->app == rows->rows[i]->app;)
			end++;
		if (!options->compat && are_threads_apart(a))
			put_processes(&x, i, end);
		else
			put_binary(&x, i, end, sums);
	}
	if (!options->header_only) {
		put_symbol_table(&x);
		if (options->details)
			put_detail_tables(&x);
		fputs("</profile>\n", out);
	}
	free(sums);
	free(x.classes);
	free(x.mentions);
	free(x.symbols);
	hash_table_free(&x.ids);
}

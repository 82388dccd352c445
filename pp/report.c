/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - a call per stage
 *
 *	spec -> file list -> arrange -> summary					opreport
 *				     -> invert -> populate -> sort		opreport -l, -d
 *				     -> invert -> populate -> callgraph		opreport -c
 *				     -> stacks					opreport --stacks
 *				     -> timeline				opreport --timeline
 *	two of the second kind -> diff -> sort					opreport -l { } { }
 *
 * then the formatters.
 */
#include "pp/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/cpu/type.h"
#include "events/data.h"
#include "libutil/xalloc.h"
#include "pp/binary/line/cache.h"
#include "pp/cli/common_options.h"
#include "pp/report/callgraph.h"
#include "pp/report/data_quality.h"
#include "pp/report/diff.h"
#include "pp/report/fetch_debug.h"
#include "pp/report/format/csv.h"
#include "pp/report/format/json.h"
#include "pp/report/format/stacks.h"
#include "pp/report/format/text.h"
#include "pp/report/format/timeline.h"
#include "pp/report/format/xml.h"
#include "pp/report/missing_symbols.h"
#include "pp/report/populate.h"
#include "pp/report/summary.h"
#include "pp/select/collect.h"
#include "pp/select/invert.h"

struct report_profile {
	struct collection collection;
	struct row_list rows;
};

struct report {
	const struct report_options *options;
	struct ratio_list ratios;
	const struct notices *notices;
	struct report_profile profiles[2];	/* of two, the second is shown */
	size_t nr_profiles;
	struct event_table *events;	/* or NULL */
	struct text_options text;
	struct summary summary;
	struct callgraph graph;
	struct stack_report stacks;
	struct timeline timeline;
	size_t nr_failed;		/* sample files that could not be read */
	bool is_header_only;		/* as the original prints before it finds such a file */
};

static struct report_profile *shown(const struct report *r)
{
	return (struct report_profile *)&r->profiles[r->nr_profiles - 1];
}

/* OProfile 0.9 looks at the first column only; its files are recognized by version [RP-8]. */
static bool is_first_class_only(const struct report *r)
{
	return r->options->compat &&
	       shown(r)->collection.arrangement.classes[0].header.version == SAMPLE_VERSION_099;
}

static struct populate_options populate_options(const struct report_options *o, const char *root,
						const char *cache_dir)
{
	return (struct populate_options){
		.compat = o->compat,
		.demangle = o->demangle,
		.inlines = o->inlines,
		.lines = o->debug_info,
		.details = o->details,
		.code = o->details && o->format == FORMAT_XML,
		.keep_binaries = o->callgraph,
		.keep_all = o->callgraph,
		.long_names = o->long_names || o->format != FORMAT_TEXT,
		.merge_unnamed = o->merge_unnamed,
		.root = root,
		.cache_dir = cache_dir,
		.include = o->include,
		.exclude = o->exclude,
		.print_symbols = o->print & PRINT_SYMBOLS ? stderr : NULL,
	};
}

static void make_rows(struct report *r, struct report_profile *p, struct notices *notices)
{
	const struct report_options *o = r->options;
	char *cache_dir = o->debug_info || o->inlines ? line_cache_dir() : NULL;
	struct populate_options how = populate_options(o, p->collection.root, cache_dir);
	struct arrangement *a = &p->collection.arrangement;
	struct population population;
	struct inversion inversion;

	rows_init(&p->rows, a->nr_classes);
	invert_arrangement(a, &inversion);
	if (o->print & PRINT_IMAGES)
		inversion_print(&inversion, stderr);
	if (!o->compat)
		fetch_debug_files(&inversion, p->collection.root, o->debug_info,
				  p->collection.finder, notices);
	populate(&inversion, &how, p->collection.finder, &p->rows, &population, notices);
	if (o->callgraph) {
		callgraph_make(a, &population, &how, p->collection.finder, &p->rows, &r->graph,
			       notices);
		if (!o->compat && !r->graph.has_calls)
			notice_add(notices, "no calls were recorded; record them with "
				   "opcontrol --callgraph=DEPTH or operf --callgraph");
	}
	free(cache_dir);
	missing_symbols_notices(&population, notices);
	r->nr_failed += population.nr_failed;
	population_free(&population);
	inversion_free(&inversion);
	if (o->print & PRINT_ROWS)
		rows_print(&p->rows, stderr);
	if (o->print & PRINT_CALLS)
		callgraph_print(&r->graph, &p->rows, stderr);
	rows_total(&p->rows);
	if (o->callgraph)
		callgraph_total(&how, &p->rows);
}

/* The original ignores the addresses below symbols. */
static bool has_wide_addresses(const struct row_list *rows, bool compat)
{
	for (size_t i = 0; i < rows->nr; i++) {
		const struct symbol_row *row = rows->rows[i];
		uint64_t last = row->nr_details ? row->details[row->nr_details - 1].vma : 0;

		if (row->vma > UINT32_MAX || (!compat && last > UINT32_MAX))
			return true;
	}
	return false;
}

/* XML is always sorted by application, then image. */
static struct sort_order order_of(const struct report_options *o)
{
	struct sort_order order = o->sort;
	bool has_vma;

	if (o->format == FORMAT_XML)
		sort_order_parse("app-name,image", &order, &has_vma, NULL);
	return order;
}

static int make_symbols(struct report *r, struct notices *notices, struct op_error *e)
{
	const struct report_options *o = r->options;
	struct sort_order order = order_of(o);
	struct row_list *rows = &shown(r)->rows;

	if (r->nr_profiles == 2) {
		int err = diff_check(&r->profiles[0].collection.arrangement,
				     &r->profiles[1].collection.arrangement, o->compat, e);

		if (err)
			return err;
	}
	for (size_t i = 0; i < r->nr_profiles; i++)
		make_rows(r, &r->profiles[i], notices);
	r->text.wide_addresses = has_wide_addresses(rows, o->compat);
	if (r->nr_profiles == 2)
		diff_rows(&r->profiles[0].rows, rows, o->compat);
	if (r->nr_profiles == 2 && o->threshold > 0)
		diff_threshold(rows, o->threshold, o->compat);
	else if (r->nr_profiles == 1 && !o->callgraph)
		rows_threshold(rows, o->threshold, is_first_class_only(r));
	sort_rows(rows, &order);
	if (o->callgraph) {
		struct populate_options how = populate_options(o, "", NULL);

		callgraph_follow(&r->graph, rows);
		callgraph_filter(&r->graph, rows, &how, o->threshold, is_first_class_only(r));
	}
	return 0;
}

static int make_stacks(struct report *r, struct notices *notices, struct op_error *e)
{
	const struct report_options *o = r->options;
	struct collection *c = &shown(r)->collection;
	char *cache_dir = o->inlines ? line_cache_dir() : NULL;
	const struct populate_options how = populate_options(o, c->root, cache_dir);
	const struct stacks_options what = {
		o->stacks, &o->specs[0], &how, o->exclude_dependent, o->threshold,
	};

	int err = stacks_make(c, &what, &r->stacks, notices, e);

	free(cache_dir);
	return err;
}

static struct timeline_text timeline_text(const struct report_options *o)
{
	return (struct timeline_text){
		.symbols = o->symbols, .utf8 = o->utf8, .width = o->width,
	};
}

static int make_timeline(struct report *r, struct notices *notices, struct op_error *e)
{
	const struct report_options *o = r->options;
	struct collection *c = &shown(r)->collection;
	char *cache_dir = o->inlines && o->symbols ? line_cache_dir() : NULL;
	const struct populate_options how = populate_options(o, c->root, cache_dir);
	const struct timeline_text text = timeline_text(o);
	const struct stacks_options what = {
		o->symbols ? STACKS_LEAVES : STACKS_LEAF_IMAGES, &o->specs[0], &how,
		o->exclude_dependent, o->threshold,
	};
	int err = timeline_make(c, &what, format_timeline_periods(&text), &r->timeline, notices, e);

	free(cache_dir);
	return err;
}

/* A timeline has a block of rows for each event; what else columns are for is added up. */
static struct merge merge_of(const struct report_options *o)
{
	struct merge merge = o->merge;

	if (o->timeline)
		merge.cpu = merge.tid = merge.tgid = merge.cgroup = true;
	return merge;
}

static int make_profiles(struct report *r, const char *session_dir, struct notices *notices,
			 struct op_error *e)
{
	const struct report_options *o = r->options;
	const struct merge merge = merge_of(o);
	int err = 0;

	r->nr_profiles = o->nr_specs == 2 ? 2 : 1;
	for (size_t i = 0; i < r->nr_profiles && !err; i++) {
		const struct collect_options what = {
			.session_dir = session_dir,
			.spec = &o->specs[i],
			.merge = &merge,
			.image_path = &o->image_path,
			.root = o->root,
			.exclude_dependent = o->exclude_dependent,
			.strict = o->strict,
			.any_axes = o->compat && o->format == FORMAT_XML,
			.separate_threads = o->separate_threads || o->compat,
			.want_arcs = o->callgraph,
			.print_files = o->print & PRINT_FILES,
			.print_classes = o->print & PRINT_CLASSES,
		};
		struct collection *c = &r->profiles[i].collection;

		err = collect(&what, c, notices, e);
		/* also if there is no report: losses may be the reason */
		data_quality_notices(&c->sessions, notices);
		if (o->callgraph && !o->compat)
			stack_notices(&c->sessions, notices);
		r->text.several_apps |= c->arrangement.nr_apps > 1;
	}
	return err;
}

static bool is_empty(const struct report *r)
{
	return r->options->symbols ? !shown(r)->rows.nr : !r->summary.nr;
}

/* Descriptions of events, if there is a table for the CPU. */
static void open_events(struct report *r)
{
	const struct sample_header *h = &shown(r)->collection.arrangement.classes[0].header;
	const struct cpu_type *type = cpu_type_by_number(h->cpu_type, h->version);

	if (!type || event_table_open(type, &r->events, NULL))
		r->events = NULL;
	r->text.events = r->events;
}

int report_make(const struct report_options *options, const char *session_dir, struct report **ret,
		struct notices *notices, struct op_error *e)
{
	struct report *r = xcalloc(1, sizeof(*r));
	int err;

	*ret = NULL;
	r->options = options;
	r->notices = notices;
	r->text = (struct text_options){
		.compat = options->compat,
		.no_header = options->no_header,
		.color = options->color,
		.long_names = options->long_names,
		.show_address = options->show_address,
		.show_lines = options->debug_info,
		.accumulated = options->accumulated,
		.global_percent = options->global_percent,
		.details = options->details,
		.differential = options->nr_specs == 2,
		.title = options->title,
		.ratios = &r->ratios,
	};
	if (options->format == FORMAT_XML && options->has_sort)
		notice_add(notices, "ignored --sort: XML is sorted by application, image and "
			   "samples");
	if (!options->symbols && !options->compat && options->has_sort &&
	    options->sort.keys[0] != SORT_SAMPLE)
		notice_add(notices, "ignored --sort: the summary is sorted by samples");
	err = ratios_parse(options->ratio, &r->ratios, e);
	if (!err)
		err = make_profiles(r, session_dir, notices, e);
	if (options->no_header || options->format == FORMAT_XML || options->format == FORMAT_CSV)
		for (size_t i = 0; i < r->nr_profiles; i++)
			multiplexed_notices(&r->profiles[i].collection.sessions, notices);
	if (!err)
		err = ratios_find(&r->ratios, &shown(r)->collection.arrangement, e);
	if (!err)
		open_events(r);
	if (!err && options->timeline) {
		err = make_timeline(r, notices, e);
	} else if (!err && options->stacks) {
		err = make_stacks(r, notices, e);
	} else if (!err && options->symbols) {
		err = make_symbols(r, notices, e);
	} else if (!err) {
		summary_make(&shown(r)->collection.arrangement, options->sort.reverse, &r->summary,
			     notices);
		summary_threshold(&r->summary, options->threshold, is_first_class_only(r));
		r->nr_failed = r->summary.nr_failed;
	}
	if (!err && r->nr_failed && (options->compat || is_empty(r)))
		err = op_error_set(e, -EPROTO, "cannot read %zu of the sample files",
				   r->nr_failed);
	r->is_header_only = err == -EPROTO && r->nr_failed && options->compat && options->symbols;
	if (err && !r->is_header_only) {
		report_free(r);
		return err;
	}
	*ret = r;
	return err;
}

static void print_xml(const struct report *r, FILE *out)
{
	const struct report_options *o = r->options;
	char *title = xasprintf("%s%s", o->title ? o->title : "", o->compat ? " " : "");
	struct xml_options how = {
		.compat = o->compat,
		.header_only = r->is_header_only,
		.details = o->details,
		.wide_addresses = r->text.wide_addresses,
		.events = r->events,
		.debug_info = o->debug_info,
		.exclude_dependent = o->exclude_dependent,
		.reverse = o->sort.reverse,
		.title = title,
		.arguments = o->arguments,
		.merge = o->merge_text,
		.image_path = o->image_path_text,
		.include = o->include_text,
		.exclude = o->exclude_text,
	};

	format_xml(&shown(r)->rows, o->callgraph ? &r->graph : NULL,
		   &shown(r)->collection.arrangement, &how, out);
	free(title);
}

static void print_json(const struct report *r, const struct session_list *const *sessions,
		       FILE *out)
{
	struct json_report report = {
		.command = r->options->title,
		.sessions = sessions,
		.nr_sessions = r->nr_profiles,
		.arrangement = &shown(r)->collection.arrangement,
		.notices = r->notices,
		.ratios = &r->ratios,
		.summary = r->options->symbols || r->options->stacks ? NULL : &r->summary,
		.rows = r->options->stacks ? &r->stacks.rows : &shown(r)->rows,
		.graph = r->options->callgraph ? &r->graph : NULL,
		.stacks = r->options->stacks ? &r->stacks : NULL,
	};

	format_json(&report, out);
}

static void print_timeline(const struct report *r, FILE *out)
{
	const struct timeline_text how = timeline_text(r->options);

	format_timeline(&r->timeline, &shown(r)->collection.arrangement, &how, &r->text, out);
}

static void print_text(const struct report *r, const struct session_list *const *sessions,
		       FILE *out)
{
	const struct arrangement *a = &shown(r)->collection.arrangement;

	if (r->options->stacks == STACKS_FOLDED) {
		format_folded(&r->stacks, out);
		return;
	}
	/* the original has the first profile's, and samples of the second */
	format_header(r->options->compat ? &r->profiles[0].collection.arrangement : a, sessions,
		      r->nr_profiles, &r->text, out);
	if (r->is_header_only)
		return;
	if (r->options->timeline)
		print_timeline(r, out);
	else if (r->options->stacks)
		format_stacks(&r->stacks, &r->text, out);
	else if (r->options->callgraph)
		format_callgraph(&r->graph, &shown(r)->rows, &r->text, out);
	else if (r->options->symbols)
		format_symbols(&shown(r)->rows, &r->text, out);
	else
		format_summary(&r->summary, a, &r->text, out);
}

void report_print(const struct report *r, FILE *out)
{
	const struct arrangement *a = &shown(r)->collection.arrangement;
	const struct session_list *sessions[2] = { &r->profiles[0].collection.sessions,
						   &r->profiles[1].collection.sessions };

	switch (r->options->format) {
	case FORMAT_TEXT:
		print_text(r, sessions, out);
		break;
	case FORMAT_XML:
		print_xml(r, out);
		break;
	case FORMAT_JSON:
		print_json(r, sessions, out);
		break;
	case FORMAT_CSV:
		if (r->options->stacks)
			format_csv_stacks(&r->stacks, a, &r->text, out);
		else if (r->options->symbols)
			format_csv_symbols(&shown(r)->rows, a, &r->text, out);
		else
			format_csv_summary(&r->summary, a, &r->text, out);
		break;
	}
}

void report_free(struct report *r)
{
	if (!r)
		return;
	stacks_free(&r->stacks);
	timeline_free(&r->timeline);
	callgraph_free(&r->graph);
	summary_free(&r->summary);
	event_table_free(r->events);
	ratios_free(&r->ratios);
	/* rows of the second may be in the memory of the first: pp/report/diff.h */
	for (size_t i = r->nr_profiles; i-- > 0;) {
		rows_free(&r->profiles[i].rows);
		collection_free(&r->profiles[i].collection);
	}
	free(r);
}

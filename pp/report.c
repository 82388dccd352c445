/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - a call per stage
 *
 *	spec -> file list -> arrange -> summary				opreport
 *				     -> invert -> populate -> sort	opreport -l
 *
 * then the formatters.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "collect.h"
#include "data_quality.h"
#include "format_text.h"
#include "invert.h"
#include "populate.h"
#include "summary.h"
#include "xalloc.h"

struct report {
	const struct report_options *options;
	struct collection collection;
	struct text_options text;
	struct summary summary;		/* one of these two */
	struct row_list rows;
};

/* The 0.9 reader looked at the first column only; its sample files say who wrote them [RP-8]. */
static bool first_class_only(const struct report *r)
{
	return r->options->compat &&
	       r->collection.arrangement.classes[0].header.version == SAMPLE_VERSION_099;
}

static void make_symbols(struct report *r, struct notices *notices)
{
	const struct report_options *o = r->options;
	struct populate_options how = {
		.compat = o->compat,
		.demangle = o->demangle,
		.lines = o->debug_info,
		.long_names = o->long_names,
		.root = o->root ? o->root : "",
		.include = o->include,
		.exclude = o->exclude,
		.print_symbols = o->print & PRINT_SYMBOLS ? stderr : NULL,
	};
	struct inversion inversion;

	rows_init(&r->rows, r->collection.arrangement.nr_classes);
	invert_arrangement(&r->collection.arrangement, &inversion);
	if (o->print & PRINT_IMAGES)
		inversion_print(&inversion, stderr);
	populate(&inversion, &how, r->collection.finder, &r->rows, notices);
	inversion_free(&inversion);
	if (o->print & PRINT_ROWS)
		rows_print(&r->rows, stderr);
	rows_total(&r->rows);
	for (size_t i = 0; i < r->rows.nr; i++)
		r->text.wide_addresses |= r->rows.rows[i]->vma > UINT32_MAX;
	rows_threshold(&r->rows, o->threshold, first_class_only(r));
	sort_rows(&r->rows, &o->sort);
}

int report_make(const struct report_options *options, const char *session_dir, struct report **ret,
		struct notices *notices, struct op_error *e)
{
	const struct collect_options what = {
		.session_dir = session_dir,
		.spec = &options->spec,
		.merge = &options->merge,
		.image_path = &options->image_path,
		.root = options->root,
		.exclude_dependent = options->exclude_dependent,
		.print_files = options->print & PRINT_FILES,
		.print_classes = options->print & PRINT_CLASSES,
	};
	struct report *r = xcalloc(1, sizeof(*r));
	int err;

	r->options = options;
	r->text = (struct text_options){
		.compat = options->compat,
		.no_header = options->no_header,
		.long_names = options->long_names,
		.show_address = options->show_address,
		.show_lines = options->debug_info,
		.accumulated = options->accumulated,
		.global_percent = options->global_percent,
	};
	err = collect(&what, &r->collection, notices, e);
	if (err) {
		report_free(r);
		return err;
	}
	r->text.several_apps = r->collection.arrangement.nr_apps > 1;
	data_quality_notices(&r->collection.sessions, notices);
	if (options->symbols) {
		make_symbols(r, notices);
	} else {
		summary_make(&r->collection.arrangement, options->sort.reverse, &r->summary, notices);
		summary_threshold(&r->summary, options->threshold, first_class_only(r));
	}
	*ret = r;
	return 0;
}

void report_print(const struct report *r, FILE *out)
{
	format_header(&r->collection.arrangement, &r->collection.sessions, &r->text, out);
	if (r->options->symbols)
		format_symbols(&r->rows, &r->text, out);
	else
		format_summary(&r->summary, &r->collection.arrangement, &r->text, out);
}

void report_free(struct report *r)
{
	if (!r)
		return;
	rows_free(&r->rows);
	summary_free(&r->summary);
	collection_free(&r->collection);
	free(r);
}

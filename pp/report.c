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

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data_quality.h"
#include "file_list.h"
#include "format_text.h"
#include "invert.h"
#include "populate.h"
#include "summary.h"
#include "xalloc.h"

struct report {
	const struct report_options *options;
	struct session_list sessions;
	struct finder *finder;
	struct image_set images;
	struct file_list files;
	struct arrangement arrangement;
	struct text_options text;
	struct summary summary;		/* one of these two */
	struct row_list rows;
};

static int nothing_matches(const struct report *r, struct op_error *e)
{
	char *what = file_list_what_exists(&r->sessions);

	if (!*what)
		op_error_set(e, -ENOENT, "session '%s' has no samples (opcontrol --dump writes out "
			     "what was collected); sessions are: %s", r->sessions.sessions[0].name,
			     r->sessions.existing);
	else
		op_error_set(e, -ENOENT, "nothing in session '%s' matches; it has %.400s",
			     r->sessions.sessions[0].name, what);
	free(what);
	return -ENOENT;
}

static int open_finder(struct report *r, struct op_error *e)
{
	const struct spec_list *list = &r->options->image_path;
	const char **paths = xcalloc(list->nr + 1, sizeof(*paths));
	int err;

	for (size_t i = 0; i < list->nr; i++)
		paths[i] = list->items[i].text;
	err = finder_new(r->options->root, paths, list->nr, &r->finder, e);
	free(paths);
	return err;
}

/* Which of the sample files, and in which columns. */
static int collect(struct report *r, const char *session_dir, struct notices *notices,
		   struct op_error *e)
{
	const struct report_options *o = r->options;
	int err = open_finder(r, e);

	if (!err)
		err = sessions_open(session_dir, &o->spec, &r->sessions, notices, e);
	if (!err)
		err = file_list_collect(&r->sessions, &o->spec,
					o->image_path.nr ? r->finder : NULL, &r->images, &r->files,
					notices, e);
	if (err)
		return err;
	if (o->print & PRINT_FILES)
		file_list_print(&r->files, stderr);
	if (!r->files.nr)
		return nothing_matches(r, e);
	err = arrange_files(&r->files, &o->merge, o->exclude_dependent, &r->arrangement, e);
	if (!err && o->print & PRINT_CLASSES)
		arrangement_print(&r->arrangement, stderr);
	if (!err && !r->arrangement.nr_files)
		return op_error_set(e, -ENOENT, "no samples in what was asked for");
	return err;
}

/* The 0.9 reader looked at the first column only; its sample files say who wrote them [RP-8]. */
static bool first_class_only(const struct report *r)
{
	return r->options->compat &&
	       r->arrangement.classes[0].header.version == SAMPLE_VERSION_099;
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

	rows_init(&r->rows, r->arrangement.nr_classes);
	invert_arrangement(&r->arrangement, &inversion);
	if (o->print & PRINT_IMAGES)
		inversion_print(&inversion, stderr);
	populate(&inversion, &how, r->finder, &r->rows, notices);
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
	err = collect(r, session_dir, notices, e);
	if (err) {
		report_free(r);
		return err;
	}
	r->text.several_apps = r->arrangement.nr_apps > 1;
	data_quality_notices(&r->sessions, notices);
	if (options->symbols) {
		make_symbols(r, notices);
	} else {
		summary_make(&r->arrangement, options->sort.reverse, &r->summary, notices);
		summary_threshold(&r->summary, options->threshold, first_class_only(r));
	}
	*ret = r;
	return 0;
}

void report_print(const struct report *r, FILE *out)
{
	format_header(&r->arrangement, &r->sessions, &r->text, out);
	if (r->options->symbols)
		format_symbols(&r->rows, &r->text, out);
	else
		format_summary(&r->summary, &r->arrangement, &r->text, out);
}

void report_free(struct report *r)
{
	if (!r)
		return;
	rows_free(&r->rows);
	summary_free(&r->summary);
	arrangement_free(&r->arrangement);
	file_list_free(&r->files);
	image_set_free(&r->images);
	sessions_close(&r->sessions);
	finder_free(r->finder);
	free(r);
}

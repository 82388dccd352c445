/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opdiff.c - show what changed between two profiles, beyond chance
 *
 *	spec -> file list -> arrange -> invert -> populate  of each,
 *	then diff -> compare -> a formatter
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events/cpu/type.h"
#include "events/data.h"
#include "libutil/message.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "pp/binary/line/cache.h"
#include "pp/cli/common_options.h"
#include "pp/cli/confine.h"
#include "pp/cli/output.h"
#include "pp/cli/terminal.h"
#include "pp/report/data_quality.h"
#include "pp/report/diff.h"
#include "pp/report/diff_options.h"
#include "pp/report/fetch_debug.h"
#include "pp/report/format/compare.h"
#include "pp/report/merge_anon.h"
#include "pp/report/missing_symbols.h"
#include "pp/report/populate.h"
#include "pp/report/summary.h"
#include "pp/select/collect.h"
#include "pp/select/invert.h"

#define STATUS_GREW	2	/* --fail-above */
#define GROWTH_NAMED	5	/* rows in its message */

struct diff_profile {
	struct collection collection;
	struct row_list rows;
	struct anon_images anon;
};

/* Rows are symbols. @notices names sample files that cannot be read. */
static void make_symbols(const struct diff_options *o, struct diff_profile *p,
			 struct notices *notices)
{
	char *cache_dir = o->inlines ? line_cache_dir() : NULL;
	struct populate_options how = {
		.demangle = o->demangle,
		.inlines = o->inlines,
		.cache_dir = cache_dir,
		.long_names = true,
		.merge_unnamed = o->merge_unnamed,
		.root = p->collection.root,
		.print_symbols = o->print & PRINT_SYMBOLS ? stderr : NULL,
	};
	struct population population;
	struct inversion inversion;

	invert_arrangement(&p->collection.arrangement, &inversion);
	if (o->print & PRINT_IMAGES)
		inversion_print(&inversion, stderr);
	fetch_debug_files(&inversion, p->collection.root, false, p->collection.finder,
			  notices);
	populate(&inversion, &how, p->collection.finder, &p->rows, &population, notices);
	missing_symbols_notices(&population, notices);
	population_free(&population);
	inversion_free(&inversion);
	free(cache_dir);
}

static void add_image(struct row_list *rows, const struct summary_row *part,
		      const struct report_image *app)
{
	struct symbol_row *row = rows_add(rows, part->image, app, part->image->name, 0);

	memcpy(row->counts, part->counts, rows->nr_classes * sizeof(*row->counts));
}

static void make_images(struct diff_profile *p, struct notices *notices)
{
	struct summary summary;

	summary_make(&p->collection.arrangement, false, &summary, notices);
	for (size_t i = 0; i < summary.nr; i++) {
		const struct summary_row *app = &summary.rows[i];

		if (!app->nr_parts)
			add_image(&p->rows, app, app->image);
		for (size_t k = 0; k < app->nr_parts; k++)
			add_image(&p->rows, &app->parts[k], app->image);
	}
	summary_free(&summary);
}

/* Processes and CPUs differ from run to run, so they are always added up [DS-1]. */
static int read_profile(const struct diff_options *o, const char *session_dir, size_t which,
			struct diff_profile *p, struct notices *notices, struct op_error *e)
{
	const struct merge merge = {
		.cpu = true, .tid = true, .tgid = true, .lib = !o->applications, .cgroup = true,
	};
	const struct collect_options what = {
		.session_dir = session_dir,
		.spec = &o->specs[which],
		.merge = &merge,
		.image_path = &o->image_path,
		.root = o->root,
		.unscaled = true,	/* scaled counts are not evidence [DS-2] */
		.print_files = o->print & PRINT_FILES,
		.print_classes = o->print & PRINT_CLASSES,
	};
	int err = collect(&what, &p->collection, notices, e);

	data_quality_notices(&p->collection.sessions, notices);
	return err;
}

static void make_rows(const struct diff_options *o, struct diff_profile *p, struct notices *notices)
{
	rows_init(&p->rows, p->collection.arrangement.nr_classes);
	if (o->images)
		make_images(p, notices);
	else
		make_symbols(o, p, notices);
	merge_anon(&p->rows, &p->anon);
	rows_total(&p->rows);
	if (o->print & PRINT_ROWS)
		rows_print(&p->rows, stderr);
}

static void print(const void *report, FILE *out)
{
	const struct compare_report *r = report;

	if (r->options->format == FORMAT_JSON)
		format_compare_json(r, out);
	else if (r->options->format == FORMAT_CSV)
		format_compare_csv(r, out);
	else
		format_compare_text(r, out);
}

static void print_notices(const struct diff_options *o, const struct notices *notices)
{
	if (o->print & PRINT_WARNINGS)
		report_notices(notices);
	else
		report_notices_briefly(notices);
}

/* Print the rows that changed and grew by more than --fail-above. Returns whether there are any. */
static bool report_growth(const struct compare_report *r)
{
	const struct diff_options *o = r->options;
	struct strbuf text = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < r->arrangement->nr_classes && o->fail_above >= 0; i++) {
		const struct comparison *c = &r->comparisons[i];

		for (size_t k = 0; k < c->nr; k++) {
			const struct compared_row *row = &c->rows[k];

			if (row->direction <= 0 || row->change <= o->fail_above)
				continue;
			if (nr++ < GROWTH_NAMED)
				strbuf_addf(&text, "%s%s +%.2f", text.len ? ", " : "", o->images
					    ? image_shown_name(row->row->image, o->long_names)
					    : row->row->shown, row->change);
		}
	}
	if (nr)
		report_error("%zu %s%s grew by more than %g %% of all samples: %s%s", nr,
			     o->images ? "image" : "symbol", nr == 1 ? "" : "s", o->fail_above,
			     text.text, nr > GROWTH_NAMED ? ", ..." : "");
	strbuf_free(&text);
	return nr;
}

static int compare_profiles(const struct diff_options *o, struct diff_profile profiles[2],
			    struct notices *notices)
{
	const struct arrangement *a = &profiles[1].collection.arrangement;
	const struct sample_header *h = &a->classes[0].header;
	const struct cpu_type *type = cpu_type_by_number(h->cpu_type, h->version);
	struct comparison *comparisons = xcalloc(a->nr_classes + 1, sizeof(*comparisons));
	struct event_table *events = NULL;
	struct compare_report report = {
		.options = o,
		.sessions = { &profiles[0].collection.sessions, &profiles[1].collection.sessions },
		.arrangement = a,
		.comparisons = comparisons,
		.notices = notices,
	};
	int status;

	for (size_t i = 0; i < 2; i++)
		make_rows(o, &profiles[i], notices);
	diff_rows(&profiles[0].rows, &profiles[1].rows, false);
	for (size_t i = 0; i < a->nr_classes; i++)
		comparison_make(&profiles[0].rows, &profiles[1].rows, i, &o->compare,
				&comparisons[i]);
	if (type && !event_table_open(type, &events, NULL))
		report.events = events;
	progress_end();
	print_notices(o, notices);
	status = output_write(o->output_file, o->format == FORMAT_TEXT, print, &report);
	if (!status && report_growth(&report))
		status = STATUS_GREW;
	event_table_free(events);
	for (size_t i = 0; i < a->nr_classes; i++)
		comparison_free(&comparisons[i]);
	free(comparisons);
	return status;
}

static int run(const void *p)
{
	const struct diff_options *o = p;
	bool is_archive = o->specs[0].archive && o->specs[1].archive;
	const char *dir = o->only_folders ? option_session_dir_quietly(o->session_dir, is_archive)
			: option_session_dir(o->session_dir, is_archive, "samples directory.");
	struct diff_profile profiles[2] = { 0 };
	struct notices notices = { 0 };
	struct op_error e = { "" };
	int err = 0, status = 1;

	for (size_t i = 0; i < 2 && !err; i++)
		err = read_profile(o, dir, i, &profiles[i], &notices, &e);
	if (!err)
		err = diff_check(&profiles[0].collection.arrangement,
				 &profiles[1].collection.arrangement, false, &e);
	if (!err)
		status = compare_profiles(o, profiles, &notices);
	if (err) {
		print_notices(o, &notices);
		report_error("%s", *e.text ? e.text : strerror(-err));
	}
	/* rows of the second may be in the memory of the first: pp/report/diff.h */
	for (size_t i = 2; i-- > 0;) {
		rows_free(&profiles[i].rows);
		anon_images_free(&profiles[i].anon);
		collection_free(&profiles[i].collection);
	}
	notices_free(&notices);
	return status;
}

int main(int argc, const char **argv)
{
	struct diff_options options;
	struct op_error e = { "" };
	int status = 0;

	if (diff_options_parse(argc, argv, &options, &e)) {
		report_error("%s", e.text);
		return 1;
	}
	if (options.asked != ASKED_WORK) {
		option_set_print(&diff_option_set, options.asked);
	} else {
		const struct confine_needs needs = {
			.outputs = { options.output_file },
			.line_cache = options.inlines,
			.pager = options.format == FORMAT_TEXT,
		};

		status = confine_and_run(&needs, run, &options);
	}
	diff_options_free(&options);
	return finish_output(status);
}

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
#include "libutil/clock.h"
#include "libutil/local_time.h"
#include "libutil/message.h"
#include "libutil/print_line.h"
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
#include "pp/report/watch.h"
#include "pp/select/collect.h"
#include "pp/select/invert.h"

#define STATUS_GREW	2	/* --fail-above, --watch */
#define STATUS_NO_DAY	3	/* --watch: no other day to compare with */
#define NS_PER_DAY	(86400 * (int64_t)NS_PER_SECOND)
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

/* *ret has one for each class; free_comparisons(). */
static void make_comparisons(const struct diff_options *o, struct diff_profile profiles[2],
			     struct comparison **ret, struct notices *notices)
{
	const size_t nr = profiles[1].collection.arrangement.nr_classes;

	*ret = xcalloc(nr + 1, sizeof(**ret));
	for (size_t i = 0; i < 2; i++)
		make_rows(o, &profiles[i], notices);
	diff_rows(&profiles[0].rows, &profiles[1].rows, false);
	for (size_t i = 0; i < nr; i++)
		comparison_make(&profiles[0].rows, &profiles[1].rows, i, &o->compare, &(*ret)[i]);
}

static void free_comparisons(struct comparison *comparisons, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		comparison_free(&comparisons[i]);
	free(comparisons);
}

/* Rows of the second may be in the memory of the first: pp/report/diff.h. */
static void free_profiles(struct diff_profile profiles[2])
{
	for (size_t i = 2; i-- > 0;) {
		rows_free(&profiles[i].rows);
		anon_images_free(&profiles[i].anon);
		collection_free(&profiles[i].collection);
	}
}

static int compare_profiles(const struct diff_options *o, struct diff_profile profiles[2],
			    struct notices *notices)
{
	const struct arrangement *a = &profiles[1].collection.arrangement;
	const struct sample_header *h = &a->classes[0].header;
	const struct cpu_type *type = cpu_type_by_number(h->cpu_type, h->version);
	struct event_table *events = NULL;
	struct comparison *comparisons;
	struct compare_report report = {
		.options = o,
		.sessions = { &profiles[0].collection.sessions, &profiles[1].collection.sessions },
		.arrangement = a,
		.notices = notices,
	};
	int status;

	make_comparisons(o, profiles, &comparisons, notices);
	report.comparisons = comparisons;
	if (type && !event_table_open(type, &events, NULL))
		report.events = events;
	progress_end();
	print_notices(o, notices);
	status = output_write(o->output_file, o->format == FORMAT_TEXT, print, &report);
	if (!status && report_growth(&report))
		status = STATUS_GREW;
	event_table_free(events);
	free_comparisons(comparisons, a->nr_classes);
	return status;
}

/* --- --watch --- */

struct watch_report {
	const struct diff_options *options;
	struct watch watch;
	char **classes;			/* titles */
	size_t nr_classes;
};

static void print_watch(const void *report, FILE *out)
{
	const struct watch_report *r = report;
	const struct time_range *hour = &r->options->specs[1].time;
	struct strbuf line = STRBUF_INIT;
	char from[32] = "?", to[32] = "?";

	local_time(hour->from_ns / (int64_t)NS_PER_SECOND, "%Y-%m-%d %H:%M", from, sizeof(from));
	local_time(hour->to_ns / (int64_t)NS_PER_SECOND, "%H:%M", to, sizeof(to));
	if (!r->options->no_header)
		fprintf(out, "%s to %s, compared with the same time of %u other day%s\n"
			"%zu %s%s grew beyond chance (%g %% confidence) against each of them\n",
			from, to, r->watch.nr_days, r->watch.nr_days == 1 ? "" : "s", r->watch.nr,
			r->options->images ? "image" : "symbol", r->watch.nr == 1 ? "" : "s",
			r->options->confidence);
	for (size_t i = 0; i < r->watch.nr; i++) {
		const struct watched_row *row = &r->watch.rows[i];

		if (!r->options->no_header && (!i || row[-1].class != row->class))
			fprintf(out, "%s\nnow %%     most %%    growth    image%s\n",
				r->classes[row->class],
				r->options->images ? "" : "                    symbol");
		strbuf_addf(&line, "%-8.4f  %-8.4f  %+-8.4f  ", row->now, row->most,
			    row->now - row->most);
		if (r->options->images)
			strbuf_add(&line, row->image);
		else
			strbuf_addf(&line, "%-24s %s", row->image, row->symbol);
		print_line(&line, out);
	}
	strbuf_free(&line);
}

static void take_titles(struct watch_report *r, const struct arrangement *a)
{
	r->classes = xcalloc(a->nr_classes + 1, sizeof(*r->classes));
	for (r->nr_classes = 0; r->nr_classes < a->nr_classes; r->nr_classes++)
		r->classes[r->nr_classes] = xstrdup(a->classes[r->nr_classes].title);
}

/* Compare with the same hour @day days ago, unless it has no samples or those of other events. */
static int watch_day(const struct diff_options *o, const char *dir, unsigned int day,
		     struct watch_report *r, struct op_error *e)
{
	struct diff_profile profiles[2] = { 0 };
	struct diff_options of_day = *o;
	struct comparison *comparisons;
	struct notices notices = { 0 };
	size_t nr;
	int err;

	of_day.specs[0].time.from_ns -= day * NS_PER_DAY;
	of_day.specs[0].time.to_ns -= day * NS_PER_DAY;
	err = read_profile(&of_day, dir, 0, &profiles[0], &notices, e);
	if (err) {
		free_profiles(profiles);
		notices_free(&notices);
		return err == -ENOENT ? 0 : err;
	}
	err = read_profile(&of_day, dir, 1, &profiles[1], &notices, e);
	nr = profiles[1].collection.arrangement.nr_classes;
	if (!err && !diff_check(&profiles[0].collection.arrangement,
				&profiles[1].collection.arrangement, false, NULL)) {
		make_comparisons(&of_day, profiles, &comparisons, &notices);
		if (!r->classes) {
			take_titles(r, &profiles[1].collection.arrangement);
			print_notices(o, &notices);
		}
		watch_add_day(&r->watch, comparisons, nr);
		free_comparisons(comparisons, nr);
	}
	free_profiles(profiles);
	notices_free(&notices);
	return err;
}

static int watch(const struct diff_options *o, const char *dir)
{
	struct watch_report r = { .options = o };
	struct op_error e = { "" };
	int err = 0, status = 1;

	for (unsigned int day = 1; day <= WATCH_DAYS && !err; day++)
		err = watch_day(o, dir, day, &r, &e);
	progress_end();
	watch_end(&r.watch, o->fail_above > 0 ? o->fail_above : 0);
	if (err) {
		report_error("%s", *e.text ? e.text : strerror(-err));
	} else if (!r.watch.nr_days) {
		report_error("the history in '%s' has no samples of this hour of the last %d days",
			     dir, WATCH_DAYS);
		status = STATUS_NO_DAY;
	} else {
		status = output_write(o->output_file, true, print_watch, &r);
	}
	if (!status && r.watch.nr)
		status = STATUS_GREW;
	for (size_t i = 0; i < r.nr_classes; i++)
		free(r.classes[i]);
	free(r.classes);
	watch_free(&r.watch);
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

	if (o->watch)
		return watch(o, dir);
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
	free_profiles(profiles);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.c - run the stages of a picture
 *
 *	spec -> file list -> arrange -> stacks, or rows if there are none -> tree, table
 *	     -> cut -> SVG
 *	     -> source lines -> JSON in a page
 */
#include "pp/picture/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/binary/line/cache.h"
#include "pp/cli/common_options.h"
#include "pp/cli/output.h"
#include "pp/picture/html.h"
#include "pp/picture/svg.h"
#include "pp/picture/tree.h"
#include "pp/report/data_quality.h"
#include "pp/report/diff.h"
#include "pp/report/fetch_debug.h"
#include "pp/report/missing_symbols.h"
#include "pp/report/populate.h"
#include "pp/report/summary.h"
#include "pp/select/collect.h"
#include "pp/select/event_scale.h"

#define MAX_CLASSES	32	/* in the page's menu */
#define HTML_NODES	50000
#define HEATMAP_NODES	6000	/* they have a number for each of its many cells */
#define HTML_ROWS	5000

struct picture_profile {
	struct collection collection;
	struct stack_report report;
	struct stack_list stacks;
	bool has_stacks;
	struct row_list rows;
	bool has_rows;
	size_t nr_failed;
};

struct maker {
	const struct report_options *options;
	struct notices *notices;
	char *cache_dir;		/* of inlined functions, or NULL */
	struct picture_profile profiles[2];
	size_t nr_profiles;
	char *title;
	struct picture picture;
	struct picture_sources sources;
	struct picture_times times;
	char **page;			/* where the page goes, or NULL: to its file */
	size_t *page_len;
};

/* --- reading --- */

static struct populate_options populate_options(const struct maker *m, const struct collection *c)
{
	return (struct populate_options){
		.demangle = m->options->demangle,
		.inlines = m->options->inlines,
		.cache_dir = m->cache_dir,
		.long_names = true,
		.merge_unnamed = m->options->merge_unnamed,
		.root = c->root,
	};
}

/* Processes are merged: there are too many of them, and other ones in another run [PI-3]. */
static int read_profile(struct maker *m, const char *session_dir, size_t i, struct op_error *e)
{
	const struct report_options *o = m->options;
	struct merge merge = o->merge;
	const struct collect_options what = {
		.session_dir = session_dir,
		.spec = &o->specs[i],
		.merge = &merge,
		.image_path = &o->image_path,
		.root = o->root,
		.exclude_dependent = o->exclude_dependent,
		.strict = o->strict,
		.print_files = o->print & PRINT_FILES,
		.print_classes = o->print & PRINT_CLASSES,
	};
	struct collection *c = &m->profiles[i].collection;
	int err;

	merge.cpu = merge.tid = merge.tgid = true;
	merge.cgroup |= m->nr_profiles == 2;
	err = collect(&what, c, m->notices, e);
	data_quality_notices(&c->sessions, m->notices);
	multiplexed_notices(&c->sessions, m->notices);
	return err;
}

static int check_classes(const struct maker *m, struct op_error *e)
{
	const struct arrangement *first = &m->profiles[0].collection.arrangement;
	const struct arrangement *last = &m->profiles[m->nr_profiles - 1].collection.arrangement;
	size_t nr = picture_nr_classes(last);

	if (nr > MAX_CLASSES)
		return op_error_set(e, -EINVAL, "too many events for a picture: %zu, the limit is "
				    "%d; select some with event:NAME", nr, MAX_CLASSES);
	return m->nr_profiles == 1 ? 0 : diff_check(first, last, false, e);
}

/* A range of the history has a time axis, if it has stacks. */
static bool has_times(const struct maker *m)
{
	return m->nr_profiles == 1 && m->options->specs[0].has_time;
}

/* Use the stacks of all profiles or of none: with and without stacks cannot be compared. */
static void read_stacks(struct maker *m)
{
	bool all = true;

	for (size_t i = 0; i < m->nr_profiles && all; i++) {
		struct picture_profile *p = &m->profiles[i];
		const struct populate_options how = populate_options(m, &p->collection);
		const struct stacks_options what = {
			STACKS_CALLERS, &m->options->specs[i], &how, m->options->exclude_dependent,
			0,
		};
		struct op_error e = { "" };
		int err;

		if (has_times(m))
			periods_prepare(&p->collection);
		err = stacks_read(&p->collection, &what, &p->report, &p->stacks, m->notices, &e);
		p->has_stacks = !err;
		all = p->has_stacks;
		if (err)
			notice_add(m->notices, "the picture shows images and functions without "
				   "callers: %s", e.text);
	}
	m->picture.has_stacks = all;
}

static void read_rows(struct maker *m, struct picture_profile *p)
{
	struct collection *c = &p->collection;
	const struct populate_options how = populate_options(m, c);
	struct population population;
	struct inversion inversion;

	rows_init(&p->rows, c->arrangement.nr_classes);
	p->has_rows = true;
	invert_arrangement(&c->arrangement, &inversion);
	fetch_debug_files(&inversion, c->root, false, c->finder, m->notices);
	populate(&inversion, &how, c->finder, &p->rows, &population, m->notices);
	missing_symbols_notices(&population, m->notices);
	p->nr_failed = population.nr_failed;
	population_free(&population);
	inversion_free(&inversion);
	rows_total(&p->rows);
}

static void add_samples(struct maker *m, size_t i)
{
	const struct arrangement *a = &m->profiles[i].collection.arrangement;
	struct summary summary;

	summary_make(a, false, &summary, m->notices);
	picture_add_samples(&m->picture, i, a, summary.totals);
	summary_free(&summary);
}

static int make_tree(struct maker *m, struct op_error *e)
{
	struct picture *p = &m->picture;
	bool has_stacks;
	uint64_t any = 0;

	picture_init(p, picture_nr_classes(&m->profiles[0].collection.arrangement),
		     m->nr_profiles);
	picture_titles(p, &m->profiles[m->nr_profiles - 1].collection.arrangement);
	read_stacks(m);
	has_stacks = p->has_stacks;
	for (size_t i = 0; i < m->nr_profiles; i++) {
		struct picture_profile *from = &m->profiles[i];
		const struct arrangement *a = &from->collection.arrangement;

		if (!has_stacks)
			read_rows(m, from);
		if (has_stacks)
			picture_add_stacks(p, i, a, &from->report, &from->stacks);
		else
			picture_add_rows(p, i, a, &from->rows);
		add_samples(m, i);
	}
	picture_sum(p);
	for (size_t v = 0; v < p->nr_values; v++)
		any |= p->totals[v];
	return any ? 0 : op_error_set(e, -ENOENT, "no samples to draw");
}

/* --- writing --- */

static struct picture_report report_of(const struct maker *m)
{
	const struct picture_profile *last = &m->profiles[m->nr_profiles - 1];

	return (struct picture_report){
		.title = m->title,
		.command = m->page ? NULL : m->options->title,
		.is_served = m->page,
		.sessions = { &m->profiles[0].collection.sessions,
			      &m->profiles[1].collection.sessions },
		.picture = &m->picture,
		.sources = &m->sources,
		.times = &m->times,
		.quality = &last->report.quality,
		.notices = m->notices,
	};
}

/* A device or a pipe cannot be replaced [PI-2]. */
static int write_file(const char *path, const char *text, size_t len, struct op_error *e)
{
	struct stat st;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return op_error_set(e, -EINVAL, "cannot write a picture to '%s': not a regular "
				    "file", path);
	return output_replace(path, text, len, e);
}

static int make_text(const struct maker *m,
		     void (*put)(const struct picture_report *report, FILE *out), char **ret,
		     size_t *ret_len)
{
	const struct picture_report report = report_of(m);
	FILE *out = open_memstream(ret, ret_len);
	int err = 0;

	if (!out)
		return -errno;
	put(&report, out);
	if (ferror(out))
		err = -ENOMEM;
	if (fclose(out))
		err = -errno;
	return err;
}

static int write_picture(const struct maker *m, const char *path,
			 void (*put)(const struct picture_report *report, FILE *out),
			 struct op_error *e)
{
	char *text = NULL;
	size_t len = 0;
	int err = make_text(m, put, &text, &len);

	if (err) {
		err = op_error_set(e, err, "cannot create '%s': %s", path, strerror(-err));
	} else if (m->page) {
		*m->page = text;
		*m->page_len = len;
		return 0;
	} else {
		err = write_file(path, text, len, e);
	}
	free(text);
	return err;
}

static double percent_of_pixels(double pixels)
{
	return 100 * pixels / PICTURE_SVG_WIDTH;
}

/* Unlike stacks, source lines may need debug files from a server. */
static void make_sources(struct maker *m)
{
	struct collection *c = &m->profiles[m->nr_profiles - 1].collection;
	const struct populate_options how = populate_options(m, c);
	struct inversion inversion;

	invert_arrangement(&c->arrangement, &inversion);
	fetch_debug_files(&inversion, c->root, true, c->finder, m->notices);
	inversion_free(&inversion);
	picture_sources_make(&m->picture, c, &how, &m->sources, m->notices);
}

static void make_times(struct maker *m)
{
	struct picture_profile *p = &m->profiles[0];

	if (has_times(m) && m->picture.has_stacks)
		picture_times_make(&m->picture, &p->collection, &m->options->specs[0].time,
				   &p->stacks, m->options->has_heatmap, &m->times, m->notices);
}

static char *title_of(const struct maker *m)
{
	const struct session_list *first = &m->profiles[0].collection.sessions;

	return m->nr_profiles == 1 ? sessions_title(first)
		: sessions_title_of_two(first, &m->profiles[1].collection.sessions);
}

/* The page comes first, because it keeps more nodes than the SVG. */
static int write_pictures(struct maker *m, struct op_error *e)
{
	const struct report_options *o = m->options;
	double least = o->threshold;
	int err = 0;

	if (o->has_heatmap && !m->picture.has_stacks)
		return op_error_set(e, -ENOENT, "the history has no call stacks, which a heat map "
				    "needs; record them with opcontrol --callgraph=DEPTH");
	m->title = title_of(m);
	if (o->html) {
		make_sources(m);
		m->picture.has_moves = has_times(m);
		picture_table(&m->picture, HTML_ROWS);
		picture_cut(&m->picture, o->has_heatmap ? HEATMAP_NODES : HTML_NODES, least);
		make_times(m);
		err = write_picture(m, o->html, picture_html, e);
	}
	if (!err && o->flamegraph) {
		double seen = percent_of_pixels(PICTURE_SVG_PIXELS);

		if (m->picture.nr_classes > 1)
			notice_add(m->notices, "the flame graph shows only %s; select another "
				   "event with event:NAME, or use --html",
				   m->picture.titles[picture_svg_class(&m->picture)]);
		picture_cut(&m->picture, PICTURE_SVG_NODES, least > seen ? least : seen);
		err = write_picture(m, o->flamegraph, picture_svg, e);
	}
	return err;
}

static void free_profile(struct picture_profile *p)
{
	if (p->has_stacks) {
		stack_list_free(&p->stacks);
		stacks_free(&p->report);
	}
	if (p->has_rows)
		rows_free(&p->rows);
	collection_free(&p->collection);
}

int picture_page(const struct report_options *options, const char *session_dir, char **ret,
		 size_t *ret_len, struct notices *notices, struct op_error *e)
{
	struct maker m = {
		.page = ret,
		.page_len = ret_len,
		.options = options,
		.notices = notices,
		.cache_dir = options->inlines ? line_cache_dir() : NULL,
		.nr_profiles = options->nr_specs == 2 ? 2 : 1,
	};
	size_t nr_failed = 0;
	int err = 0;

	for (size_t i = 0; i < m.nr_profiles && !err; i++)
		err = read_profile(&m, session_dir, i, e);
	if (!err)
		err = check_classes(&m, e);
	if (!err)
		err = make_tree(&m, e);
	for (size_t i = 0; i < 2; i++)
		nr_failed += m.profiles[i].nr_failed;
	if (err == -ENOENT && nr_failed)
		err = op_error_set(e, -EPROTO, "cannot read %zu of the sample files", nr_failed);
	if (!err)
		err = write_pictures(&m, e);
	picture_sources_free(&m.sources);
	picture_times_free(&m.times);
	picture_free(&m.picture);
	free(m.title);
	for (size_t i = 0; i < 2; i++)
		free_profile(&m.profiles[i]);
	free(m.cache_dir);
	return err;
}

int picture_make(const struct report_options *options, const char *session_dir,
		 struct notices *notices, struct op_error *e)
{
	return picture_page(options, session_dir, NULL, NULL, notices, e);
}

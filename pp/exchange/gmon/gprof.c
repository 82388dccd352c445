/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gprof.c - collect one image's samples and the calls within it, at linked addresses
 *
 * gprof credits code between two functions to the first one. Samples outside of functions are
 * therefore omitted and reported, instead of being credited to a neighbor.
 */
#include "pp/exchange/gmon/gprof.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/strbuf.h"
#include "libutil/xalloc.h"
#include "pp/binary/object_file.h"
#include "pp/cli/common_options.h"
#include "pp/exchange/gmon/gprof_calls.h"
#include "pp/report/data_quality.h"
#include "pp/report/fetch_debug.h"
#include "pp/report/populate.h"
#include "pp/select/collect.h"
#include "pp/select/invert.h"
#include "pp/select/samples.h"

#define NAMES_MAX 5	/* in a message */

struct work {
	const struct gprof_options *options;
	struct collection *collection;
	struct report_image *image;
	struct binary binary;
	uint64_t *symbol_counts;	/* of samples; the last one for those outside all symbols */
	uint64_t total, nr_outside, nr_outside_calls;
	struct gmon *gmon;
	struct notices *notices;
};

static int arrange(struct work *w, bool as_apps, struct op_error *e)
{
	const struct gprof_options *o = w->options;
	const struct arrange_options how = {
		.merge = { .cpu = !o->compat, .tid = !o->compat, .tgid = !o->compat,
			   .cgroup = true, .lib = as_apps },
		.exclude_dependent = !as_apps,
		.strict = true,
	};
	struct arrangement *a = &w->collection->arrangement;
	int err;

	arrangement_free(a);
	err = arrange_files(&w->collection->files, &how, a, w->notices, e);
	if (!err && o->print & PRINT_CLASSES)
		arrangement_print(a, stderr);
	if (!err && !a->nr_files)
		return op_error_set(e, -ENOENT, "no samples match");
	return err;
}

/*
 * Arrange an application's own samples; or, for an image that is not an application, such as a
 * library in a session with --separate=lib, its samples for all applications [GP-1].
 */
static int arrange_own(struct work *w, struct op_error *e)
{
	int err = arrange(w, false, e);

	return err == -ENOENT && !w->options->compat ? arrange(w, true, e) : err;
}

static int collect_files(const struct gprof_options *o, const char *session_dir,
			 struct collection *ret, struct notices *notices, struct op_error *e)
{
	const struct merge nothing = { 0 };
	const struct collect_options what = {
		.session_dir = session_dir,
		.spec = &o->spec,
		.merge = &nothing,
		.image_path = &o->image_path,
		.root = o->root,
		.files_only = true,
		.want_arcs = true,
		.print_files = o->print & PRINT_FILES,
	};

	return collect(&what, ret, notices, e);
}

static int set_error_several(const char *what, size_t nr, const struct strbuf *names,
			     const char *advice, struct op_error *e)
{
	return op_error_set(e, -EINVAL, "expected samples of one %s, got %zu (%.300s%s); %s", what,
			    nr, names->text, nr > NAMES_MAX ? ", ..." : "", advice);
}

static int check_one_class(const struct arrangement *a, struct op_error *e)
{
	struct strbuf names = STRBUF_INIT;
	int err;

	if (a->nr_classes == 1)
		return 0;
	for (size_t i = 0; i < a->nr_classes && i < NAMES_MAX; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", a->classes[i].title);
	err = set_error_several(a->axis == AXIS_EVENT ? "event" : "column", a->nr_classes, &names,
				"select one with event:, count:, unit-mask:, tgid:, tid: or cpu:",
				e);
	strbuf_free(&names);
	return err;
}

static int check_one_image(const struct inversion *inversion, struct op_error *e)
{
	struct strbuf names = STRBUF_INIT;
	int err;

	if (inversion->nr_images == 1)
		return 0;
	for (size_t i = 0; i < inversion->nr_images && i < NAMES_MAX; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", inversion->images[i].image->name);
	err = set_error_several("binary", inversion->nr_images, &names, "specify one", e);
	strbuf_free(&names);
	return err;
}

/* Open the binary, which determines the width of addresses in the gmon file. */
static int open_object(struct work *w, struct op_error *e)
{
	const struct report_image *image = w->image;
	struct object_file object;
	struct op_error why = { "" };
	int err;

	if (!image->found)
		return op_error_set(e, -ENOENT, image->is_ambiguous
				    ? "'%s': found several such files below --image-path"
				    : "cannot find '%s', which gprof needs; name a folder to "
				      "search with --image-path, or use --root", image->name);
	err = object_file_open(image->found, &object, &why);
	if (err)
		return op_error_set(e, err, "'%s': %s", image->found,
				    *why.text ? why.text : strerror(-err));
	w->gmon->is_64 = object.is_64;
	w->gmon->is_swapped = object.is_swapped;
	object_file_close(&object);
	return 0;
}

static int open_image(struct work *w, struct op_error *e)
{
	const struct arrangement *a = &w->collection->arrangement;
	/* like the original, gprof uses only .symtab, and ignores the sizes of functions */
	const struct populate_options how = { .compat = true, .root = w->collection->root };
	struct inverted_image inverted = { .image = w->image };
	int err;

	w->image->is_kernel |= a->classes[0].header.is_kernel;
	find_image(w->collection->finder, w->image, w->notices);
	err = open_object(w, e);
	if (err)
		return err;
	populate_open_image(&inverted, &how, w->collection->finder, &w->binary, w->notices);
	w->symbol_counts = xcalloc(w->binary.nr_symbols + 1, sizeof(*w->symbol_counts));
	if (w->binary.from == SYMBOLS_DEBUG_FILE)
		notice_add(w->notices, "'%s' is stripped; run gprof with its debug file '%s'",
			   w->image->found, w->binary.debug_path);
	else if (w->binary.from != SYMBOLS_TABLE)
		notice_add(w->notices, "'%s' is stripped: gprof will find no symbols",
			   w->image->found);
	return 0;
}

/*
 * The index of the symbol at @place, or nr_symbols. *ret_address: the linked address. False: the
 * place is outside all sections. In compatibility mode a binary without symbols is one symbol that
 * begins at the file's start.
 */
static bool look_up(const struct work *w, uint64_t place, size_t *ret_symbol,
		    uint64_t *ret_address)
{
	const struct binary *b = &w->binary;
	const struct code_section *section = binary_section(b, place);
	uint64_t id = row_id_of_place(b, place, true);

	*ret_symbol = b->nr_symbols;
	if (w->options->compat && !b->nr_symbols) {
		*ret_address = place;
		return true;
	}
	/* the original's last symbol reaches beyond its section */
	if (id < b->nr_symbols &&
	    (w->options->compat ||
	     (section && b->symbols[id].section == (size_t)(section - b->sections)))) {
		*ret_symbol = id;
		*ret_address = b->symbols[id].vma + (place - b->symbols[id].start);
		return true;
	}
	if (section)
		*ret_address = section->vma + (place - section->start);
	return section;
}

/* Whether the histogram has this symbol: a function above the threshold, or there are none. */
static bool is_shown(const struct work *w, size_t symbol)
{
	const struct binary *b = &w->binary;

	if (symbol == b->nr_symbols)
		return !b->nr_symbols;
	return w->symbol_counts[symbol] * 100.0 >= w->options->threshold * w->total;
}

static void read_samples(struct work *w, struct sample_list *samples, size_t *ret_nr_failed)
{
	const struct arrangement *a = &w->collection->arrangement;
	struct sample_header header;

	*ret_nr_failed = 0;
	for (size_t i = 0; i < a->nr_files; i++) {
		int err = samples_add_file(samples, &a->files[i], &header, w->notices);

		if (!err)
			populate_check_age(w->image, a->files[i].file, &header, w->notices);
		*ret_nr_failed += err && err != -ENODATA;
	}
	samples_sort(samples);
}

static void add_sample(struct gmon *g, uint64_t address, uint64_t count)
{
	struct gmon_sample *last = g->nr_samples ? &g->samples[g->nr_samples - 1] : NULL;

	if (last && last->address == address) {
		last->count += count;
		return;
	}
	xgrow(g->samples, g->nr_samples, g->samples_room);
	g->samples[g->nr_samples++] = (struct gmon_sample){ address, count };
}

static int compare_samples(const void *a, const void *b)
{
	const struct gmon_sample *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* The result is sorted, because sections may not be in the order of their addresses. */
static void fill_histogram(struct work *w, const struct sample_list *samples)
{
	uint64_t address;
	size_t symbol;

	for (size_t i = 0; i < samples->nr; i++) {
		const struct sample *s = &samples->samples[i];

		look_up(w, s->offset + w->binary.key_base, &symbol, &address);
		w->symbol_counts[symbol] += s->count;
		w->total += s->count;
	}
	for (size_t i = 0; i < samples->nr; i++) {
		const struct sample *s = &samples->samples[i];
		bool is_linked = look_up(w, s->offset + w->binary.key_base, &symbol, &address);

		if (is_linked && s->count && is_shown(w, symbol))
			add_sample(w->gmon, address, s->count);
		else if (!is_linked || symbol == w->binary.nr_symbols)
			w->nr_outside += s->count;
	}
	if (w->gmon->nr_samples)
		qsort(w->gmon->samples, w->gmon->nr_samples, sizeof(*w->gmon->samples),
		      compare_samples);
}

/* The caller's place is a return address; the call is before it. */
static void add_arc(struct work *w, const struct place_call *call)
{
	bool compat = w->options->compat;
	uint64_t from = call->from - (!compat && call->from), from_address, to_address;
	struct gmon *g = w->gmon;
	size_t caller, callee;

	if (!call->count || !look_up(w, from, &caller, &from_address) ||
	    !look_up(w, call->to, &callee, &to_address) ||
	    (!compat && w->binary.nr_symbols &&
	     (caller == w->binary.nr_symbols || callee == w->binary.nr_symbols))) {
		w->nr_outside_calls += call->count;
		return;
	}
	if (callee < w->binary.nr_symbols && !is_shown(w, callee))
		return;
	xgrow(g->arcs, g->nr_arcs, g->arcs_room);
	g->arcs[g->nr_arcs++] = (struct gmon_arc){ from_address, to_address, call->count };
}

/* The file cannot hold calls into and out of other images. */
static void fill_arcs(struct work *w)
{
	struct call_list list = { 0 };

	gprof_calls_read(&w->collection->arrangement, w->image, w->binary.key_base, &list,
			 w->notices);
	for (size_t i = 0; i < list.nr; i++)
		add_arc(w, &list.calls[i]);
	free(list.calls);
}

static int fill(struct work *w, struct op_error *e)
{
	struct sample_list samples = { 0 };
	struct op_error why = { "" };
	size_t nr_failed;
	int err = 0;

	read_samples(w, &samples, &nr_failed);
	fill_histogram(w, &samples);
	samples_free(&samples);
	if (nr_failed && (w->options->compat || !w->total))
		return op_error_set(e, -EPROTO, "cannot read %zu of the sample files", nr_failed);
	if (!w->gmon->nr_samples)
		return op_error_set(e, -ENOENT, w->nr_outside == w->total
				    ? "'%s' has no samples in functions"
				    : "no function of '%s' reaches the threshold",
				    w->image->name);
	err = gmon_check(w->gmon, &why);
	if (err)
		return op_error_set(e, err, "'%s': %s", w->image->found, why.text);
	fill_arcs(w);
	if (w->nr_outside)
		notice_add(w->notices, "%" PRIu64 " of %" PRIu64 " samples of '%s' omitted: they "
			   "are outside of functions, and gprof would credit them to a neighbor",
			   w->nr_outside, w->total, w->image->name);
	if (w->nr_outside_calls)
		notice_add(w->notices, "%" PRIu64 " calls within '%s' omitted: caller or callee is "
			   "outside of functions", w->nr_outside_calls, w->image->name);
	return 0;
}

static int make(struct work *w, struct op_error *e)
{
	struct inversion inversion;
	int err = arrange_own(w, e);

	if (!err)
		err = check_one_class(&w->collection->arrangement, e);
	if (err)
		return err;
	invert_arrangement(&w->collection->arrangement, &inversion);
	if (w->options->print & PRINT_IMAGES)
		inversion_print(&inversion, stderr);
	err = check_one_image(&inversion, e);
	if (!err && !w->options->compat)
		fetch_debug_files(&inversion, w->collection->root, false, w->collection->finder,
				  w->notices);
	w->image = inversion.images[0].image;
	inversion_free(&inversion);
	if (!err)
		err = open_image(w, e);
	if (err)
		return err;
	err = fill(w, e);
	binary_close(&w->binary);
	free(w->symbol_counts);
	return err;
}

int gprof_make_of(struct collection *c, const struct gprof_options *options,
		  struct gmon *ret, struct notices *notices, struct op_error *e)
{
	struct work w = { .options = options, .collection = c, .gmon = ret, .notices = notices };

	*ret = (struct gmon){ .compat = options->compat };
	return make(&w, e);
}

int gprof_make(const struct gprof_options *options, const char *session_dir,
	       struct gmon *ret, struct notices *notices, struct op_error *e)
{
	struct collection c;
	int err = collect_files(options, session_dir, &c, notices, e);

	*ret = (struct gmon){ .compat = options->compat };
	/* also after an error, because losses may be its cause */
	data_quality_notices(&c.sessions, notices);
	multiplexed_notices(&c.sessions, notices);
	if (!err)
		err = gprof_make_of(&c, options, ret, notices, e);
	collection_free(&c);
	return err;
}

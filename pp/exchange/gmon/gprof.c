/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gprof.c - one image's samples and the calls within it, at addresses as linked
 *
 * gprof gives whatever lies between two functions to the first of them. So what is in no
 * function is left out and told, instead of being credited to a neighbour.
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
	uint64_t *symbol_counts;	/* of samples; one more for what is in none */
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
		return op_error_set(e, -ENOENT, "no samples in what was asked for");
	return err;
}

/*
 * An application's own samples; of an image that nobody executes, such as a library where
 * libraries are kept apart, those on behalf of all applications [GP-1].
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

static int several(const char *what, size_t nr, const struct strbuf *names, const char *advice,
		   struct op_error *e)
{
	return op_error_set(e, -EINVAL, "gprof reads the samples of one %s, these are of %zu "
			    "(%.300s%s): %s", what, nr, names->text, nr > NAMES_MAX ? ", ..." : "",
			    advice);
}

static int check_one_class(const struct arrangement *a, struct op_error *e)
{
	struct strbuf names = STRBUF_INIT;
	int err;

	if (a->nr_classes == 1)
		return 0;
	for (size_t i = 0; i < a->nr_classes && i < NAMES_MAX; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", a->classes[i].title);
	err = several(a->axis == AXIS_EVENT ? "event" : "column", a->nr_classes, &names,
		      "choose one with event:, count:, unit-mask:, tgid:, tid: or cpu:", e);
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
	err = several("binary", inversion->nr_images, &names, "name one", e);
	strbuf_free(&names);
	return err;
}

/* What gprof will look into: it says how wide addresses are in its input. */
static int open_object(struct work *w, struct op_error *e)
{
	const struct report_image *image = w->image;
	struct object_file object;
	struct op_error why = { "" };
	int err;

	if (!image->found)
		return op_error_set(e, -ENOENT, image->is_ambiguous
				    ? "'%s' is more than one file below --image-path"
				    : "'%s' is not there: gprof needs the binary (elsewhere: "
				      "--root, --image-path)", image->name);
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
	/* gprof sees what the original did: .symtab, and not how long functions are */
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
		notice_add(w->notices, "the symbols of '%s' are in '%s': give gprof that file",
			   w->image->found, w->binary.debug_path);
	else if (w->binary.from != SYMBOLS_TABLE)
		notice_add(w->notices, "gprof will find no symbols in '%s': it is stripped",
			   w->image->found);
	return 0;
}

/*
 * The symbol that @place is in, as an index; nr_symbols where there is none. *ret_address is
 * the address as linked; false: it is in no section. To the original a binary without symbols
 * is one symbol from the file's start on.
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
	if (id < b->nr_symbols) {
		*ret_symbol = id;
		*ret_address = b->symbols[id].vma + (place - b->symbols[id].start);
		return true;
	}
	if (section)
		*ret_address = section->vma + (place - section->start);
	return section;
}

/* Is it what the histogram shows: in a function, or is there none at all? */
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

/* Sections need not be in the file in the order of their addresses. */
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

/* A caller's place is a return address; the call is before it. */
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

/* Calls into and out of other images have no place in the file. */
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
		return op_error_set(e, -EPROTO, "%zu of the sample files cannot be read",
				    nr_failed);
	if (!w->gmon->nr_samples)
		return op_error_set(e, -ENOENT, w->nr_outside == w->total
				    ? "'%s' has no samples in functions"
				    : "no function of '%s' has so large a share",
				    w->image->name);
	err = gmon_check(w->gmon, &why);
	if (err)
		return op_error_set(e, err, "'%s': %s", w->image->found, why.text);
	fill_arcs(w);
	if (w->nr_outside)
		notice_add(w->notices, "%" PRIu64 " of %" PRIu64 " samples of '%s' are in no "
			   "function: left out, gprof would credit them to a neighbour",
			   w->nr_outside, w->total, w->image->name);
	if (w->nr_outside_calls)
		notice_add(w->notices, "%" PRIu64 " calls within '%s' from or to outside every "
			   "function are left out", w->nr_outside_calls, w->image->name);
	return 0;
}

static int make(struct work *w, debug_server_progress progress, struct op_error *e)
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
				  progress, w->notices);
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
		  debug_server_progress progress, struct gmon *ret, struct notices *notices,
		  struct op_error *e)
{
	struct work w = { .options = options, .collection = c, .gmon = ret, .notices = notices };

	*ret = (struct gmon){ .compat = options->compat };
	return make(&w, progress, e);
}

int gprof_make(const struct gprof_options *options, const char *session_dir,
	       debug_server_progress progress, struct gmon *ret, struct notices *notices,
	       struct op_error *e)
{
	struct collection c;
	int err = collect_files(options, session_dir, &c, notices, e);

	*ret = (struct gmon){ .compat = options->compat };
	/* also if there is nothing to write: losses may be why */
	data_quality_notices(&c.sessions, notices);
	multiplexed_notices(&c.sessions, notices);
	if (!err)
		err = gprof_make_of(&c, options, progress, ret, notices, e);
	collection_free(&c);
	return err;
}

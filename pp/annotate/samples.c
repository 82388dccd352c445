/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.c - image by image, join samples with symbols and look up their lines
 *
 * All places of an image are looked up in one batch, in the order of the file.
 */
#include "pp/annotate/samples.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/progress.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"
#include "pp/annotate/kernel.h"
#include "pp/binary/demangle_name.h"
#include "pp/select/samples.h"

/* The current image. */
struct work {
	struct annotation *a;
	const struct inverted_image *inverted;
	const struct populate_options *options;
	struct binary binary;
	char *path;		/* of the binary's file, or NULL */
	char *no_lines;		/* the reason why there are no lines, or NULL */
	uint64_t *places;	/* of its symbols' starts and of its samples, ascending */
	size_t nr_places, room;
	size_t first_symbol;	/* of this image */
};

static bool list_has(const struct spec_list *list, const struct annotated_symbol *symbol)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->items[i].text, symbol->name) ||
		    !strcmp(list->items[i].text, symbol->shown))
			return true;
	return false;
}

static bool is_wanted(const struct populate_options *o, const struct annotated_symbol *symbol)
{
	return (!o->include.nr || list_has(&o->include, symbol)) && !list_has(&o->exclude, symbol);
}

static void add_place(struct work *w, uint64_t place)
{
	xgrow(w->places, w->nr_places, w->room);
	w->places[w->nr_places++] = place;
}

/* Append @width counts of 0 to an array that has @nr times as many; returns them. */
static uint64_t *add_counts(uint64_t **counts, size_t *room, size_t nr, size_t width)
{
	if ((nr + 1) * width > *room) {
		*room = (nr + 1) * width * 2;
		*counts = xrealloc_array(*counts, *room, sizeof(**counts));
	}
	memset(*counts + nr * width, 0, width * sizeof(**counts));
	return *counts + nr * width;
}

static struct annotated_symbol *add_symbol(struct work *w, const char *name, uint64_t vma,
					   uint64_t size, uint64_t place)
{
	struct annotation *a = w->a;
	struct annotated_symbol *s;

	add_counts(&a->symbol_counts, &a->symbol_counts_room, a->nr_symbols, a->nr_classes);
	xgrow(a->symbols, a->nr_symbols, a->symbols_room);
	s = &a->symbols[a->nr_symbols++];
	*s = (struct annotated_symbol){
		.image = w->inverted->image,
		.name = xstrdup(name),
		.vma = vma,
		.size = size,
		.has_symbols = true,
		.start = { vma, NO_FILE, 0 },
		.first = a->nr_samples,
	};
	s->shown = demangle_name(s->name, w->options->demangle);
	add_place(w, place);
	return s;
}

static void add_known_symbol(struct work *w, size_t i)
{
	const struct code_symbol *symbol = &w->binary.symbols[i];
	const struct code_section *section = binary_section(&w->binary, symbol->start);
	char *name = binary_symbol_name(&w->binary, i);
	struct annotated_symbol *s = add_symbol(w, name, symbol->vma,
						symbol->end - symbol->start, symbol->start);

	s->section = section ? xstrdup(section->name) : NULL;
	free(name);
}

/* Stands for the code between symbols @before and @before + 1 in the place's section. */
static void add_gap(struct work *w, size_t before, uint64_t place)
{
	const struct binary *b = &w->binary;
	const struct code_section *section = binary_section(b, place);
	struct annotated_symbol *s;
	uint64_t low, high;
	char *name;

	if (!section) {
		s = add_symbol(w, "[no section]", 0, 0, place);
		s->is_outside = true;
		return;
	}
	low = section->start;
	high = section->end;
	if (before != SIZE_MAX && b->symbols[before].end > low)
		low = b->symbols[before].end;
	if (before + 1 < b->nr_symbols && b->symbols[before + 1].start < high)
		high = b->symbols[before + 1].start;
	/* an image without any symbols is called by its own name [SY-4] */
	name = b->nr_symbols ? xasprintf("[%s]", section->name)
			     : xstrdup(w->inverted->image->name);
	s = add_symbol(w, name, section->vma + (low - section->start), high - low, place);
	s->is_outside = true;
	s->section = xstrdup(section->name);
	free(name);
}

/* The last symbol is complete: drop it if it is not wanted. */
static void end_symbol(struct work *w)
{
	struct annotation *a = w->a;
	struct annotated_symbol *s;

	if (a->nr_symbols == w->first_symbol)
		return;
	s = &a->symbols[a->nr_symbols - 1];
	s->nr = a->nr_samples - s->first;
	if (s->nr && is_wanted(w->options, s))
		return;
	w->nr_places -= s->nr + 1;
	a->nr_samples = s->first;
	annotated_symbol_free(s);
	a->nr_symbols--;
}

static void count_sample(struct work *w, uint64_t place, uint64_t vma, const struct sample *sample)
{
	struct annotation *a = w->a;
	struct annotated_symbol *s = &a->symbols[a->nr_symbols - 1];
	uint64_t *counts;

	if (a->nr_samples == s->first || a->samples[a->nr_samples - 1].vma != vma) {
		add_counts(&a->sample_counts, &a->sample_counts_room, a->nr_samples, a->nr_classes);
		xgrow(a->samples, a->nr_samples, a->samples_room);
		a->samples[a->nr_samples++] = (struct annotated_place){ vma, NO_FILE, 0 };
		add_place(w, place);
	}
	counts = a->sample_counts + (a->nr_samples - 1) * a->nr_classes;
	counts[sample->class] += sample->count;
	a->symbol_counts[(a->nr_symbols - 1) * a->nr_classes + sample->class] += sample->count;
}

/* Index of the last symbol from @from on that begins at or before @place; SIZE_MAX: none. */
static size_t last_symbol(const struct binary *b, size_t from, uint64_t place)
{
	size_t low = from == SIZE_MAX ? 0 : from;

	low += first_not(b->nr_symbols - low, i, b->symbols[low + i].start <= place);
	return low - 1;		/* of 0 symbols: SIZE_MAX */
}

static void walk_samples(struct work *w, const struct sample_list *samples)
{
	const struct binary *b = &w->binary;
	size_t at = SIZE_MAX, begun = SIZE_MAX, section_of_gap = SIZE_MAX;
	bool in_gap = false, is_open = false;
	uint64_t last = 0;

	for (size_t i = 0; i < samples->nr; i++) {
		const struct sample *s = &samples->samples[i];
		uint64_t place = s->offset + b->key_base, vma = place;
		const struct code_section *section;
		size_t section_index;
		bool is_inside;

		if (!s->count)
			continue;
		/* places ascend as keys do, except for invalid keys, which may wrap around */
		at = last_symbol(b, place < last ? SIZE_MAX : at, place);
		last = place;
		is_inside = at != SIZE_MAX && place < b->symbols[at].end;
		if (is_inside) {
			if (!is_open || in_gap || begun != at) {
				end_symbol(w);
				add_known_symbol(w, at);
			}
			vma = b->symbols[at].vma + (place - b->symbols[at].start);
		} else if (w->options->compat) {
			continue;
		} else {
			section = binary_section(b, place);
			section_index = section ? (size_t)(section - b->sections) : b->nr_sections;
			if (!is_open || !in_gap || begun != at || section_index != section_of_gap) {
				end_symbol(w);
				add_gap(w, at, place);
			}
			if (section)
				vma = section->vma + (place - section->start);
			section_of_gap = section_index;
		}
		in_gap = !is_inside;
		is_open = true;
		begun = at;
		count_sample(w, place, vma, s);
	}
	end_symbol(w);
}

/* Without symbols and sections, one symbol with the image's name has all samples [SY-4]. */
static void walk_without_symbols(struct work *w, const struct sample_list *samples)
{
	for (size_t i = 0; i < samples->nr; i++) {
		const struct sample *s = &samples->samples[i];
		const struct code_section *section;
		uint64_t vma = s->offset;

		if (!s->count)
			continue;
		if (w->a->nr_symbols == w->first_symbol)
			add_symbol(w, w->inverted->image->name, 0, UINT64_MAX,
				   s->offset)->has_symbols = false;
		section = binary_section(&w->binary, s->offset);
		if (section)
			vma = section->vma + (s->offset - section->start);
		count_sample(w, s->offset, vma, s);
	}
	end_symbol(w);
}

static void read_samples(struct work *w, struct sample_list *samples, struct notices *notices)
{
	const struct report_session *checked = NULL;
	struct sample_header header;
	uint64_t mtime = 0;

	for (size_t i = 0; i < w->inverted->nr_apps; i++) {
		const struct inverted_app *app = &w->inverted->apps[i];

		for (size_t j = 0; j < app->nr; j++) {
			const struct sample_file *file = app->files[j]->file;

			if (samples_add_file(samples, app->files[j], &header, notices))
				continue;
			if (!w->binary.files || !w->inverted->image->found ||
			    (file->session == checked && header.mtime == mtime))
				continue;
			populate_check_age(w->inverted->image, file, &header, notices);
			checked = file->session;
			mtime = header.mtime;
		}
	}
	samples_sort(samples);
}

static void set_lines(struct work *w, const struct line_place *lines)
{
	struct annotation *a = w->a;
	const char *last = NULL;	/* mostly the same text has the same pointer */
	size_t file = NO_FILE, at = 0;

	for (size_t i = w->first_symbol; i < a->nr_symbols; i++) {
		struct annotated_symbol *s = &a->symbols[i];

		for (size_t j = 0; j <= s->nr; j++, at++) {
			struct annotated_place *place =
				j ? &a->samples[s->first + j - 1] : &s->start;

			if (!lines[at].file)
				continue;
			if (lines[at].file != last) {
				last = lines[at].file;
				file = annotated_file_add(&a->files, last, w->options->compat);
			}
			place->file = file;
			place->line = lines[at].line;
		}
	}
}

static void find_lines(struct work *w, const struct line_options *options, struct notices *notices)
{
	struct line_binary *tables;
	struct op_error e = { "" };
	struct line_place *lines;
	char *complaint;
	int err;

	if (!w->binary.files)
		return;
	err = line_binary_open(&w->binary, w->path, options, &tables, &e);
	if (err) {
		w->no_lines = xstrdup(e.text);
		return;
	}
	lines = xcalloc(w->nr_places + 1, sizeof(*lines));
	line_binary_find(tables, w->places, w->nr_places, lines);
	set_lines(w, lines);
	w->a->nr_with_lines++;
	free(lines);
	complaint = line_binary_complaint(tables);
	if (complaint)
		notice_add(notices, "%s", complaint);
	free(complaint);
	line_binary_close(tables);
}

static void keep_image(struct work *w, bool with_binary)
{
	struct annotation *a = w->a;
	struct annotated_image *image;

	xgrow(a->images, a->nr_images, a->images_room);
	image = &a->images[a->nr_images++];
	*image = (struct annotated_image){
		.image = w->inverted->image,
		.first = w->first_symbol,
		.nr = a->nr_symbols - w->first_symbol,
		.no_lines = w->no_lines,
	};
	if (with_binary) {
		image->path = w->path;
		w->path = NULL;
		image->binary = w->binary;
		w->binary = (struct binary){ 0 };
	}
}

static void annotate_image(struct annotation *a, const struct inverted_image *inverted,
			   const struct populate_options *options, const struct line_options *lines,
			   struct finder *finder, struct kernel_files *kernels,
			   struct notices *notices)
{
	struct work w = { .a = a, .inverted = inverted, .options = options,
			  .first_symbol = a->nr_symbols };
	struct sample_list samples = { 0 };
	struct sample_header header;

	if (!sample_file_read_header(inverted->apps[0].files[0]->file, &header, NULL))
		inverted->image->is_kernel |= header.is_kernel;
	populate_open_image(inverted, options, finder, &w.binary, notices);
	if (!options->compat)
		kernel_files_open(kernels, inverted, &w.binary, &w.path, notices);
	if (!w.path && inverted->image->found)
		w.path = xstrdup(inverted->image->found);
	read_samples(&w, &samples, notices);
	if (w.binary.nr_symbols || (w.binary.nr_sections && !options->compat))
		walk_samples(&w, &samples);
	else
		walk_without_symbols(&w, &samples);
	if (a->nr_symbols > w.first_symbol) {
		if (lines)
			find_lines(&w, lines, notices);
		keep_image(&w, !lines);
	}
	samples_free(&samples);
	binary_close(&w.binary);
	free(w.path);
	free(w.places);
}

void annotate_samples(const struct inversion *inversion, size_t nr_classes,
		      const struct populate_options *options, const struct line_options *lines,
		      struct finder *finder, struct annotation *ret, struct notices *notices)
{
	struct kernel_files *kernels = kernel_files_new(options->root);
	struct annotation a = { .nr_classes = nr_classes };

	for (size_t i = 0; i < inversion->nr_images; i++) {
		progress_tell(NULL, i, inversion->nr_images, "images");
		annotate_image(&a, &inversion->images[i], options, lines, finder, kernels,
			       notices);
	}
	kernel_files_free(kernels);
	a.totals = xcalloc(nr_classes + 1, sizeof(*a.totals));
	for (size_t i = 0; i < a.nr_symbols; i++)
		for (size_t c = 0; c < nr_classes; c++)
			a.totals[c] += annotated_symbol_counts(&a, i)[c];
	*ret = a;
}

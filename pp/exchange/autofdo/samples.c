/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.c - make counts by source position from samples and stacks
 *
 *	images -> sorted addresses -> source positions
 *	samples -> counts of positions; callers and callees -> targets of calls
 */
#include "pp/exchange/autofdo/sample_pgo.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"
#include "pp/binary/debug_file.h"
#include "pp/exchange/autofdo/call_site.h"

#define ENTRY_BYTES	32	/* of a function's prologue, mostly one basic block [SG-5] */

/* A file with code; it may have been mapped several times. */
struct pgo_image {
	char *path, *debug_path, *looked;	/* debug_path NULL: skipped */
	struct object_file file;
	bool is_open;
	uint64_t *addresses;			/* as linked; sorted, each once */
	size_t nr, room;
	uint64_t *counts;			/* samples of each address */
	struct source_positions *positions;	/* or NULL */
};

struct work_place {
	uint64_t address;		/* as linked; 0: unknown */
	enum call_kind call;		/* of callers */
	uint64_t target;		/* of direct calls */
};

struct work {
	const struct profile *profile;
	const struct pgo_options *options;
	struct pgo_samples *samples;
	bool *is_used;			/* images with samples */
	bool *is_caller;		/* places that called others */
	uint32_t *image_of;		/* of the profile's image: index into samples->images, or
					 * PROFILE_NONE */
	struct work_place *places;
	uint64_t *own, *whole;		/* samples of each node */
};

static bool has_debug_info(const struct object_file *f)
{
	return object_section_find(f, ".debug_info") || object_section_find(f, ".zdebug_info");
}

/* Whether the file is the build that was profiled; true if a build-id is missing. */
static bool is_profiled_build(const struct object_file *f, const char *build_id)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	if (!*build_id || object_file_build_id(f, &id))
		return true;
	build_id_text(&id, text);
	return !strcmp(text, build_id);
}

static const char *root_of(const struct work *w)
{
	return w->options->collection ? w->options->collection->root : "";
}

/* The file that the exporter found, perhaps in an archive or below another root. */
static const char *file_of(const struct work *w, const char *path)
{
	const struct image_set *set;

	if (!w->options->collection)
		return path;
	set = &w->options->collection->images;
	for (size_t i = 0; i < set->nr; i++)
		if (set->images[i]->found && !strcmp(set->images[i]->path, path))
			return set->images[i]->found;
	return path;
}

static void open_image(struct work *w, struct pgo_image *image, const char *build_id)
{
	struct notices *notices = w->options->notices;
	const char *path = file_of(w, image->path);
	struct op_error e = { "" };
	struct object_file debug;

	if (object_file_open(path, &image->file, &e)) {
		notice_add(notices, "'%s' skipped: %s", image->path, e.text);
		return;
	}
	image->is_open = true;
	if (!is_profiled_build(&image->file, build_id))
		notice_add(notices, "'%s' skipped: not the build that was profiled", path);
	else if (has_debug_info(&image->file))
		image->debug_path = xstrdup(path);
	else if (!debug_file_open(&image->file, path, root_of(w), &debug, &image->debug_path,
				  &image->looked))
		object_file_close(&debug);
	else
		notice_add(notices, "'%s' skipped: no debug information; compile with -g", path);
}

/* The linked address of a file offset; 0: not in a code section. */
static uint64_t address_of(const struct pgo_image *image, uint64_t offset)
{
	for (size_t i = 0; i < image->file.nr_sections; i++) {
		const struct object_section *s = &image->file.sections[i];

		if (s->flags & SHF_EXECINSTR && offset - s->offset < s->size)
			return s->addr + (offset - s->offset);
	}
	return 0;
}

static struct pgo_image *image_by_path(struct pgo_samples *s, const char *path)
{
	for (size_t i = 0; i < s->nr_images; i++)
		if (!strcmp(s->images[i].path, path))
			return &s->images[i];
	return NULL;
}

static void open_images(struct work *w)
{
	const struct profile *p = w->profile;

	w->image_of = xcalloc(p->nr_images + 1, sizeof(*w->image_of));
	w->samples->images = xcalloc(p->nr_images + 1, sizeof(*w->samples->images));
	for (uint32_t i = 0; i < p->nr_images; i++) {
		const char *path = profile_text(p, p->images[i].path);
		struct pgo_image *image;

		w->image_of[i] = PROFILE_NONE;
		if (p->images[i].kind != PROFILE_FILE || *path != '/' || !w->is_used[i])
			continue;
		image = image_by_path(w->samples, path);
		if (!image) {
			image = &w->samples->images[w->samples->nr_images++];
			image->path = xstrdup(path);
			open_image(w, image, profile_text(p, p->images[i].build_id));
		}
		if (image->debug_path)
			w->image_of[i] = image - w->samples->images;
	}
}

/* The image of a place; NULL: without debug information. */
static struct pgo_image *image_at(const struct work *w, uint32_t place)
{
	uint32_t image = w->profile->places[place].image;

	image = image == PROFILE_NONE ? image : w->image_of[image];
	return image == PROFILE_NONE ? NULL : &w->samples->images[image];
}

static void add_address(struct pgo_image *image, uint64_t address)
{
	xgrow(image->addresses, image->nr, image->room);
	image->addresses[image->nr++] = address;
}

/* Find the kind and target of the call at a place. */
static void read_call(struct work *w, uint32_t place)
{
	const struct profile_place *at = &w->profile->places[place];
	const struct profile_image *mapped = &w->profile->images[at->image];
	struct pgo_image *image = image_at(w, place);
	struct work_place *known = &w->places[place];

	known->call = pgo_call_site(&image->file, profile_offset(mapped, at->address) + 1,
				    known->address + 1, &known->target);
	if (known->call == CALL_SITE_DIRECT)
		add_address(image, known->target);
}

static void read_places(struct work *w)
{
	const struct profile *p = w->profile;

	for (uint32_t i = 0; i < p->nr_places; i++) {
		struct pgo_image *image = image_at(w, i);

		if (!image)
			continue;
		w->places[i].address = address_of(image,
						  profile_offset(&p->images[p->places[i].image],
								 p->places[i].address));
		if (!w->places[i].address)
			continue;
		add_address(image, w->places[i].address);
		if (w->is_caller[i])
			read_call(w, i);
	}
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void find_positions(struct pgo_image *image, struct notices *notices)
{
	struct op_error e = { "" };
	size_t kept = 0;

	if (!image->nr)
		return;
	qsort(image->addresses, image->nr, sizeof(*image->addresses), compare_addresses);
	for (size_t i = 0; i < image->nr; i++)
		if (!kept || image->addresses[kept - 1] != image->addresses[i])
			image->addresses[kept++] = image->addresses[i];
	image->nr = kept;
	image->counts = xcalloc(kept, sizeof(*image->counts));
	if (source_positions_find(image->debug_path, image->addresses, kept, &image->positions,
				  &e))
		notice_add(notices, "'%s' skipped: %s", image->path, e.text);
}

/* The index of @address, or SIZE_MAX. */
static size_t address_index(const struct pgo_image *image, uint64_t address)
{
	const uint64_t *found = image->positions && address
			      ? bsearch(&address, image->addresses, image->nr,
					sizeof(address), compare_addresses) : NULL;

	return found ? (size_t)(found - image->addresses) : SIZE_MAX;
}

/* The frames at @address; returns their number. */
static size_t frames_at(const struct pgo_image *image, uint64_t address,
			const struct source_frame **ret)
{
	size_t i = address_index(image, address);

	return i == SIZE_MAX ? 0 : source_position(image->positions, i, ret);
}

/* Sum up the samples of each node, with and without its callees. */
static void sum_nodes(struct work *w)
{
	const struct profile *p = w->profile;

	w->own = xcalloc(p->tree.nr + 1, sizeof(*w->own));
	w->whole = xcalloc(p->tree.nr + 1, sizeof(*w->whole));
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		int64_t value = profile_values(p, i)[w->options->event];

		if (p->samples[i].node != PROFILE_NONE && value > 0)
			w->own[p->samples[i].node] += value;
	}
	for (uint32_t i = p->tree.nr; i--; ) {
		const struct call_node *n = &p->tree.nodes[i];

		w->whole[i] += w->own[i];
		if (n->parent != PROFILE_NONE)
			w->whole[n->parent] += w->whole[i];
		if (!w->whole[i])
			continue;
		if (p->places[n->key].image != PROFILE_NONE)
			w->is_used[p->places[n->key].image] = true;
		if (w->whole[i] > w->own[i])
			w->is_caller[n->key] = true;
	}
}

/* --- counts of positions and calls --- */

static struct pgo_position *position_of(struct work *w, const struct source_frame *frames,
					size_t nr)
{
	struct pgo_tree *t = &w->samples->tree;

	return pgo_position(t, pgo_tree_function(t, frames[nr - 1].function), frames, nr);
}

static void count_address(struct work *w, const struct pgo_image *image, size_t i)
{
	const struct source_frame *frames;
	size_t nr = source_position(image->positions, i, &frames);
	struct pgo_function *f;

	if (!nr || !image->counts[i])
		return;
	pgo_count(position_of(w, frames, nr), image->counts[i]);
	f = pgo_tree_function(&w->samples->tree, frames[nr - 1].function);
	if (image->addresses[i] - frames[nr - 1].low < ENTRY_BYTES && image->counts[i] > f->head)
		f->head = image->counts[i];
}

static void count_samples(struct work *w)
{
	for (uint32_t i = 0; i < w->profile->tree.nr; i++) {
		uint32_t place = w->profile->tree.nodes[i].key;
		struct pgo_image *image = w->own[i] ? image_at(w, place) : NULL;
		size_t at = image ? address_index(image, w->places[place].address) : SIZE_MAX;

		if (at != SIZE_MAX)
			image->counts[at] += w->own[i];
	}
	for (size_t i = 0; i < w->samples->nr_images; i++) {
		const struct pgo_image *image = &w->samples->images[i];

		for (size_t k = 0; image->positions && k < image->nr; k++)
			count_address(w, image, k);
	}
}

/* Samples of one address below one indirect call. */
struct nested {
	uint32_t caller, callee;	/* places */
	uint64_t count;
};

struct nested_list {
	struct nested *entries;
	size_t nr, room;
};

/*
 * The callee's name, or NULL if the caller did not call it. If the target of a direct call is
 * another function, that one jumped to the callee, or the stack lacks a frame [SG-6].
 */
static const char *callee_of(const struct work *w, uint32_t caller, uint32_t callee)
{
	const struct pgo_image *from = image_at(w, caller), *to = image_at(w, callee);
	const struct source_frame *frames, *target;
	size_t nr = to ? frames_at(to, w->places[callee].address, &frames) : 0, nr_target;

	if (!nr || w->places[caller].call == CALL_SITE_NONE)
		return NULL;
	if (w->places[caller].call == CALL_SITE_DIRECT) {
		nr_target = frames_at(from, w->places[caller].target, &target);
		if (nr_target &&
		    strcmp(target[nr_target - 1].function, frames[nr - 1].function))
			return NULL;
	}
	return frames[nr - 1].function;
}

static void count_call(struct work *w, uint32_t node, struct nested_list *nested)
{
	const struct call_node *n = &w->profile->tree.nodes[node];
	uint32_t caller = w->profile->tree.nodes[n->parent].key;
	const struct pgo_image *image = image_at(w, caller);
	const struct source_frame *frames;
	const char *callee;
	size_t nr = image ? frames_at(image, w->places[caller].address, &frames) : 0;

	if (!nr)
		return;
	callee = callee_of(w, caller, n->key);
	if (!callee)
		return;
	pgo_call(position_of(w, frames, nr), callee, w->whole[node]);
	if (w->own[node] && w->options->nest_indirect &&
	    w->places[caller].call == CALL_SITE_INDIRECT) {
		xgrow(nested->entries, nested->nr, nested->room);
		nested->entries[nested->nr++] =
			(struct nested){ caller, n->key, w->own[node] };
	}
}

static int compare_nested(const void *a, const void *b)
{
	const struct nested *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static void count_nested(struct work *w, const struct nested *n, uint64_t count)
{
	const struct source_frame *call, *frames;
	size_t nr_call = frames_at(image_at(w, n->caller), w->places[n->caller].address,
				    &call);
	size_t nr = frames_at(image_at(w, n->callee), w->places[n->callee].address, &frames);
	struct pgo_function *inlined = pgo_inlined(position_of(w, call, nr_call),
						   frames[nr - 1].function);

	pgo_count(pgo_position(&w->samples->tree, inlined, frames, nr), count);
}

static void count_calls(struct work *w)
{
	struct nested_list nested = { 0 };

	for (uint32_t i = 0; i < w->profile->tree.nr; i++)
		if (w->whole[i] && w->profile->tree.nodes[i].parent != PROFILE_NONE)
			count_call(w, i, &nested);
	if (nested.nr)
		qsort(nested.entries, nested.nr, sizeof(*nested.entries), compare_nested);
	for (size_t i = 0; i < nested.nr; ) {
		const struct nested *first = &nested.entries[i];
		uint64_t count = 0;

		for (; i < nested.nr && !compare_nested(&nested.entries[i], first); i++)
			count += nested.entries[i].count;
		count_nested(w, first, count);
	}
	free(nested.entries);
}

static bool has_positions(const struct pgo_samples *s)
{
	for (size_t i = 0; i < s->nr_images; i++)
		if (s->images[i].positions)
			return true;
	return false;
}

int pgo_samples_read(const struct profile *p, const struct pgo_options *options,
		     struct pgo_samples *ret, struct op_error *e)
{
	struct work w = { .profile = p, .options = options, .samples = ret };

	*ret = (struct pgo_samples){ .tree.discriminator = options->discriminator };
	w.is_used = xcalloc(p->nr_images + 1, sizeof(*w.is_used));
	w.is_caller = xcalloc(p->nr_places + 1, sizeof(*w.is_caller));
	w.places = xcalloc(p->nr_places + 1, sizeof(*w.places));
	sum_nodes(&w);
	open_images(&w);
	read_places(&w);
	for (size_t i = 0; i < ret->nr_images; i++)
		find_positions(&ret->images[i], options->notices);
	count_samples(&w);
	count_calls(&w);
	pgo_tree_sort(&ret->tree);
	free(w.is_used);
	free(w.is_caller);
	free(w.places);
	free(w.image_of);
	free(w.own);
	free(w.whole);
	if (has_positions(ret) && ret->tree.nr)
		return 0;
	pgo_samples_free(ret);
	return op_error_set(e, -EINVAL, "no samples in a program with debug information; compile "
			    "it with -g (clang: also -fdebug-info-for-profiling) and profile it "
			    "again");
}

void pgo_samples_free(struct pgo_samples *s)
{
	pgo_tree_free(&s->tree);
	for (size_t i = 0; i < s->nr_images; i++) {
		struct pgo_image *image = &s->images[i];

		if (image->is_open)
			object_file_close(&image->file);
		source_positions_free(image->positions);
		free(image->path);
		free(image->debug_path);
		free(image->looked);
		free(image->addresses);
		free(image->counts);
	}
	free(s->images);
	*s = (struct pgo_samples){ 0 };
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.c - from places and chains to counts by source position
 *
 *	images -> addresses of each, sorted -> their source positions
 *	samples -> counts of positions; who called whom -> targets of calls
 */
#include "pp/exchange/autofdo/sample_pgo.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/xalloc.h"
#include "pp/binary/debug_file.h"
#include "pp/exchange/autofdo/call_site.h"
#include "pp/exchange/autofdo/private.h"

static bool has_debug_info(const struct object_file *f)
{
	return object_section_find(f, ".debug_info") || object_section_find(f, ".zdebug_info");
}

/* Which build was profiled must be the one that is there. */
static bool is_that_build(const struct object_file *f, const char *build_id)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	if (!*build_id || object_file_build_id(f, &id))
		return true;
	build_id_text(&id, text);
	return !strcmp(text, build_id);
}

static const char *root_of(const struct pgo_work *w)
{
	return w->options->collection ? w->options->collection->root : "";
}

/* Where the exporter found it: in an archive, below another root. */
static const char *file_of(const struct pgo_work *w, const char *path)
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

static void open_image(struct pgo_work *w, struct pgo_image *image, const char *build_id)
{
	struct notices *notices = w->options->notices;
	const char *path = file_of(w, image->path);
	struct op_error e = { "" };
	struct object_file debug;

	if (object_file_open(path, &image->file, &e)) {
		notice_add(notices, "'%s' is left out: %s", image->path, e.text);
		return;
	}
	image->is_open = true;
	if (!is_that_build(&image->file, build_id))
		notice_add(notices, "'%s' is left out: it is not the build that was profiled",
			   path);
	else if (has_debug_info(&image->file))
		image->debug_path = xstrdup(path);
	else if (!debug_file_open(&image->file, path, root_of(w), &debug, &image->debug_path,
				  &image->looked))
		object_file_close(&debug);
	else
		notice_add(notices, "'%s' is left out: it has no debug information (compile with "
			   "-g)", path);
}

/* An address as linked, of an offset in the file; 0: it is in no code. */
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

static void open_images(struct pgo_work *w)
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

struct pgo_image *pgo_image_of(const struct pgo_work *w, uint32_t place)
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

/* Calls: what each place's callees are to be compared with. */
static void read_call(struct pgo_work *w, uint32_t place)
{
	const struct profile_place *at = &w->profile->places[place];
	const struct profile_image *mapped = &w->profile->images[at->image];
	struct pgo_image *image = pgo_image_of(w, place);
	struct pgo_place *known = &w->places[place];

	known->call = pgo_call_site(&image->file, profile_offset(mapped, at->address) + 1,
				    known->address + 1, &known->target);
	if (known->call == CALL_DIRECT)
		add_address(image, known->target);
}

static void read_places(struct pgo_work *w)
{
	const struct profile *p = w->profile;

	for (uint32_t i = 0; i < p->nr_places; i++) {
		struct pgo_image *image = pgo_image_of(w, i);

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
		notice_add(notices, "'%s' is left out: %s", image->path, e.text);
}

size_t pgo_index(const struct pgo_image *image, uint64_t address)
{
	const uint64_t *found = image->positions && address
			      ? bsearch(&address, image->addresses, image->nr,
					sizeof(address), compare_addresses) : NULL;

	return found ? (size_t)(found - image->addresses) : SIZE_MAX;
}

size_t pgo_frames(const struct pgo_image *image, uint64_t address,
		  const struct source_frame **ret)
{
	size_t i = pgo_index(image, address);

	return i == SIZE_MAX ? 0 : source_position(image->positions, i, ret);
}

/* Samples of each node, alone and with all that it called. */
static void sum_nodes(struct pgo_work *w)
{
	const struct profile *p = w->profile;

	w->own = xcalloc(p->nr_nodes + 1, sizeof(*w->own));
	w->whole = xcalloc(p->nr_nodes + 1, sizeof(*w->whole));
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		int64_t value = profile_values(p, i)[w->options->event];

		if (p->samples[i].node != PROFILE_NONE && value > 0)
			w->own[p->samples[i].node] += value;
	}
	for (uint32_t i = p->nr_nodes; i--; ) {
		const struct profile_node *n = &p->nodes[i];

		w->whole[i] += w->own[i];
		if (n->parent != PROFILE_NONE)
			w->whole[n->parent] += w->whole[i];
		if (!w->whole[i])
			continue;
		if (p->places[n->place].image != PROFILE_NONE)
			w->is_used[p->places[n->place].image] = true;
		if (w->whole[i] > w->own[i])
			w->is_caller[n->place] = true;
	}
}

static bool is_anything(const struct pgo_samples *s)
{
	for (size_t i = 0; i < s->nr_images; i++)
		if (s->images[i].positions)
			return true;
	return false;
}

int pgo_samples_read(const struct profile *p, const struct pgo_options *options,
		     struct pgo_samples *ret, struct op_error *e)
{
	struct pgo_work w = { .profile = p, .options = options, .samples = ret };

	*ret = (struct pgo_samples){ .tree.discriminator = options->discriminator };
	w.is_used = xcalloc(p->nr_images + 1, sizeof(*w.is_used));
	w.is_caller = xcalloc(p->nr_places + 1, sizeof(*w.is_caller));
	w.places = xcalloc(p->nr_places + 1, sizeof(*w.places));
	sum_nodes(&w);
	open_images(&w);
	read_places(&w);
	for (size_t i = 0; i < ret->nr_images; i++)
		find_positions(&ret->images[i], options->notices);
	pgo_count_samples(&w);
	pgo_count_calls(&w);
	pgo_tree_sort(&ret->tree);
	free(w.is_used);
	free(w.is_caller);
	free(w.places);
	free(w.image_of);
	free(w.own);
	free(w.whole);
	if (is_anything(ret) && ret->tree.nr)
		return 0;
	pgo_samples_free(ret);
	return op_error_set(e, -EINVAL, "no samples in a program that has debug information; "
			    "compile it with -g (clang: -fdebug-info-for-profiling too) and "
			    "profile it again");
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

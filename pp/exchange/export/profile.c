// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile.c - first what was sampled, then what it is called, then the profile
 *
 * Names and addresses are looked up image by image and in order, so all places are gathered first.
 */
#include "pp/exchange/export/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/stack/store.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"
#include "pp/report/populate.h"

#define FIRST_ADDRESS	(UINT64_C(1) << 32)	/* of images mapped we do not know where */

/* --- sessions that were profiles --- */

static void read_imported(struct export *x)
{
	const struct session_list *all = &x->collection->sessions;

	x->imported = xcalloc(all->nr + 1, sizeof(*x->imported));
	for (size_t i = 0; i < all->nr; i++) {
		char *stats = path_join(all->sessions[i].samples, "stats");
		struct op_error why = { "" };
		int err = imported_read(stats, &x->imported[i], &why);

		if (err && err != -ENOENT)
			notice_add(x->notices, "%s", why.text);
		free(stats);
	}
}

const struct imported *export_imported(const struct export *x, const struct report_session *s)
{
	return &x->imported[s - x->collection->sessions.sessions];
}

/* --- images --- */

/* What its sample files know of an image: that it is a kernel, how old its file was. */
static void look_at_samples(struct export *x, struct report_image *image)
{
	const struct file_list *files = &x->collection->files;

	for (size_t i = 0; i < files->nr; i++) {
		struct sample_header header;
		size_t size;

		if (files->files[i].image != image ||
		    sample_header_read(files->files[i].path, &header, &size, NULL))
			continue;
		image->is_kernel |= header.is_kernel;
		find_image(x->collection->finder, image, x->notices);
		if (image->found && image->kind == IMAGE_FILE)
			populate_check_age(image, &files->files[i], &header, x->notices);
		return;
	}
}

uint32_t export_image_get(struct export *x, struct report_image *image,
			  const struct report_session *session)
{
	const struct inverted_image inverted = {
		.image = image, .session = image->kind == IMAGE_KERNEL ? session : NULL,
	};
	struct notices unnamed = { 0 };		/* who wants no symbols misses none */
	struct export_image *i;

	for (size_t at = x->nr_images; at-- > 0;)
		if (x->images[at]->image == image && x->images[at]->session == inverted.session)
			return (uint32_t)at;
	look_at_samples(x, image);
	i = xcalloc(1, sizeof(*i));
	i->image = image;
	i->session = inverted.session;
	populate_open_image(&inverted, &x->populate, x->collection->finder, &i->binary,
			    x->options->symbols ? x->notices : &unnamed);
	notices_free(&unnamed);
	xgrow(x->images, x->nr_images, x->images_room);
	x->images[x->nr_images] = i;
	return (uint32_t)x->nr_images++;
}

/* --- places --- */

static uint32_t *place_slot(const struct export *x, uint32_t image, uint64_t place)
{
	size_t at = hash_mix(image, place) & (x->nr_slots - 1);

	for (; x->slots[at] != EXPORT_NONE; at = (at + 1) & (x->nr_slots - 1)) {
		const struct export_place *p = &x->places[x->slots[at]];

		if (p->place == place && p->image == image)
			break;
	}
	return &x->slots[at];
}

static void grow_slots(struct export *x)
{
	x->nr_slots = x->nr_slots ? 2 * x->nr_slots : 4096;
	free(x->slots);
	x->slots = xmalloc(x->nr_slots * sizeof(*x->slots));
	memset(x->slots, 0xff, x->nr_slots * sizeof(*x->slots));
	for (size_t i = 0; i < x->nr_places; i++)
		*place_slot(x, x->places[i].image, x->places[i].place) = (uint32_t)i;
}

uint32_t export_place(struct export *x, uint32_t image, uint64_t key, uint64_t anon_start)
{
	struct export_image *i = x->images[image];
	/* symbols of code made at run time are at addresses, its keys count from the mapping */
	uint64_t base = i->image->kind == IMAGE_JIT ? anon_start : i->binary.key_base;
	uint64_t place = key + base < key ? UINT64_MAX : key + base;
	uint32_t *slot;

	if (x->nr_places * 2 >= x->nr_slots)
		grow_slots(x);
	slot = place_slot(x, image, place);
	if (*slot == EXPORT_NONE) {
		xgrow(x->places, x->nr_places, x->places_room);
		x->places[x->nr_places] = (struct export_place){ place, image, EXPORT_NONE };
		*slot = (uint32_t)x->nr_places++;
		i->nr_places++;
	}
	return *slot;
}

uint32_t export_place_find(const struct export *x, uint32_t image, uint64_t key)
{
	return *place_slot(x, image, key + x->images[image]->binary.key_base);
}

uint32_t export_node_add(struct export *x, uint32_t parent, uint32_t place, uint32_t cut)
{
	xgrow(x->nodes, x->nr_nodes, x->nodes_room);
	x->nodes[x->nr_nodes] = (struct export_node){ parent, place, cut };
	return (uint32_t)x->nr_nodes++;
}

void export_sample_add(struct export *x, uint32_t node, uint32_t labels, uint32_t event,
		       uint64_t value)
{
	xgrow(x->samples, x->nr_samples, x->samples_room);
	x->samples[x->nr_samples++] = (struct export_sample){ value, node, labels, event };
}

/* Each image's places, in its order. */
static void sort_places(struct export *x)
{
	struct sample_list sorted = { .nr = x->nr_places, .room = x->nr_places };

	sorted.samples = xcalloc(x->nr_places + 1, sizeof(*sorted.samples));
	for (size_t i = 0; i < x->nr_places; i++)
		sorted.samples[i] = (struct sample){ x->places[i].place, i, 0 };
	samples_sort(&sorted);
	for (size_t i = 0; i < x->nr_images; i++) {
		x->images[i]->places = xcalloc(x->images[i]->nr_places + 1, sizeof(uint32_t));
		x->images[i]->nr_places = 0;
	}
	for (size_t i = 0; i < x->nr_places; i++) {
		uint32_t place = (uint32_t)sorted.samples[i].count;
		struct export_image *image = x->images[x->places[place].image];

		image->places[image->nr_places++] = place;
	}
	samples_free(&sorted);
}

static void make_places(struct export *x)
{
	uint64_t next_address = FIRST_ADDRESS;

	sort_places(x);
	for (size_t i = 0; i < x->nr_images; i++) {
		if (!x->images[i]->nr_places)
			continue;
		export_ranges(x, x->images[i], &next_address);
		export_symbols(x, x->images[i]);
	}
}

/* --- the profile --- */

/* Above a chain that was cut stands why [PF-6]. */
static uint32_t cut_place(struct profile *p, unsigned int kind)
{
	char *text = xasprintf("[%s]", stack_end_text(kind));
	struct profile_function function = { .name = profile_string(p, text) };
	struct profile_line line = { .line = 0 };

	function.system_name = function.name;
	line.function = profile_function(p, &function);
	free(text);
	return profile_place(p, PROFILE_NONE, 0, &line, 1);
}

static uint32_t make_node(struct export *x, const struct export_node *n, const uint32_t *made)
{
	uint32_t parent = n->parent == EXPORT_NONE ? PROFILE_NONE : made[n->parent];

	if (n->cut)
		return profile_node(x->profile, parent, cut_place(x->profile, n->cut - 1));
	if (n->place == EXPORT_NONE)
		return parent;
	return profile_node(x->profile, parent, x->places[n->place].made);
}

static void make_samples(struct export *x)
{
	uint32_t *made = xcalloc(x->nr_nodes + 1, sizeof(*made));

	for (size_t i = 0; i < x->nr_nodes; i++)
		made[i] = make_node(x, &x->nodes[i], made);
	for (size_t i = 0; i < x->nr_samples; i++) {
		const struct export_sample *s = &x->samples[i];

		profile_add_sample(x->profile, made[s->node], s->labels)[s->event] =
			s->value > INT64_MAX ? INT64_MAX : (int64_t)s->value;
	}
	free(made);
	profile_merge_samples(x->profile);
}

static void gather(struct export *x)
{
	const struct file_list *files = &x->collection->files;
	size_t end;

	for (size_t first = 0; first < files->nr; first = end) {
		const struct report_session *session = files->files[first].session;

		for (end = first; end < files->nr && files->files[end].session == session;)
			end++;
		export_chains(x, session, first, end);
	}
}

static void export_free(struct export *x)
{
	for (size_t i = 0; i < x->nr_images; i++) {
		binary_close(&x->images[i]->binary);
		free(x->images[i]->places);
		free(x->images[i]->ranges);
		free(x->images[i]);
	}
	for (size_t i = 0; i < x->collection->sessions.nr; i++)
		imported_free(&x->imported[i]);
	free(x->imported);
	free(x->images);
	free(x->places);
	free(x->slots);
	free(x->nodes);
	free(x->samples);
	free(x->file_events);
}

int export_profile(struct collection *c, const struct export_options *options,
		   struct profile **ret, struct notices *notices, struct op_error *e)
{
	struct export x = {
		.collection = c, .options = options, .notices = notices,
		.populate = { .demangle = options->demangle, .root = c->root,
			      .cache_dir = options->cache_dir },
		.profile = profile_new(),
	};
	struct profile *kept = NULL;
	int err = 0;

	read_imported(&x);
	export_events(&x);
	gather(&x);
	if (!x.nr_read) {
		err = op_error_set(e, -EIO, "none of the sample files could be read");
	} else if (!x.nr_samples) {
		err = op_error_set(e, -ENOENT, "no samples in what was asked for");
	} else {
		make_places(&x);
		make_samples(&x);
		export_about(&x);
		kept = export_kept(&x);
	}
	export_free(&x);
	if (kept) {
		profile_free(x.profile);
		x.profile = kept;
	}
	if (err)
		profile_free(x.profile);
	else
		*ret = x.profile;
	return err;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* names.c - convert a profile of addresses into one of function names */
#include "libsampler/build/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"

struct namer {
	const struct profile *p;
	struct profile *to;
	struct build_symbols **symbols;	/* of each image */
	uint32_t *images, *places, *nodes, *sets;	/* p's indices to those in @to */
};

static uint32_t copy_string(struct namer *n, uint32_t string)
{
	return profile_string(n->to, profile_text(n->p, string));
}

/* Segments of one file share its symbols. */
static struct build_symbols *symbols_of(struct namer *n, uint32_t image)
{
	const struct profile_image *i = &n->p->images[image];

	for (uint32_t k = 0; k < image; k++)
		if (n->p->images[k].path == i->path && n->p->images[k].build_id == i->build_id)
			return n->symbols[k];
	if (i->kind != PROFILE_FILE)
		return NULL;
	return build_symbols_open(profile_text(n->p, i->path), profile_text(n->p, i->build_id));
}

static bool is_own(const struct namer *n, uint32_t image)
{
	for (uint32_t k = 0; k < image; k++)
		if (n->symbols[k] == n->symbols[image])
			return false;
	return true;
}

static void copy_images(struct namer *n)
{
	for (uint32_t i = 0; i < n->p->nr_images; i++) {
		struct profile_image image = n->p->images[i];

		n->symbols[i] = symbols_of(n, i);
		image.path = copy_string(n, image.path);
		image.build_id = copy_string(n, image.build_id);
		n->images[i] = profile_add_image(n->to, &image);
	}
}

static uint32_t make_function(struct namer *n, const char *name)
{
	uint32_t id = profile_string(n->to, name);

	return profile_function(n->to, &(struct profile_function){ .name = id,
								   .system_name = id });
}

static uint32_t name_place(struct namer *n, const struct profile_place *at)
{
	const struct profile *p = n->p;
	const struct profile_image *image = at->image == PROFILE_NONE ? NULL
								      : &p->images[at->image];
	const char *name = NULL, *file;
	char *made;
	uint32_t function;

	if (at->lines)
		return make_function(n, profile_text(p, p->functions[p->lines[
				     p->line_lists[at->lines].first].function].name));
	if (image && n->symbols[at->image])
		name = build_symbols_find(n->symbols[at->image],
					  profile_offset(image, at->address));
	if (name)
		return make_function(n, name);
	file = image ? path_base(profile_text(p, image->path)) : "unknown";
	made = xasprintf("[%s+0x%" PRIx64 "]", *file ? file : "anon",
			 !image ? at->address : image->kind == PROFILE_FILE
			 ? profile_offset(image, at->address) : at->address - image->start);
	function = make_function(n, made);
	free(made);
	return function;
}

static void copy_stacks(struct namer *n)
{
	const struct profile *p = n->p;

	for (uint32_t i = 0; i < p->nr_places; i++) {
		const struct profile_place *at = &p->places[i];
		const struct profile_line line = { name_place(n, at), 0 };

		n->places[i] = profile_place(n->to, at->image == PROFILE_NONE
					     ? PROFILE_NONE : n->images[at->image],
					     at->address, &line, 1);
	}
	for (uint32_t i = 0; i < p->tree.nr; i++)
		n->nodes[i] = profile_node(n->to, p->tree.nodes[i].parent == PROFILE_NONE
					   ? PROFILE_NONE : n->nodes[p->tree.nodes[i].parent],
					   n->places[p->tree.nodes[i].key]);
}

static uint32_t copy_set(struct namer *n, uint32_t set)
{
	const struct profile_labels *from = &n->p->label_sets[set];
	struct profile_label *labels = xcalloc((size_t)from->nr + 1, sizeof(*labels));
	uint32_t id;

	for (uint32_t i = 0; i < from->nr; i++) {
		labels[i] = n->p->labels[from->first + i];
		labels[i].key = copy_string(n, labels[i].key);
		labels[i].text = copy_string(n, labels[i].text);
		labels[i].unit = copy_string(n, labels[i].unit);
	}
	id = profile_label_set(n->to, labels, from->nr);
	free(labels);
	return id;
}

static void copy_samples(struct namer *n)
{
	const struct profile *p = n->p;
	struct profile_event event = p->events[0];

	event.name = copy_string(n, event.name);
	event.unit = copy_string(n, event.unit);
	profile_add_event(n->to, &event);
	for (uint32_t i = 0; i < p->nr_label_sets; i++)
		n->sets[i] = copy_set(n, i);
	for (uint32_t i = 0; i < p->nr_samples; i++)
		profile_add_sample(n->to, n->nodes[p->samples[i].node],
				   n->sets[p->samples[i].labels])[0] = p->values[i];
}

struct profile *build_names(const struct profile *p)
{
	struct namer n = {
		.p = p, .to = profile_new(),
		.symbols = xcalloc((size_t)p->nr_images + 1, sizeof(*n.symbols)),
		.images = xcalloc((size_t)p->nr_images + 1, sizeof(*n.images)),
		.places = xcalloc((size_t)p->nr_places + 1, sizeof(*n.places)),
		.nodes = xcalloc((size_t)p->tree.nr + 1, sizeof(*n.nodes)),
		.sets = xcalloc(p->nr_label_sets, sizeof(*n.sets)),
	};

	copy_images(&n);
	copy_stacks(&n);
	copy_samples(&n);
	for (uint32_t i = p->nr_images; i-- > 0;)
		if (is_own(&n, i))
			build_symbols_free(n.symbols[i]);
	free(n.symbols);
	free(n.images);
	free(n.places);
	free(n.nodes);
	free(n.sets);
	return n.to;
}

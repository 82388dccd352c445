/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data.c - images, functions, processes and nodes, each once */
#include "pp/picture/data.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"

void picture_init(struct picture *p, size_t nr_classes, size_t nr_profiles)
{
	*p = (struct picture){
		.nr_classes = nr_classes,
		.nr_profiles = nr_profiles,
		.nr_values = nr_classes * nr_profiles,
	};
	p->titles = xcalloc(nr_classes + 1, sizeof(*p->titles));
	p->totals = xcalloc(p->nr_values + 1, sizeof(*p->totals));
	p->samples = xcalloc(p->nr_values + 1, sizeof(*p->samples));
	p->small_nodes = xcalloc(p->nr_values + 1, sizeof(*p->small_nodes));
	p->small_rows = xcalloc(p->nr_values + 1, sizeof(*p->small_rows));
}

void picture_free(struct picture *p)
{
	for (size_t i = 0; i < p->nr_images; i++) {
		free(p->images[i].shown);
		free(p->images[i].full);
		free(p->images[i].known_by);
	}
	for (size_t i = 0; i < p->nr_symbols; i++)
		free(p->symbols[i].name);
	for (size_t i = 0; i < p->nr_groups; i++)
		free(p->groups[i].cgroup);
	for (size_t i = 0; p->titles && i < p->nr_classes; i++)
		free(p->titles[i]);
	free(p->titles);
	free(p->images);
	free(p->symbols);
	free(p->groups);
	free(p->nodes);
	free(p->rows);
	free(p->self);
	free(p->all);
	free(p->row_counts);
	free(p->totals);
	free(p->samples);
	free(p->small_nodes);
	free(p->small_rows);
	free(p->by_image.slots);
	free(p->by_symbol.slots);
	free(p->by_group.slots);
	free(p->by_node.slots);
	*p = (struct picture){ 0 };
}

/* --- hash tables: what is in them is hashed again when they grow --- */

static uint64_t hash_of_image(const struct picture *p, uint32_t i)
{
	return hash_string(p->images[i].known_by);
}

static uint64_t hash_of_symbol(const struct picture *p, uint32_t i)
{
	return hash_mix(hash_string(p->symbols[i].name), p->symbols[i].image);
}

static uint64_t hash_of_group(const struct picture *p, uint32_t i)
{
	return hash_mix(hash_string(p->groups[i].cgroup), p->groups[i].app);
}

static uint64_t hash_of_node(const struct picture *p, uint32_t i)
{
	return hash_mix(p->nodes[i].parent, p->nodes[i].symbol);
}

/* The slot to look at first for @hash; room for one more is made before. */
static size_t index_start(struct picture *p, struct picture_index *index, uint64_t hash,
			  uint64_t (*hash_of)(const struct picture *p, uint32_t i))
{
	if (index->nr * 2 >= index->nr_slots) {
		index->nr_slots = index->nr_slots ? 2 * index->nr_slots : 1024;
		free(index->slots);
		index->slots = xcalloc(index->nr_slots, sizeof(*index->slots));
		for (size_t i = 0; i < index->nr; i++) {
			size_t at = hash_of(p, (uint32_t)i) & (index->nr_slots - 1);

			while (index->slots[at])
				at = (at + 1) & (index->nr_slots - 1);
			index->slots[at] = (uint32_t)i + 1;
		}
	}
	return hash & (index->nr_slots - 1);
}

static void index_add(struct picture_index *index, size_t at)
{
	index->slots[at] = (uint32_t)++index->nr;
}

/* --- images --- */

/* What is the same in another run: as pp/report/diff.c has it. */
static const char *known_by(const struct picture *p, const struct report_image *image)
{
	if (p->nr_profiles == 1)
		return image->name;
	return image->kind == IMAGE_ANON ? image->path
	     : image->kind == IMAGE_JIT ? "*.jo" : path_base(image->name);
}

uint32_t picture_image(struct picture *p, const struct report_image *image)
{
	const char *name;
	size_t at;

	if (!image)
		return PICTURE_NONE;
	name = known_by(p, image);
	at = index_start(p, &p->by_image, hash_string(name), hash_of_image);
	for (; p->by_image.slots[at]; at = (at + 1) & (p->by_image.nr_slots - 1))
		if (!strcmp(p->images[p->by_image.slots[at] - 1].known_by, name))
			return p->by_image.slots[at] - 1;
	xgrow(p->images, p->nr_images, p->images_room);
	p->images[p->nr_images++] = (struct picture_image){
		xstrdup(image_shown_name(image, false)), xstrdup(image_shown_name(image, true)),
		xstrdup(name),
	};
	index_add(&p->by_image, at);
	return (uint32_t)p->nr_images - 1;
}

/* --- functions --- */

uint32_t picture_special(struct picture *p, const char *name, uint32_t image,
			 enum picture_kind kind)
{
	size_t at = index_start(p, &p->by_symbol, hash_mix(hash_string(name), image),
				hash_of_symbol);

	for (; p->by_symbol.slots[at]; at = (at + 1) & (p->by_symbol.nr_slots - 1)) {
		const struct picture_symbol *s = &p->symbols[p->by_symbol.slots[at] - 1];

		if (s->image == image && s->kind == kind && !strcmp(s->name, name))
			return p->by_symbol.slots[at] - 1;
	}
	xgrow(p->symbols, p->nr_symbols, p->symbols_room);
	p->symbols[p->nr_symbols++] = (struct picture_symbol){ xstrdup(name), image, kind };
	index_add(&p->by_symbol, at);
	return (uint32_t)p->nr_symbols - 1;
}

static enum picture_kind kind_of(const struct report_image *image)
{
	if (!image)
		return PICTURE_END;
	if (image->is_kernel || image->kind == IMAGE_KERNEL)
		return PICTURE_KERNEL;
	if (image->kind == IMAGE_ANON || image->kind == IMAGE_JIT)
		return PICTURE_RUNTIME;
	return strstr(path_base(image->name), ".so") ? PICTURE_LIBRARY : PICTURE_PROGRAM;
}

uint32_t picture_symbol(struct picture *p, const char *name, const struct report_image *image)
{
	/* what has no symbols is named by its path, which may be another one in another run */
	if (image && !strcmp(name, image->name))
		name = image_shown_name(image, false);
	return picture_special(p, name, picture_image(p, image), kind_of(image));
}

/* --- nodes --- */

static uint32_t node_add(struct picture *p, uint32_t parent, uint32_t symbol)
{
	uint32_t node = (uint32_t)p->nr_nodes;

	xgrow(p->nodes, p->nr_nodes, p->nodes_room);
	p->nodes[p->nr_nodes++] = (struct picture_node){ parent, symbol, 0, 0 };
	if (parent != PICTURE_NONE) {
		p->nodes[node].next = p->nodes[parent].first;
		p->nodes[parent].first = node;
	}
	if (p->self_room < p->nodes_room) {
		p->self_room = p->nodes_room;
		p->self = xrealloc_array(p->self, p->self_room * p->nr_values, sizeof(*p->self));
	}
	memset(picture_self(p, node), 0, p->nr_values * sizeof(*p->self));
	return node;
}

uint32_t picture_child(struct picture *p, uint32_t parent, uint32_t symbol)
{
	size_t at = index_start(p, &p->by_node, hash_mix(parent, symbol), hash_of_node);

	for (; p->by_node.slots[at]; at = (at + 1) & (p->by_node.nr_slots - 1)) {
		const struct picture_node *n = &p->nodes[p->by_node.slots[at] - 1];

		if (n->parent == parent && n->symbol == symbol)
			return p->by_node.slots[at] - 1;
	}
	index_add(&p->by_node, at);
	return node_add(p, parent, symbol);
}

static uint32_t group_of(struct picture *p, uint32_t app, const char *cgroup)
{
	size_t at = index_start(p, &p->by_group, hash_mix(hash_string(cgroup), app),
				hash_of_group);

	for (; p->by_group.slots[at]; at = (at + 1) & (p->by_group.nr_slots - 1)) {
		const struct picture_group *g = &p->groups[p->by_group.slots[at] - 1];

		if (g->app == app && !strcmp(g->cgroup, cgroup))
			return p->by_group.slots[at] - 1;
	}
	xgrow(p->groups, p->nr_groups, p->groups_room);
	p->groups[p->nr_groups++] = (struct picture_group){ app, xstrdup(cgroup), false };
	index_add(&p->by_group, at);
	return (uint32_t)p->nr_groups - 1;
}

uint32_t picture_root(struct picture *p, const struct report_image *app, const char *cgroup)
{
	return picture_child(p, PICTURE_NONE, group_of(p, picture_image(p, app), cgroup));
}

/* --- sums --- */

void picture_sum(struct picture *p)
{
	free(p->all);
	p->all = xcalloc(p->nr_nodes * p->nr_values + 1, sizeof(*p->all));
	memcpy(p->all, p->self, p->nr_nodes * p->nr_values * sizeof(*p->all));
	memset(p->totals, 0, p->nr_values * sizeof(*p->totals));
	for (size_t i = p->nr_nodes; i-- > 0;) {
		uint32_t parent = p->nodes[i].parent;
		uint64_t *into = parent == PICTURE_NONE ? p->totals : picture_all(p, parent);

		for (size_t v = 0; v < p->nr_values; v++)
			picture_add(&into[v], picture_all(p, (uint32_t)i)[v]);
	}
}

double picture_share(const struct picture *p, const uint64_t *counts)
{
	double largest = 0;

	for (size_t v = 0; v < p->nr_values; v++) {
		double share = p->totals[v] ? (double)counts[v] / (double)p->totals[v] : 0;

		largest = share > largest ? share : largest;
	}
	return largest;
}

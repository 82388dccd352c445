/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data.c - add images, functions, processes and nodes, each once */
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
	call_tree_free(&p->tree);
	free(p->rows);
	free(p->moved);
	free(p->self);
	free(p->all);
	free(p->row_counts);
	free(p->totals);
	free(p->samples);
	free(p->small_nodes);
	free(p->small_rows);
	hash_table_free(&p->by_image);
	hash_table_free(&p->by_symbol);
	hash_table_free(&p->by_group);
	*p = (struct picture){ 0 };
}

/* --- images --- */

/* The name by which an image is found in another run, as in pp/report/diff.c. */
static const char *known_by(const struct picture *p, const struct report_image *image)
{
	return p->nr_profiles == 1 ? image->name : image_common_name(image);
}

static bool is_image(const void *picture, uint32_t id, const void *name)
{
	return !strcmp(((const struct picture *)picture)->images[id].known_by, name);
}

uint32_t picture_image(struct picture *p, const struct report_image *image)
{
	const char *name;
	uint64_t hash;
	uint32_t id;

	if (!image)
		return PICTURE_NONE;
	name = known_by(p, image);
	hash = hash_string(name);
	id = hash_table_find(&p->by_image, hash, is_image, p, name);
	if (id != HASH_NONE)
		return id;
	xgrow(p->images, p->nr_images, p->images_room);
	id = (uint32_t)p->nr_images++;
	p->images[id] = (struct picture_image){
		xstrdup(image_shown_name(image, false)), xstrdup(image_shown_name(image, true)),
		xstrdup(name),
	};
	hash_table_add(&p->by_image, hash, id);
	return id;
}

/* --- functions --- */

static bool is_symbol(const void *picture, uint32_t id, const void *key)
{
	const struct picture_symbol *s = &((const struct picture *)picture)->symbols[id];
	const struct picture_symbol *wanted = key;

	return s->image == wanted->image && s->kind == wanted->kind &&
	       !strcmp(s->name, wanted->name);
}

uint32_t picture_special(struct picture *p, const char *name, uint32_t image,
			 enum picture_kind kind)
{
	const struct picture_symbol wanted = { (char *)name, image, kind };
	uint64_t hash = hash_mix(hash_string(name), image);
	uint32_t id = hash_table_find(&p->by_symbol, hash, is_symbol, p, &wanted);

	if (id != HASH_NONE)
		return id;
	xgrow(p->symbols, p->nr_symbols, p->symbols_room);
	id = (uint32_t)p->nr_symbols++;
	p->symbols[id] = (struct picture_symbol){ xstrdup(name), image, kind };
	hash_table_add(&p->by_symbol, hash, id);
	return id;
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
	/* an image without symbols is named by its path, which another run may not have */
	if (image && !strcmp(name, image->name))
		name = image_shown_name(image, false);
	return picture_special(p, name, picture_image(p, image), kind_of(image));
}

/* --- nodes --- */

uint32_t picture_child(struct picture *p, uint32_t parent, uint32_t key)
{
	uint32_t node = call_tree_node(&p->tree, parent, key);

	if (p->self_room < p->tree.room) {
		size_t old = p->self_room * p->nr_values, new = p->tree.room * p->nr_values;

		p->self = xrealloc_array(p->self, new, sizeof(*p->self));
		memset(p->self + old, 0, (new - old) * sizeof(*p->self));
		p->self_room = p->tree.room;
	}
	return node;
}

static bool is_group(const void *picture, uint32_t id, const void *key)
{
	const struct picture_group *g = &((const struct picture *)picture)->groups[id];
	const struct picture_group *wanted = key;

	return g->app == wanted->app && !strcmp(g->cgroup, wanted->cgroup);
}

static uint32_t group_of(struct picture *p, uint32_t app, const char *cgroup)
{
	const struct picture_group wanted = { app, (char *)cgroup, false };
	uint64_t hash = hash_mix(hash_string(cgroup), app);
	uint32_t id = hash_table_find(&p->by_group, hash, is_group, p, &wanted);

	if (id != HASH_NONE)
		return id;
	xgrow(p->groups, p->nr_groups, p->groups_room);
	id = (uint32_t)p->nr_groups++;
	p->groups[id] = (struct picture_group){ app, xstrdup(cgroup), false };
	hash_table_add(&p->by_group, hash, id);
	return id;
}

uint32_t picture_root(struct picture *p, const struct report_image *app, const char *cgroup)
{
	return picture_child(p, PICTURE_NONE, group_of(p, picture_image(p, app), cgroup));
}

/* --- sums --- */

void picture_sum(struct picture *p)
{
	free(p->all);
	p->all = xcalloc(p->tree.nr * p->nr_values + 1, sizeof(*p->all));
	if (p->tree.nr)
		memcpy(p->all, p->self, p->tree.nr * p->nr_values * sizeof(*p->all));
	memset(p->totals, 0, p->nr_values * sizeof(*p->totals));
	call_tree_sum(&p->tree, p->all, p->nr_values, p->totals);
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

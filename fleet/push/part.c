// SPDX-License-Identifier: GPL-2.0-or-later
/* part.c - copy what the samples of a part refer to, and nothing else */
#include "fleet/push/part.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/file/gzip_write.h"
#include "formats/profile/saturate.h"
#include "formats/proto/proto.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"

struct copier {
	const struct push_batch *b;
	const struct profile *from;
	struct profile *to;
	uint32_t *images, *functions, *places, *nodes;	/* @to's of @from's */
	uint32_t *sets;			/* @to's of series */
	uint32_t *path;			/* room for nodes of a stack */
	bool by_function;
};

static uint32_t *new_map(size_t nr)
{
	uint32_t *map = xmalloc((nr + 1) * sizeof(*map));

	memset(map, 0xff, (nr + 1) * sizeof(*map));
	return map;
}

static uint32_t copy_string(const struct copier *c, uint32_t string)
{
	return profile_string(c->to, profile_text(c->from, string));
}

static uint32_t copy_image(const struct copier *c, uint32_t image)
{
	struct profile_image copy;

	if (image == PROFILE_NONE)
		return PROFILE_NONE;
	if (c->images[image] == PROFILE_NONE) {
		copy = c->from->images[image];
		copy.path = copy_string(c, copy.path);
		copy.build_id = copy_string(c, copy.build_id);
		c->images[image] = profile_add_image(c->to, &copy);
	}
	return c->images[image];
}

static uint32_t copy_function(const struct copier *c, uint32_t function)
{
	struct profile_function f;

	if (c->functions[function] == PROFILE_NONE) {
		f = c->from->functions[function];
		f.name = copy_string(c, f.name);
		f.system_name = c->by_function ? 0 : copy_string(c, f.system_name);
		f.file = copy_string(c, f.file);
		c->functions[function] = profile_function(c->to, &f);
	}
	return c->functions[function];
}

static uint32_t copy_place(const struct copier *c, uint32_t index)
{
	const struct profile_place *place = &c->from->places[index];
	const struct profile_line_list list = c->from->line_lists[place->lines];
	struct profile_line *lines;

	if (c->places[index] != PROFILE_NONE)
		return c->places[index];
	lines = xcalloc(list.nr + 1, sizeof(*lines));
	for (uint32_t i = 0; i < list.nr; i++) {
		const struct profile_line *line = &c->from->lines[list.first + i];

		lines[i] = (struct profile_line){ copy_function(c, line->function), line->line };
	}
	c->places[index] = profile_place(c->to, copy_image(c, place->image),
					 c->by_function && list.nr ? 0 : place->address, lines,
					 list.nr);
	free(lines);
	return c->places[index];
}

/* Callers come first. A node's own index is kept until its caller has been copied. */
static uint32_t copy_node(const struct copier *c, uint32_t node)
{
	uint32_t parent;
	size_t nr = 0;

	while (node != PROFILE_NONE && c->nodes[node] == PROFILE_NONE && nr < PROFILE_FRAMES_MAX) {
		c->path[nr++] = node;
		node = c->from->tree.nodes[node].parent;
	}
	parent = node == PROFILE_NONE ? PROFILE_NONE : c->nodes[node];
	while (nr--) {
		parent = profile_node(c->to, parent,
				      copy_place(c, c->from->tree.nodes[c->path[nr]].key));
		c->nodes[c->path[nr]] = parent;
	}
	return parent;
}

static uint32_t label_set(const struct copier *c, uint32_t series)
{
	const struct push_labels *l = &c->b->series[series];
	struct profile_label *labels;

	if (c->sets[series] != PROFILE_NONE)
		return c->sets[series];
	labels = xcalloc(l->nr + 1, sizeof(*labels));
	for (size_t i = 0; i < l->nr; i++)
		labels[i] = (struct profile_label){
			.key = profile_string(c->to, l->list[i].name),
			.text = profile_string(c->to, l->list[i].value) };
	c->sets[series] = profile_label_set(c->to, labels, (uint32_t)l->nr);
	free(labels);
	return c->sets[series];
}

/*
 * The samples in the order of a walk through the tree: stacks that share their callers follow each
 * other, so that they are packed well. Malloc'd; the lower half of each is the index of a sample.
 */
static uint64_t *walk(const struct profile *p)
{
	uint32_t *sizes = xcalloc(p->tree.nr + 1, sizeof(*sizes));	/* with all below */
	uint32_t *ends = xcalloc(p->tree.nr + 1, sizeof(*ends));	/* so far, in the walk */
	uint64_t *samples = xcalloc((size_t)p->nr_samples + 1, sizeof(*samples));
	uint32_t end = 0;

	for (size_t i = p->tree.nr; i-- > 0;) {	/* callers come first */
		uint32_t parent = p->tree.nodes[i].parent;

		sizes[i]++;
		if (parent != PROFILE_NONE)
			sizes[parent] += sizes[i];
	}
	for (size_t i = 0; i < p->tree.nr; i++) {
		uint32_t parent = p->tree.nodes[i].parent;
		uint32_t *at = parent == PROFILE_NONE ? &end : &ends[parent];

		ends[i] = *at + 1;
		*at += sizes[i];
	}
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t node = p->samples[i].node;
		uint64_t begin = node == PROFILE_NONE ? 0 : ends[node] - sizes[node] + 1;

		samples[i] = begin << 32 | i;
	}
	qsort(samples, p->nr_samples, sizeof(*samples), compare_u64);
	free(sizes);
	free(ends);
	return samples;
}

static void copy_samples(const struct copier *c, uint32_t event, uint32_t series,
			 uint64_t *ret_samples)
{
	bool all = series == PUSH_ALL_SERIES;
	uint64_t *order = walk(c->from);
	int64_t total = 0;

	for (uint32_t k = 0; k < c->from->nr_samples; k++) {
		uint32_t i = (uint32_t)order[k];
		int64_t value = profile_values(c->from, i)[event];
		uint32_t set, node;

		if (!value || (!all && c->b->series_of[i] != series))
			continue;
		set = all ? label_set(c, c->b->series_of[i]) : 0;
		node = copy_node(c, c->from->samples[i].node);
		*profile_add_sample(c->to, node, set) = value;
		total = add_saturated(total, value);
	}
	free(order);
	*ret_samples = c->from->events[event].period && total > 0 ? (uint64_t)total : 0;
}

struct profile *push_part_profile(const struct push_batch *b, uint32_t event, uint32_t series,
				  bool by_function, uint64_t *ret_samples)
{
	struct copier c = { .b = b, .from = b->profile, .to = profile_new(),
			    .by_function = by_function };
	struct profile_event e = c.from->events[event];

	c.images = new_map(c.from->nr_images);
	c.functions = new_map(c.from->nr_functions);
	c.places = new_map(c.from->nr_places);
	c.nodes = new_map(c.from->tree.nr);
	c.sets = new_map(b->nr_series);
	c.path = xmalloc(PROFILE_FRAMES_MAX * sizeof(*c.path));
	e.name = copy_string(&c, e.name);
	e.unit = copy_string(&c, e.unit);
	profile_add_event(c.to, &e);
	copy_samples(&c, event, series, ret_samples);
	free(c.images);
	free(c.functions);
	free(c.places);
	free(c.nodes);
	free(c.sets);
	free(c.path);
	if (!c.to->nr_samples) {
		profile_free(c.to);
		return NULL;
	}
	c.to->start_ns = b->slice->begin_ns;
	c.to->duration_ns = b->slice->end_ns - b->slice->begin_ns;
	profile_merge_samples(c.to);
	return c.to;
}

int push_part_proto(const struct profile *p, unsigned char **ret, size_t *ret_size,
		    struct op_error *e)
{
	const struct format_write_options options = { .pid = "", .small = true };
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, ret_size);
	int err;

	if (!out)
		return op_error_set(e, -errno, "%s", strerror(errno));
	err = proto_write(p, &options, out, e);
	if (fclose(out) && !err)
		err = op_error_set(e, -ENOMEM, "%s", strerror(ENOMEM));
	if (err) {
		free(bytes);
		return err;
	}
	*ret = (unsigned char *)bytes;
	return 0;
}

int push_part_pack(const void *bytes, size_t n, struct push_part *ret, struct op_error *e)
{
	char *packed = NULL;
	size_t size;
	FILE *out = open_memstream(&packed, &size);
	struct gzip_writer *gzip = out ? gzip_writer_new(out, true) : NULL;

	if (gzip) {
		gzip_write(gzip, bytes, n);
		gzip_writer_end(gzip);
	}
	if (!out || fclose(out) || !gzip) {
		free(packed);
		return op_error_set(e, -ENOMEM, "%s", strerror(ENOMEM));
	}
	ret->bytes = (unsigned char *)packed;
	ret->size = size;
	return 0;
}

char *push_event_name(const struct profile *p, uint32_t event)
{
	char *name = xstrdup(profile_text(p, p->events[event].name));

	for (char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
	return name;
}

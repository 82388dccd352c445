// SPDX-License-Identifier: GPL-2.0-or-later
/* stacks.c - write a profile's stacks to the session's stack store */
#include "pp/exchange/import/samples.h"

#include <stdlib.h>
#include <string.h>

#include "libdb/session/session.h"
#include "libdb/stack/store.h"
#include "libutil/file.h"
#include "libutil/progress.h"
#include "libutil/radix_sort.h"
#include "libutil/xalloc.h"

#define PROGRESS_STEP	4096	/* stacks or nodes */

/* The store's IDs of images, events and label sets. */
struct stack_ids {
	struct stack_store *store;
	uint32_t *images, *events, *contexts;	/* 0: not added yet */
	struct stack_frame frames[STACK_FRAMES_MAX];
};

static int image_id(struct importer *m, struct stack_ids *ids, uint32_t image, uint32_t *ret)
{
	const struct stack_image name = {
		.name = { .path = m->m->images[image].path },
		.build_id = m->m->images[image].is_invented ? ""
							    : m->m->images[image].build_id,
	};
	uint32_t *id = &ids->images[image];
	int err = *id ? 0 : stack_store_image(ids->store, &name, id);

	*ret = *id;
	return err;
}

/* The ids of what is no part of the stack. */
static int sample_ids(struct importer *m, struct stack_ids *ids, uint32_t labels, uint32_t event)
{
	const struct import_labels *l = &m->labels[labels];
	struct stack_context context = { .app = STACK_NONE, .tgid = l->pid, .tid = l->tid,
					 .cpu = l->cpu, .cgroup = l->cgroup, .comm = l->comm };
	const struct stack_event of = { m->events[event].name, m->events[event].count,
					m->events[event].of.unit_mask };
	int err = 0;

	if (!ids->contexts[labels] && l->app != PROFILE_NONE)
		err = image_id(m, ids, l->app, &context.app);
	if (!err && !ids->contexts[labels])
		err = stack_store_context(ids->store, &context, &ids->contexts[labels]);
	if (!err && !ids->events[event])
		err = stack_store_event(ids->store, &of, &ids->events[event]);
	return err;
}

static int frame_at(struct importer *m, struct stack_ids *ids, uint32_t place,
		    struct stack_frame *ret)
{
	struct import_place at = import_place(m->p, m->m, place);

	ret->offset = at.key;
	return image_id(m, ids, at.image, &ret->image);
}

static int add_stack(struct importer *m, struct stack_ids *ids, const struct profile_sample *s,
		     uint32_t event, uint64_t count)
{
	const struct profile *p = m->p;
	unsigned int end = STACK_UNKNOWN_END;
	size_t nr = 0, first_outer = SIZE_MAX;
	uint32_t node = s->node;
	int err = 0;

	for (; node != PROFILE_NONE && !err; node = p->tree.nodes[node].parent) {
		uint32_t place = p->tree.nodes[node].key, place_end = PROFILE_NONE;

		if (nr && end == STACK_UNKNOWN_END)
			place_end = import_end(p, place);
		if (place_end != PROFILE_NONE) {
			end = place_end;
			first_outer = nr;
			continue;
		}
		if (nr == STACK_FRAMES_MAX) {
			end = STACK_TRUNCATED;
			first_outer = nr;
			break;
		}
		err = frame_at(m, ids, place, &ids->frames[nr++]);
	}
	if (first_outer < nr && nr - first_outer < STACK_END_PROCESS)
		end |= (unsigned int)(nr - first_outer) << STACK_END_OUTER_SHIFT;
	if (!err)
		err = sample_ids(m, ids, s->labels, event);
	return err ? err : stack_store_add(ids->store, ids->contexts[s->labels],
					   ids->events[event], ids->frames, nr, end, count);
}

static uint64_t sample_count(const struct importer *m, uint32_t sample, uint32_t event)
{
	int64_t value = profile_values(m->p, sample)[event];

	return value > 0 ? (uint64_t)value / m->events[event].divisor : 0;
}

static int add_stacks(struct importer *m, struct stack_ids *ids)
{
	const struct profile *p = m->p;
	int err = 0;

	for (uint32_t i = 0; i < p->nr_samples && !err; i++) {
		if (i % PROGRESS_STEP == 0)
			progress_tell(NULL, i, p->nr_samples, "call stacks");
		for (uint32_t event = 0; event < p->nr_events && !err; event++) {
			uint64_t count = sample_count(m, i, event);

			if (p->samples[i].node != PROFILE_NONE && count)
				err = add_stack(m, ids, &p->samples[i], event, count);
		}
	}
	return err;
}

/* --- a tree that is taken over as it is --- */

/* Whether the store's tree has the same nodes, but for frames that are equal there. */
static bool is_tree_alike(const struct profile *p)
{
	uint16_t *depths = xcalloc(p->tree.nr + 1, sizeof(*depths));
	bool is_alike = true;

	for (uint32_t i = 0; i < p->nr_places && is_alike; i++)
		is_alike = import_end(p, i) == PROFILE_NONE;
	for (size_t i = 0; i < p->tree.nr && is_alike; i++) {
		uint32_t parent = p->tree.nodes[i].parent;

		depths[i] = parent == PROFILE_NONE ? 1 : (uint16_t)(depths[parent] + 1);
		is_alike = depths[i] <= STACK_FRAMES_MAX;
	}
	free(depths);
	return is_alike;
}

/* The frames of all places. *ret_alike: no two of them are equal. */
static int add_frames(struct importer *m, struct stack_ids *ids, uint32_t *ret, bool *ret_alike)
{
	struct stack_store_size size;
	int err = 0;

	for (uint32_t i = 0; i < m->p->nr_places && !err; i++) {
		struct stack_frame frame;

		err = frame_at(m, ids, i, &frame);
		if (!err)
			err = stack_store_frame(ids->store, &frame, &ret[i]);
	}
	stack_store_size(ids->store, &size);
	*ret_alike = size.frames == m->p->nr_places;
	return err;
}

/* The samples in the order of their nodes. */
static struct radix_item *sorted_samples(const struct profile *p)
{
	struct radix_item *items = xcalloc((size_t)p->nr_samples + 1, sizeof(*items));

	for (uint32_t i = 0; i < p->nr_samples; i++)
		items[i] = (struct radix_item){ p->samples[i].node, i };
	return radix_sorted(items, p->nr_samples);
}

static int add_counts(struct importer *m, struct stack_ids *ids, uint32_t sample, uint32_t node)
{
	uint32_t labels = m->p->samples[sample].labels;
	int err = 0;

	for (uint32_t event = 0; event < m->p->nr_events && !err; event++) {
		uint64_t count = sample_count(m, sample, event);

		if (count)
			err = stack_store_count(ids->store, ids->contexts[labels],
						ids->events[event], node, count);
	}
	return err;
}

static int add_all_labels(struct importer *m, struct stack_ids *ids)
{
	const struct profile *p = m->p;
	int err = 0;

	for (uint32_t i = 0; i < p->nr_samples && !err; i++)
		for (uint32_t event = 0; event < p->nr_events && !err; event++)
			if (p->samples[i].node != PROFILE_NONE && sample_count(m, i, event))
				err = sample_ids(m, ids, p->samples[i].labels, event);
	return err;
}

static int add_nodes(struct importer *m, struct stack_ids *ids, const uint32_t *frames)
{
	const struct profile *p = m->p;
	uint32_t *nodes = xcalloc(p->tree.nr + 1, sizeof(*nodes)), root = 0;
	struct radix_item *samples = sorted_samples(p), *s = samples;
	int err = add_all_labels(m, ids);

	if (!err)
		err = stack_store_new_node(ids->store, 0, STACK_UNKNOWN_END, &root);
	for (size_t i = 0; i < p->tree.nr && !err; i++) {
		const struct call_node *n = &p->tree.nodes[i];

		if (i % PROGRESS_STEP == 0)
			progress_tell(NULL, (uint64_t)(s - samples), p->nr_samples,
				      "call stacks");
		err = stack_store_new_node(ids->store,
					   n->parent == PROFILE_NONE ? root : nodes[n->parent],
					   frames[n->key], &nodes[i]);
		for (; s < samples + p->nr_samples && s->key == i && !err; s++)
			err = add_counts(m, ids, (uint32_t)s->value, nodes[i]);
	}
	free(samples);
	free(nodes);
	return err;
}

/*
 * Stacks that share nothing have more nodes than all else in the profile, and an index of these in
 * the store would be larger than the file. So a tree is taken over as it is, where it can be.
 */
static int add_tree(struct importer *m, struct stack_ids *ids)
{
	uint32_t *frames = xcalloc((size_t)m->p->nr_places + 1, sizeof(*frames));
	bool is_alike;
	int err = add_frames(m, ids, frames, &is_alike);

	if (!err)
		err = is_alike ? add_nodes(m, ids, frames) : add_stacks(m, ids);
	free(frames);
	return err;
}

static uint64_t count_stacks(const struct profile *p)
{
	bool *seen = xcalloc((size_t)p->tree.nr + 1, sizeof(*seen));
	uint64_t nr = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t node = p->samples[i].node;

		if (node == PROFILE_NONE)
			continue;
		nr += !seen[node];
		seen[node] = true;
	}
	free(seen);
	return nr;
}

int import_write_stacks(struct importer *m)
{
	char *path = path_join(m->stats, STACK_STORE_FILE);
	struct stack_ids *ids = xcalloc(1, sizeof(*ids));
	int err = stack_store_open(path, 0, &ids->store, m->e);

	ids->images = xcalloc((size_t)m->m->nr + 1, sizeof(*ids->images));
	ids->events = xcalloc((size_t)m->p->nr_events + 1, sizeof(*ids->events));
	ids->contexts = xcalloc(m->p->nr_label_sets, sizeof(*ids->contexts));
	if (!err) {
		err = is_tree_alike(m->p) ? add_tree(m, ids) : add_stacks(m, ids);
		if (err)
			op_error_set(m->e, err, "cannot write '%s': %s", path, strerror(-err));
		m->sums.stacks = count_stacks(m->p);
	}
	stack_store_close(ids->store);
	free(ids->images);
	free(ids->events);
	free(ids->contexts);
	free(ids);
	free(path);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * history_stacks.c - one snapshot of the stacks of many segments
 *
 * Each image, frame and node is in it once, so memory grows with different stacks only. A node
 * without samples in the range is left out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/count.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"
#include "pp/select/history.h"
#include "pp/select/history_parts.h"

struct union_of {
	struct history_parts parts;
	struct stack_frame *frames;
	struct stack_node *nodes;
	uint16_t *ends;
	struct stack_count *counts;
	size_t nr_frames, nr_nodes, nr_counts;
	size_t frames_room, nodes_room, ends_room, counts_room;
	struct hash_table by_frame, by_node, by_count;
};

/* Of a segment's snapshot: the indices of its parts in the union; STACK_NONE: not yet. */
struct mapped {
	const struct stack_snapshot *s;
	uint32_t *images, *events, *contexts, *frames, *nodes;
};

static uint32_t map_image(struct union_of *u, struct mapped *m, uint32_t i)
{
	if (m->images[i] == STACK_NONE)
		m->images[i] = history_parts_image(&u->parts, &m->s->images[i]);
	return m->images[i];
}

static uint32_t map_event(struct union_of *u, struct mapped *m, uint32_t i)
{
	if (m->events[i] == STACK_NONE)
		m->events[i] = history_parts_event(&u->parts, &m->s->events[i]);
	return m->events[i];
}

static uint32_t map_context(struct union_of *u, struct mapped *m, uint32_t i)
{
	struct stack_context context = m->s->contexts[i];

	if (m->contexts[i] != STACK_NONE)
		return m->contexts[i];
	if (context.app != STACK_NONE)
		context.app = map_image(u, m, context.app);
	return m->contexts[i] = history_parts_context(&u->parts, &context);
}

static bool is_frame(const void *array, uint32_t id, const void *key)
{
	const struct stack_frame *a = &((const struct stack_frame *)array)[id], *b = key;

	return a->image == b->image && a->offset == b->offset;
}

static uint32_t map_frame(struct union_of *u, struct mapped *m, uint32_t i)
{
	struct stack_frame frame = m->s->frames[i];
	uint32_t id;

	if (m->frames[i] != STACK_NONE)
		return m->frames[i];
	frame.image = map_image(u, m, frame.image);
	id = hash_table_intern(&u->by_frame, hash_mix(frame.image, frame.offset), is_frame,
			       u->frames, &frame);
	if (id == u->nr_frames) {
		xgrow(u->frames, u->nr_frames, u->frames_room);
		u->frames[u->nr_frames++] = frame;
	}
	return m->frames[i] = id;
}

static bool is_node(const void *array, uint32_t id, const void *key)
{
	const struct stack_node *a = &((const struct stack_node *)array)[id], *b = key;

	return a->parent == b->parent && a->frame == b->frame;
}

/* Its parent is mapped. */
static void map_node(struct union_of *u, struct mapped *m, uint32_t i)
{
	struct stack_node node = m->s->nodes[i];
	uint32_t id;

	if (node.parent != STACK_NONE) {
		node.parent = m->nodes[node.parent];
		node.frame = map_frame(u, m, node.frame);
	}
	id = hash_table_intern(&u->by_node, hash_mix(node.parent, node.frame), is_node, u->nodes,
			       &node);
	if (id == u->nr_nodes) {
		xgrow(u->ends, u->nr_nodes, u->ends_room);
		xgrow(u->nodes, u->nr_nodes, u->nodes_room);
		u->ends[u->nr_nodes] = m->s->ends[i];
		u->nodes[u->nr_nodes++] = node;
	}
	m->nodes[i] = id;
}

/* Nodes that have samples, and their callers; parents come first. */
static void map_nodes(struct union_of *u, struct mapped *m)
{
	const struct stack_snapshot *s = m->s;
	bool *is_used = xcalloc(s->nr_nodes + 1, sizeof(*is_used));

	for (uint32_t i = 0; i < s->nr_counts; i++)
		is_used[s->counts[i].node] = true;
	for (uint32_t i = s->nr_nodes; i-- > 0;)
		if (is_used[i] && s->nodes[i].parent != STACK_NONE)
			is_used[s->nodes[i].parent] = true;
	for (uint32_t i = 0; i < s->nr_nodes; i++)
		if (is_used[i])
			map_node(u, m, i);
	free(is_used);
}

static bool is_count(const void *array, uint32_t id, const void *key)
{
	const struct stack_count *a = &((const struct stack_count *)array)[id], *b = key;

	return a->node == b->node && a->context == b->context && a->event == b->event;
}

/* Returns its index. */
static uint32_t add_count(struct union_of *u, struct mapped *m, const struct stack_count *from)
{
	const struct stack_count count = {
		.node = m->nodes[from->node], .context = map_context(u, m, from->context),
		.event = map_event(u, m, from->event), .count = from->count,
	};
	uint64_t hash = hash_mix(hash_mix(count.node, count.context), count.event);
	uint32_t id = hash_table_intern(&u->by_count, hash, is_count, u->counts, &count);

	if (id == u->nr_counts) {
		xgrow(u->counts, u->nr_counts, u->counts_room);
		u->counts[u->nr_counts++] = count;
	} else {
		count_add(&u->counts[id].count, count.count);
	}
	return id;
}

static uint32_t *nothing_mapped(uint32_t nr)
{
	uint32_t *map = xcalloc(nr + 1, sizeof(*map));

	memset(map, 0xff, nr * sizeof(*map));
	return map;
}

/* @ret_ids, if not NULL: of each count of @s its index, or STACK_NONE. */
static void add_snapshot(struct union_of *u, const struct stack_snapshot *s, uint32_t *ret_ids)
{
	struct mapped m = {
		.s = s,
		.images = nothing_mapped(s->nr_images), .events = nothing_mapped(s->nr_events),
		.contexts = nothing_mapped(s->nr_contexts), .frames = nothing_mapped(s->nr_frames),
		.nodes = nothing_mapped(s->nr_nodes),
	};

	map_nodes(u, &m);
	for (uint32_t i = 0; i < s->nr_counts; i++) {
		bool is_empty = s->nodes[s->counts[i].node].parent == STACK_NONE;
		uint32_t id = is_empty ? STACK_NONE : add_count(u, &m, &s->counts[i]);

		if (ret_ids)
			ret_ids[i] = id;
	}
	free(m.images);
	free(m.events);
	free(m.contexts);
	free(m.frames);
	free(m.nodes);
}

/* --- the snapshot --- */

static void make_snapshot(struct union_of *u, struct stack_snapshot *ret)
{
	struct history_parts *p = &u->parts;

	*ret = (struct stack_snapshot){
		.images = p->images, .events = p->events, .contexts = p->contexts,
		.frames = u->frames, .nodes = u->nodes, .ends = u->ends, .counts = u->counts,
		.nr_images = (uint32_t)p->nr_images, .nr_events = (uint32_t)p->nr_events,
		.nr_contexts = (uint32_t)p->nr_contexts, .nr_frames = (uint32_t)u->nr_frames,
		.nr_nodes = (uint32_t)u->nr_nodes, .nr_counts = (uint32_t)u->nr_counts,
		.text = history_parts_gather(p),
	};
	hash_table_free(&u->by_frame);
	hash_table_free(&u->by_node);
	hash_table_free(&u->by_count);
}

/* Add its stacks; *ret is the segment's places, which then lead to the union's. */
static void add_segment(struct union_of *u, struct history_segment *segment,
			struct history_places *ret)
{
	const uint32_t nr = segment->stacks.nr_counts;
	uint32_t *ids = ret ? xcalloc(nr + (size_t)1, sizeof(*ids)) : NULL;

	add_snapshot(u, &segment->stacks, ids);
	if (!ret)
		return;
	*ret = (struct history_places){ segment->places, segment->nr_places };
	segment->places = NULL;
	for (size_t i = 0; i < ret->nr; i++)
		ret->ids[i] = ret->ids[i] < nr ? ids[ret->ids[i]] : STACK_NONE;
	free(ids);
}

void session_history_forget_places(struct session_history *h)
{
	for (size_t i = 0; i < h->nr && h->places; i++)
		free(h->places[i].ids);
	free(h->places);
	h->places = NULL;
}

int session_history_stacks(struct session_history *h, struct stack_snapshot *ret,
			   struct op_error *e)
{
	struct union_of u = { .nr_frames = 0 };
	int err = 0;

	session_history_forget_places(h);
	if (h->keeps_places)
		h->places = xcalloc(h->nr + 1, sizeof(*h->places));

	if (h->only)
		add_snapshot(&u, &h->only->stacks, NULL);
	for (size_t i = 0; i < h->nr && !err && !h->only; i++) {
		struct history_segment segment;

		progress_tell(NULL, i, h->nr, "segments of the history");
		err = history_segment_read(h->segments[i], h->range.from_ns, h->range.to_ns,
					   &segment, e);
		if (!err) {
			add_segment(&u, &segment, h->places ? &h->places[i] : NULL);
			history_segment_free(&segment);
		} else if (err == -ENOENT) {
			err = 0;	/* dropped meanwhile */
		}
	}
	make_snapshot(&u, ret);
	h->nr_counts = ret->nr_counts;
	if (err) {
		stack_snapshot_free(ret);
		h->nr_counts = 0;
		session_history_forget_places(h);
	}
	return err;
}

int session_stacks_read(const struct report_session *s, struct stack_snapshot *ret,
			struct op_error *e)
{
	char *path;
	int err;

	if (s->history)
		return s->history->has_callers ? session_history_stacks(s->history, ret, e)
					       : -ENOENT;
	path = path_join(s->samples, "stats/" STACK_STORE_FILE);
	err = stack_store_read(path, ret, e);
	free(path);
	return err;
}

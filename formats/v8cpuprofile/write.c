// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - write V8's .cpuprofile: a tree of functions, and samples as nodes at times
 *
 * Rules: doc/v8cpuprofile.md [V8-1]..[V8-4].
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/profile/saturate.h"
#include "formats/profile/shown_frames.h"
#include "formats/v8cpuprofile/v8cpuprofile.h"
#include "libutil/json_text.h"
#include "libutil/xalloc.h"

#define ROOT_ID		1
#define FIRST_ID	2		/* of the tree's node 0 */
#define SAMPLES_MAX	1000000		/* with more, one sample for each stack */
#define US_PER_SAMPLE	1000		/* of events that do not count time */
#define NS_PER_US	1000

struct v8_writer {
	const struct profile *profile;
	const struct profile_event *event;
	uint32_t event_index;
	struct shown_frames shown;
	struct call_tree tree;		/* keys are functions of @shown */
	struct call_children children;
	int64_t *hits;			/* of the tree's nodes */
	bool is_each;			/* a sample for each hit */
	struct json json;
};

static uint32_t add_stack(struct v8_writer *w, const uint32_t *nodes, uint32_t node)
{
	const struct profile *p = w->profile;
	uint32_t place = p->tree.nodes[node].key, parent = p->tree.nodes[node].parent, at;

	at = parent == PROFILE_NONE ? CALL_NONE : nodes[parent];
	for (uint32_t i = w->shown.first[place + 1]; i-- > w->shown.first[place];)
		at = call_tree_node(&w->tree, at, w->shown.frames[i].function);
	return at;
}

/* The index of a sample's stack: of no stack it is the one after all nodes. */
static size_t node_of(const struct profile *p, uint32_t sample)
{
	uint32_t node = p->samples[sample].node;

	return node == PROFILE_NONE ? p->tree.nr : node;
}

/* Which stacks have samples of the event, or callees that do. */
static bool *used_nodes(const struct v8_writer *w)
{
	const struct profile *p = w->profile;
	bool *used = xcalloc(p->tree.nr + 1, sizeof(*used));

	for (uint32_t i = 0; i < p->nr_samples; i++)
		if (profile_values(p, i)[w->event_index] > 0)
			used[node_of(p, i)] = true;
	for (size_t i = p->tree.nr; i--;)
		if (used[i] && p->tree.nodes[i].parent != PROFILE_NONE)
			used[p->tree.nodes[i].parent] = true;
	return used;
}

/* The tree of functions: places in one function are one node. [V8-1] */
static void make_tree(struct v8_writer *w)
{
	const struct profile *p = w->profile;
	bool *used = used_nodes(w);
	uint32_t *nodes = xcalloc(p->tree.nr + 1, sizeof(*nodes));

	for (uint32_t i = 0; i < p->tree.nr; i++)
		if (used[i])
			nodes[i] = add_stack(w, nodes, i);
	if (used[p->tree.nr])
		nodes[p->tree.nr] = call_tree_node(&w->tree, CALL_NONE, w->shown.unknown);
	w->hits = xcalloc(w->tree.nr + 1, sizeof(*w->hits));
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		int64_t value = profile_values(p, i)[w->event_index], *sum;

		if (value <= 0)
			continue;
		sum = &w->hits[nodes[node_of(p, i)]];
		*sum = add_saturated(*sum, value);
	}
	call_children_make(&w->tree, &w->children);
	free(used);
	free(nodes);
}

static void write_children(struct v8_writer *w, uint32_t node)
{
	uint32_t child = call_children_first(&w->children, node);

	if (child == CALL_NONE)
		return;
	json_open(&w->json, "children", '[');
	for (; child != CALL_NONE; child = w->children.next[child])
		json_number(&w->json, NULL, child + FIRST_ID);
	json_close(&w->json, ']');
}

static void write_node(struct v8_writer *w, uint32_t node, const char *name, const char *url,
		       uint32_t start_line)
{
	struct json *j = &w->json;

	json_line(j);
	json_open(j, NULL, '{');
	json_number(j, "id", node == CALL_NONE ? ROOT_ID : node + FIRST_ID);
	json_open(j, "callFrame", '{');
	json_text(j, "functionName", strcmp(name, V8_ANONYMOUS) ? name : "");
	json_text(j, "scriptId", "0");
	json_text(j, "url", url);
	json_signed(j, "lineNumber", (int64_t)start_line - 1, INT64_MIN);
	json_signed(j, "columnNumber", start_line ? 0 : -1, INT64_MIN);
	json_close(j, '}');
	json_number(j, "hitCount", node == CALL_NONE ? 0 : (uint64_t)w->hits[node]);
	write_children(w, node);
	json_close(j, '}');
}

/* [V8-1] */
static void write_nodes(struct v8_writer *w)
{
	json_open(&w->json, "nodes", '[');
	write_node(w, CALL_NONE, V8_ROOT, "", 0);
	for (uint32_t i = 0; i < w->tree.nr; i++) {
		const struct shown_function *f = &w->shown.functions[w->tree.nodes[i].key];

		write_node(w, i, f->name, profile_text(w->profile, f->file), f->start_line);
	}
	json_close(&w->json, ']');
}

/* The time that @hits take, in ns. [V8-2] */
static int64_t duration_ns(const struct v8_writer *w, int64_t hits)
{
	bool is_time = !strcmp(profile_text(w->profile, w->event->unit), "nanoseconds");

	if (is_time)
		return multiply_saturated(hits, w->event->period ? w->event->period : 1);
	return multiply_saturated(hits, (w->event->period ? US_PER_SAMPLE : 1) * NS_PER_US);
}

/* The next node in the order of a walk from the root, callers before their callees. */
static uint32_t next_node(const struct v8_writer *w, uint32_t node)
{
	uint32_t child = call_children_first(&w->children, node);

	if (child != CALL_NONE)
		return child;
	while (node != CALL_NONE && w->children.next[node] == CALL_NONE)
		node = w->tree.nodes[node].parent;
	return node == CALL_NONE ? CALL_NONE : w->children.next[node];
}

/* Entries of samples that a node has. */
static int64_t nr_entries(const struct v8_writer *w, uint32_t node)
{
	return w->is_each ? w->hits[node] : w->hits[node] > 0;
}

/* A sample lasts until the next one, so the root ends the last. [V8-2] [V8-3] */
static void write_samples(struct v8_writer *w)
{
	struct json *j = &w->json;

	json_open(j, "samples", '[');
	for (uint32_t i = next_node(w, CALL_NONE); i != CALL_NONE; i = next_node(w, i))
		for (int64_t k = nr_entries(w, i); k > 0; k--)
			json_number(j, NULL, i + FIRST_ID);
	json_number(j, NULL, ROOT_ID);
	json_close(j, ']');
}

/* Fractions of a microsecond are carried to the next sample. */
static int64_t write_deltas(struct v8_writer *w)
{
	struct json *j = &w->json;
	int64_t now_ns = 0, now_us = 0;

	json_open(j, "timeDeltas", '[');
	json_number(j, NULL, 0);
	for (uint32_t i = next_node(w, CALL_NONE); i != CALL_NONE; i = next_node(w, i)) {
		int64_t nr = nr_entries(w, i), each;

		each = nr ? duration_ns(w, w->is_each ? 1 : w->hits[i]) : 0;
		for (; nr > 0; nr--) {
			now_ns = add_saturated(now_ns, each);
			json_number(j, NULL, (uint64_t)(now_ns / NS_PER_US - now_us));
			now_us = now_ns / NS_PER_US;
		}
	}
	json_close(j, ']');
	return now_us;
}

/* What reading this file needs and V8's format has no room for. [V8-4] */
static void write_event(struct v8_writer *w)
{
	struct json *j = &w->json;

	json_open(j, V8_OURS, '{');
	json_text(j, "event", profile_text(w->profile, w->event->name));
	json_text(j, "unit", profile_text(w->profile, w->event->unit));
	json_number(j, "period", w->event->period);
	json_address(j, "unitMask", w->event->unit_mask);
	json_close(j, '}');
}

static void write_all(struct v8_writer *w)
{
	struct json *j = &w->json;
	int64_t start_us = w->profile->start_ns / NS_PER_US, length_us, total = 0;

	for (size_t i = 0; i < w->tree.nr; i++)
		total = add_saturated(total, w->hits[i]);
	w->is_each = w->event->period && total <= SAMPLES_MAX;
	if (start_us <= 0)
		start_us = 1;		/* 0 would be missing to some readers */
	json_open(j, NULL, '{');
	write_nodes(w);
	json_line(j);
	write_samples(w);
	json_line(j);
	length_us = write_deltas(w);
	json_line(j);
	json_number(j, "startTime", (uint64_t)start_us);
	json_number(j, "endTime", (uint64_t)add_saturated(start_us, length_us));
	write_event(w);
	json_close(j, '}');
	putc('\n', j->out);
}

int v8cpuprofile_write(const struct profile *p, const struct format_write_options *options,
		       FILE *out, struct op_error *e)
{
	struct v8_writer w = { .profile = p, .event_index = options->event, .json.out = out };

	if (options->event >= p->nr_events)
		return op_error_set(e, -EINVAL, "the profile has no events");
	w.event = &p->events[options->event];
	shown_frames_make(p, &w.shown);
	make_tree(&w);
	write_all(&w);
	shown_frames_free(&w.shown);
	call_children_free(&w.children);
	call_tree_free(&w.tree);
	free(w.hits);
	return 0;
}

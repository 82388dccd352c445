// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - read V8's .cpuprofile, as Node.js and Chrome write it
 *
 * Rules: doc/v8cpuprofile.md [V8-5]..[V8-10].
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/all_formats.h"
#include "formats/file/json_tree.h"
#include "formats/profile/saturate.h"
#include "formats/v8cpuprofile/v8cpuprofile.h"
#include "libutil/hash.h"
#include "libutil/number.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"

#define COLUMN_BITS	16	/* of an address; the line is above it [V8-7] */

enum { UNKNOWN_NODE = PROFILE_NONE };

struct v8_node {
	int64_t id;
	uint32_t parent;	/* index */
	uint32_t node;		/* of the profile; PROFILE_NONE: the root or not made yet */
	bool is_made;
	int64_t hits;
	uint64_t address;
	uint32_t image, function;
	const json_t *ticks;
};

struct v8_reader {
	const struct format_read_options *options;
	struct profile *p;
	struct op_error *e;
	struct v8_node *nodes;
	size_t nr_nodes;
	struct hash_table by_id;	/* of nodes */
	struct hash_table scripts;	/* of images by path */
	uint32_t *path;			/* nodes that are not made yet, innermost first */
	size_t nr_path, room_path;
	uint32_t pseudo_image;		/* of functions without a position, or PROFILE_NONE */
};

static bool detect(const unsigned char *bytes, size_t size)
{
	return json_has_key(bytes, size, "\"nodes\"") && json_has_key(bytes, size, "\"callFrame\"");
}

/* --- nodes --- */

static bool has_id(const void *nodes, uint32_t index, const void *id)
{
	return ((const struct v8_node *)nodes)[index].id == *(const int64_t *)id;
}

/* The node that a value names, or UNKNOWN_NODE. */
static uint32_t find_node(const struct v8_reader *r, const json_t *value)
{
	int64_t id = json_integer_value(value);

	if (!json_is_integer(value))
		return UNKNOWN_NODE;
	return hash_table_find(&r->by_id, hash_u64((uint64_t)id), has_id, r->nodes, &id);
}

static bool has_path(const void *profile, uint32_t image, const void *path)
{
	return ((const struct profile *)profile)->images[image].path == *(const uint32_t *)path;
}

/* Each script is an image, so that functions of one name in two scripts are two. [V8-7] */
static uint32_t find_script(struct v8_reader *r, uint32_t path)
{
	uint64_t hash = hash_u64(path);
	uint32_t image = hash_table_find(&r->scripts, hash, has_path, r->p, &path);

	if (image == HASH_NONE) {
		image = profile_add_image(r->p, &(struct profile_image){
			.path = path, .kind = PROFILE_JIT });
		hash_table_add(&r->scripts, hash, image);
	}
	return image;
}

/* "/x/y.js" of "file:///x/y.js", anything else as it is. */
static const char *script_path(const char *url)
{
	static const char begin[] = "file://";
	size_t n = sizeof(begin) - 1;

	return !strncmp(url, begin, n) && url[n] == '/' ? url + n : url;
}

/* Positions in V8 begin at 0; -1 is unknown. [V8-7] */
static void read_frame(struct v8_reader *r, const json_t *frame, struct v8_node *n)
{
	const char *name = json_member_text(frame, "functionName");
	json_int_t line = json_integer_value(json_object_get(frame, "lineNumber"));
	json_int_t column = json_integer_value(json_object_get(frame, "columnNumber"));
	struct profile_function f = { 0 };

	f.name = f.system_name = profile_string(r->p, *name ? name : V8_ANONYMOUS);
	f.file = profile_string(r->p, script_path(json_member_text(frame, "url")));
	f.start_line = line >= 0 && line < INT32_MAX && f.file ? (uint32_t)line + 1 : 0;
	n->function = profile_function(r->p, &f);
	n->image = PROFILE_NONE;
	if (f.start_line) {
		column = column < 0 ? 0 : column;
		n->image = find_script(r, f.file);
		n->address = (uint64_t)f.start_line << COLUMN_BITS |
			     ((uint64_t)column < 1u << COLUMN_BITS ? (uint64_t)column
								   : (1u << COLUMN_BITS) - 1);
		return;
	}
	if (r->pseudo_image == PROFILE_NONE)
		r->pseudo_image = profile_add_image(r->p, &(struct profile_image){
			.path = profile_string(r->p, "[v8]"), .kind = PROFILE_ANON });
	n->image = r->pseudo_image;
	n->address = (uint64_t)n->function + 1;
}

static int read_node(struct v8_reader *r, const json_t *node, size_t i)
{
	const json_t *id = json_object_get(node, "id"), *frame = json_object_get(node, "callFrame");
	const json_t *hits = json_object_get(node, "hitCount");
	struct v8_node n = { .id = json_integer_value(id), .parent = PROFILE_NONE,
			     .node = PROFILE_NONE };

	if (!json_is_integer(id))
		return op_error_set(r->e, -EPROTO, "nodes[%zu].id: expected a whole number", i);
	if (find_node(r, id) != UNKNOWN_NODE)
		return op_error_set(r->e, -EPROTO, "nodes[%zu].id: duplicate ID", i);
	if (!json_is_object(frame))
		return op_error_set(r->e, -EPROTO, "nodes[%zu].callFrame: expected an object", i);
	if (hits && (!json_is_integer(hits) || json_integer_value(hits) < 0))
		return op_error_set(r->e, -EPROTO, "nodes[%zu].hitCount: expected a whole number "
				    "from 0", i);
	n.hits = json_integer_value(hits);
	n.ticks = json_object_get(node, "positionTicks");
	read_frame(r, frame, &n);
	hash_table_add(&r->by_id, hash_u64((uint64_t)n.id), (uint32_t)r->nr_nodes);
	r->nodes[r->nr_nodes++] = n;
	return 0;
}

static int set_parent(struct v8_reader *r, uint32_t child, uint32_t parent, const char *what,
		      size_t i)
{
	if (child == UNKNOWN_NODE || parent == UNKNOWN_NODE)
		return op_error_set(r->e, -EPROTO, "nodes[%zu].%s: unknown node", i, what);
	if (r->nodes[child].parent != PROFILE_NONE && r->nodes[child].parent != parent)
		return op_error_set(r->e, -EPROTO, "nodes[%zu].%s: the node has two parents", i,
				    what);
	r->nodes[child].parent = parent;
	return 0;
}

/* Nodes name their children, or their parent. [V8-6] */
static int read_links(struct v8_reader *r, const json_t *node, uint32_t i)
{
	const json_t *parent = json_object_get(node, "parent"), *child;
	size_t k;
	int err = 0;

	if (parent)
		err = set_parent(r, i, find_node(r, parent), "parent", i);
	json_array_foreach(json_object_get(node, "children"), k, child) {
		if (err)
			break;
		err = set_parent(r, find_node(r, child), i, "children", i);
	}
	return err;
}

static int read_nodes(struct v8_reader *r, const json_t *root)
{
	const json_t *nodes = json_object_get(root, "nodes"), *node;
	size_t i;
	int err = 0;

	if (!json_is_array(nodes) || !json_array_size(nodes))
		return op_error_set(r->e, -EPROTO, "nodes: expected a list of nodes");
	r->nodes = xcalloc(json_array_size(nodes), sizeof(*r->nodes));
	json_array_foreach(nodes, i, node) {
		err = read_node(r, node, i);
		if (err)
			return err;
	}
	json_array_foreach(nodes, i, node) {
		err = read_links(r, node, (uint32_t)i);
		if (err)
			return err;
	}
	return 0;
}

/* --- stacks --- */

/* The root is above all functions, and not one of them. */
static bool is_root(const struct v8_reader *r, const struct v8_node *n)
{
	uint32_t name = r->p->functions[n->function].name;

	return n->parent == PROFILE_NONE && !strcmp(profile_text(r->p, name), V8_ROOT);
}

static uint32_t add_place(struct v8_reader *r, const struct v8_node *n, uint32_t line)
{
	struct profile_line lines = { n->function, line };

	return profile_place(r->p, n->image, n->address, &lines, 1);
}

/* Make the profile's nodes of the node @i and its callers. [V8-6] */
static int make_node(struct v8_reader *r, uint32_t i)
{
	uint32_t at = i;

	for (r->nr_path = 0; at != PROFILE_NONE && !r->nodes[at].is_made;
	     at = r->nodes[at].parent) {
		if (r->nr_path == PROFILE_FRAMES_MAX)
			return op_error_set(r->e, -EPROTO, "nodes[%u]: more than %u callers", i,
					    PROFILE_FRAMES_MAX);
		xgrow(r->path, r->nr_path, r->room_path);
		r->path[r->nr_path++] = at;
	}
	while (r->nr_path) {
		struct v8_node *n = &r->nodes[r->path[--r->nr_path]];

		if (!is_root(r, n))
			n->node = profile_node(r->p, n->parent == PROFILE_NONE ? PROFILE_NONE
						     : r->nodes[n->parent].node,
					       add_place(r, n, 0));
		n->is_made = true;
	}
	return 0;
}

static void add_sample(struct v8_reader *r, uint32_t i, uint32_t line, int64_t value)
{
	struct v8_node *n = &r->nodes[i];
	uint32_t node = n->node;

	if (value <= 0)
		return;
	if (node == PROFILE_NONE)	/* the root itself */
		node = profile_node(r->p, PROFILE_NONE, add_place(r, n, 0));
	else if (line)
		node = profile_node(r->p, r->p->tree.nodes[node].parent, add_place(r, n, line));
	profile_add_sample(r->p, node, 0)[0] = value;
}

/* --- samples --- */

/* The lines of a node's samples; what is left has none. [V8-8] */
static void add_hits(struct v8_reader *r, uint32_t i)
{
	const struct v8_node *n = &r->nodes[i];
	int64_t left = n->hits;
	const json_t *tick;
	size_t k;

	json_array_foreach(n->ticks, k, tick) {
		uint32_t line = json_line_number(json_object_get(tick, "line"));
		int64_t nr = json_integer_value(json_object_get(tick, "ticks"));

		if (!line || nr <= 0 || nr > left)
			continue;
		add_sample(r, i, line, nr);
		left -= nr;
	}
	add_sample(r, i, 0, left);
}

static int read_hits(struct v8_reader *r)
{
	for (uint32_t i = 0; i < r->nr_nodes; i++) {
		int err = r->nodes[i].hits ? make_node(r, i) : 0;

		if (err)
			return err;
		if (r->nodes[i].hits)
			add_hits(r, i);
	}
	return 0;
}

/* Microseconds from a sample to the next one, or to the end; 0 if time goes back. [V8-9] */
static int read_duration(struct v8_reader *r, const json_t *deltas, size_t i, int64_t *left_us,
			 int64_t *ret)
{
	bool whole = true;
	int64_t us = 0;

	if (i + 1 >= json_array_size(deltas)) {
		*ret = *left_us;
		*left_us = 0;
		return 0;
	}
	if (!json_amount(json_array_get(deltas, i + 1), 1, &us, &whole))
		return op_error_set(r->e, -EPROTO, "timeDeltas[%zu]: expected a number below 2^63",
				    i + 1);
	*left_us = add_saturated(*left_us, us < 0 ? 0 : -us);
	*ret = us;
	return 0;
}

/* Without counts of hits time is what is known. [V8-9] */
static int read_times(struct v8_reader *r, const json_t *root, int64_t length_us)
{
	const json_t *samples = json_object_get(root, "samples"), *sample;
	const json_t *deltas = json_object_get(root, "timeDeltas");
	int64_t left_us = length_us, us;
	bool whole = true;
	size_t i;
	int err;

	if (json_amount(json_array_get(deltas, 0), 1, &us, &whole) && us > 0)
		left_us = add_saturated(left_us, -us);
	json_array_foreach(samples, i, sample) {
		uint32_t node = find_node(r, sample);

		err = make_node(r, node);
		if (!err)
			err = read_duration(r, deltas, i, &left_us, &us);
		if (err)
			return err;
		add_sample(r, node, 0, multiply_saturated(us, 1000));
	}
	return 0;
}

static int check_samples(struct v8_reader *r, const json_t *root)
{
	const json_t *samples = json_object_get(root, "samples"), *sample;
	const json_t *deltas = json_object_get(root, "timeDeltas");
	size_t i;

	json_array_foreach(samples, i, sample)
		if (find_node(r, sample) == UNKNOWN_NODE)
			return op_error_set(r->e, -EPROTO, "samples[%zu]: unknown node", i);
	if (json_array_size(samples) == json_array_size(deltas))
		return 0;
	return format_warn_or_fail(r->options, r->e, "expected samples and timeDeltas to be lists "
				   "of the same length");
}

/* [V8-4] */
static int read_event(struct v8_reader *r, const json_t *ours, struct profile_event *event)
{
	const json_t *period = json_object_get(ours, "period");

	if (!json_is_integer(period) || json_integer_value(period) < 0 ||
	    number_parse_u64(json_member_text(ours, "unitMask"), &event->unit_mask))
		return op_error_set(r->e, -EPROTO, V8_OURS ": invalid period or unitMask");
	event->name = profile_string(r->p, json_member_text(ours, "event"));
	event->unit = profile_string(r->p, json_member_text(ours, "unit"));
	event->period = (uint64_t)json_integer_value(period);
	return 0;
}

static int64_t total_hits(const struct v8_reader *r)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->nr_nodes; i++)
		sum = add_saturated(sum, r->nodes[i].hits);
	return sum;
}

/* A sample stands for the mean time between two of them. [V8-8] */
static void make_event(struct v8_reader *r, int64_t length_us, struct profile_event *event)
{
	int64_t hits = total_hits(r);
	uint64_t period = hits ? (uint64_t)multiply_saturated(length_us, 1000) / (uint64_t)hits : 0;

	event->name = profile_string(r->p, hits ? "wall" : "time");
	event->unit = profile_string(r->p, hits && !period ? "count" : "nanoseconds");
	event->period = hits && !period ? 1 : period;
}

static int read_time(struct v8_reader *r, const json_t *root, int64_t *length_us)
{
	bool whole = true;
	int64_t start = 0, end = 0;

	if (!json_amount(json_object_get(root, "startTime"), 1, &start, &whole) ||
	    !json_amount(json_object_get(root, "endTime"), 1, &end, &whole) ||
	    __builtin_sub_overflow(end, start, length_us))
		return op_error_set(r->e, -EPROTO, "startTime and endTime: expected numbers");
	if (*length_us < 0)
		*length_us = 0;
	r->p->duration_ns = multiply_saturated(*length_us, 1000);
	return 0;
}

static int read_tree(struct v8_reader *r, const json_t *root)
{
	const json_t *ours = json_object_get(root, V8_OURS);
	struct profile_event event = { 0 };
	int64_t length_us = 0;
	int err = read_nodes(r, root);

	if (!err)
		err = read_time(r, root, &length_us);
	if (!err)
		err = check_samples(r, root);
	if (!err && ours)
		err = read_event(r, ours, &event);
	if (err)
		return err;
	if (!ours)
		make_event(r, length_us, &event);
	profile_add_event(r->p, &event);
	return total_hits(r) || ours ? read_hits(r) : read_times(r, root, length_us);
}

static int v8cpuprofile_read(const unsigned char *bytes, size_t size,
			     const struct format_read_options *options, struct profile *p,
			     struct op_error *e)
{
	struct v8_reader r = { .options = options, .p = p, .e = e,
			       .pseudo_image = PROFILE_NONE };
	json_t *root;
	int err = json_tree_read(bytes, size, &root, r.e);

	if (err)
		return err;
	p->symbolic_addresses = true;
	err = read_tree(&r, root);
	json_decref(root);
	hash_table_free(&r.by_id);
	hash_table_free(&r.scripts);
	free(r.nodes);
	free(r.path);
	return err;
}

const struct profile_format format_v8cpuprofile = {
	.name = "v8cpuprofile",
	.suffix = "cpuprofile",
	.text = "V8's .cpuprofile: Node.js, Chrome DevTools, VS Code",
	.one_event = true,
	.detect = detect,
	.read = v8cpuprofile_read,
	.write = v8cpuprofile_write,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - read processed profiles of the Firefox Profiler, ours and others
 *
 * Threads have tables of columns or, in newer versions, share those of the profile. Rules:
 * doc/firefox.md [FF-7]..[FF-11].
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/all_formats.h"
#include "formats/file/json_tree.h"
#include "formats/file/whole_number.h"
#include "formats/firefox/columns.h"
#include "formats/firefox/firefox.h"
#include "formats/profile/room.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"

struct firefox_reader {
	const struct format_read_options *options;
	struct profile *p;
	struct op_error *e;
	size_t size;			/* of the file */
	bool is_ours;
	const json_t *meta, *shared, *threads;
	struct firefox_columns columns;

	/* of the current thread: */
	size_t at;
	const json_t *thread;
	uint32_t event, labels;
};

static bool detect(const unsigned char *bytes, size_t size)
{
	return json_has_key(bytes, size, "\"preprocessedProfileVersion\"");
}

/* The meaning of weights, if the file does not have our list of events. [FF-9] */
struct weight_type {
	const char *name;
	uint32_t scale;
	const char *event, *unit;
	uint64_t period;
};

static const struct weight_type weight_types[] = {
	{ "samples", 1, "samples", "count", 1 },
	{ "tracing-ms", 1000000, "time", "nanoseconds", 0 },
	{ "bytes", 1, "bytes", "bytes", 0 },
};

static const struct weight_type *find_weight_type(const json_t *thread)
{
	const char *name = json_member_text(json_object_get(thread, "samples"), "weightType");

	for (size_t i = 0; i < sizeof(weight_types) / sizeof(*weight_types); i++)
		if (!strcmp(name, weight_types[i].name))
			return &weight_types[i];
	return &weight_types[0];
}

static uint32_t find_event(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->nr_events; i++)
		if (!strcmp(profile_text(p, p->events[i].name), name))
			return i;
	return PROFILE_NONE;
}

/* The list of events in a file of ours. [FF-7] */
static int add_own_events(struct firefox_reader *r, const json_t *events)
{
	const json_t *object;
	size_t i;

	json_array_foreach(events, i, object) {
		struct profile_event event = { 0 };
		int64_t period;
		bool whole = true;

		if (!json_amount(json_object_get(object, "period"), 1, &period, &whole) ||
		    period < 0 || !whole ||
		    number_parse_u64(json_member_text(object, "unitMask"), &event.unit_mask))
			return op_error_set(r->e, -EPROTO, "meta." FIREFOX_EVENTS "[%zu]: invalid "
					    "period or unitMask", i);
		event.name = profile_string(r->p, json_member_text(object, "name"));
		event.unit = profile_string(r->p, json_member_text(object, "unit"));
		event.period = (uint64_t)period;
		profile_add_event(r->p, &event);
	}
	return 0;
}

static int add_events(struct firefox_reader *r)
{
	const json_t *own = json_object_get(r->meta, FIREFOX_EVENTS), *thread;
	size_t i;

	if (json_array_size(own))
		return add_own_events(r, own);
	json_array_foreach(r->threads, i, thread) {
		const struct weight_type *type = find_weight_type(thread);
		struct profile_event event = { .period = type->period };

		if (find_event(r->p, type->event) != PROFILE_NONE)
			continue;
		event.name = profile_string(r->p, type->event);
		event.unit = profile_string(r->p, type->unit);
		profile_add_event(r->p, &event);
	}
	if (!r->p->nr_events)		/* [FF-8] */
		return op_error_set(r->e, -EPROTO, "threads: expected at least one");
	return 0;
}

static void add_label(struct firefox_reader *r, struct profile_label *labels, uint32_t *nr,
		      const char *key, const char *text, int64_t number)
{
	labels[(*nr)++] = (struct profile_label){
		.key = profile_string(r->p, key), .text = profile_string(r->p, text),
		.number = *text ? 0 : number,
	};
}

/* An id may be a number, a string with a number, or any other string. */
static void add_id(struct firefox_reader *r, struct profile_label *labels, uint32_t *nr,
		   const char *key)
{
	const json_t *id = json_object_get(r->thread, key);
	const char *text = json_string_value(id);
	int64_t number = json_integer_value(id);

	if (text ? !*text : !json_is_integer(id))
		return;
	if (text && whole_number(text, strlen(text), &number))
		text = NULL;
	add_label(r, labels, nr, key, text ? text : "", number);
}

/* [FF-10] */
static uint32_t add_labels(struct firefox_reader *r)
{
	const char *comm = json_member_text(r->thread, r->is_ours ? "processName" : "name");
	struct profile_label labels[3];
	uint32_t nr = 0;
	bool has_ids;

	add_id(r, labels, &nr, "pid");
	add_id(r, labels, &nr, "tid");
	has_ids = nr != 2 || labels[0].text || labels[0].number || labels[1].text ||
		labels[1].number;
	if (!has_ids)
		nr = 0;
	if (*comm && (has_ids || !r->is_ours || strcmp(comm, json_member_text(r->meta, "product"))))
		add_label(r, labels, &nr, "comm", comm, 0);
	return profile_label_set(r->p, labels, nr);
}

static int fail(struct firefox_reader *r, const char *column, size_t i, const char *what)
{
	return op_error_set(r->e, -EPROTO, "threads[%zu].samples.%s[%zu]: %s", r->at, column, i,
			    what);
}

/* Without weights each sample counts 1. [FF-8] [FF-9] [PF-7] */
static int read_samples(struct firefox_reader *r)
{
	const json_t *samples = json_object_get(r->thread, "samples"), *stack;
	const json_t *stacks = json_object_get(samples, "stack");
	const json_t *weights = json_object_get(samples, "weight");
	uint32_t scale = r->is_ours ? 1 : find_weight_type(r->thread)->scale, at, node;
	bool whole = true;
	size_t i;

	if (!json_is_array(stacks) ||
	    (json_is_array(weights) && json_array_size(weights) != json_array_size(stacks)))
		return op_error_set(r->e, -EPROTO, "threads[%zu].samples: expected stack and "
				    "weight to be columns of the same length", r->at);
	json_array_foreach(stacks, i, stack) {
		const json_t *weight = json_array_get(weights, i);
		int64_t value = scale;

		node = PROFILE_NONE;
		if (!json_is_null(stack)) {
			if (!json_index(stack, r->columns.nr_stacks, &at))
				return fail(r, "stack", i, "unknown stack");
			node = r->columns.nodes[at];
		}
		if (weight && !json_amount(weight, scale, &value, &whole))
			return fail(r, "weight", i, "expected a number below 2^63");
		if (!has_room_for_sample(r->p, r->size))
			return fail(r, "stack", i, "too many samples for this number of events");
		profile_add_sample(r->p, node, r->labels)[r->event] = value;
	}
	return whole ? 0 : format_warn_or_fail(r->options, r->e, "threads[%zu].samples.weight: "
					       "rounded fractions", r->at);
}

/* [FF-7] */
static int read_thread(struct firefox_reader *r)
{
	uint32_t event;
	int err;

	r->event = find_event(r->p, find_weight_type(r->thread)->event);
	if (json_array_size(json_object_get(r->meta, FIREFOX_EVENTS))) {
		if (!json_index(json_object_get(r->thread, FIREFOX_EVENT), r->p->nr_events, &event))
			return op_error_set(r->e, -EPROTO, "threads[%zu]." FIREFOX_EVENT
					    ": unknown event", r->at);
		r->event = event;
	}
	err = firefox_columns_read(&r->columns, r->thread, r->shared, r->at);
	if (err)
		return err;
	r->labels = add_labels(r);
	return read_samples(r);
}

static int read_threads(struct firefox_reader *r)
{
	int err = 0;

	json_array_foreach(r->threads, r->at, r->thread) {
		err = read_thread(r);
		if (err && format_skip(r->options, r->e, "rest of this thread"))
			err = 0;
		if (err)
			break;
	}
	return err;
}

static void read_title(struct firefox_reader *r)
{
	const char *product = json_member_text(r->meta, "product");

	if (r->is_ours && strcmp(product, "all"))
		profile_set_title(r->p, product);
}

/* [FF-8] */
static int read_tree(struct firefox_reader *r, const json_t *root)
{
	bool whole = true;
	int err;

	r->meta = json_object_get(root, "meta");
	r->shared = json_object_get(root, "shared");
	r->threads = json_object_get(root, "threads");
	if (!json_is_integer(json_object_get(r->meta, "preprocessedProfileVersion")))
		return op_error_set(r->e, -EPROTO, "meta.preprocessedProfileVersion: expected a "
				    "number, as in a processed profile");
	r->is_ours = !strncmp(json_member_text(r->meta, "importedFrom"), FIREFOX_IMPORTED_FROM,
			      strlen(FIREFOX_IMPORTED_FROM));
	json_amount(json_object_get(r->meta, "startTime"), 1000000, &r->p->start_ns, &whole);
	err = add_events(r);
	if (!err)
		err = read_threads(r);
	if (!err)
		read_title(r);
	return err;
}

static int read_firefox(const unsigned char *bytes, size_t size,
			const struct format_read_options *options, struct profile *p,
			struct op_error *e)
{
	struct firefox_reader r = { .options = options, .p = p, .e = e, .size = size };
	json_t *root;
	int err = json_tree_read(bytes, size, &root, r.e);

	if (err)
		return err;
	r.columns.p = p;
	r.columns.e = r.e;
	err = read_tree(&r, root);
	json_decref(root);
	firefox_columns_free(&r.columns);
	return err;
}

const struct profile_format format_firefox = {
	.name = "firefox",
	.suffix = "firefox.json",
	.text = "JSON of the Firefox Profiler (profiler.firefox.com)",
	.detect = detect,
	.read = read_firefox,
	.write = firefox_write,
};

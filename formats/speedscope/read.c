// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - read speedscope's JSON, ours and others
 *
 * In files that we wrote a profile is an event. Elsewhere it is a thread, and profiles of the same
 * unit are one event. Rules: doc/speedscope.md [SP-5]..[SP-9].
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/all_formats.h"
#include "formats/file/json_tree.h"
#include "formats/profile/room.h"
#include "formats/speedscope/speedscope.h"
#include "libutil/xalloc.h"

struct weight_unit {
	const char *name;
	uint32_t scale;			/* of @unit in this unit */
	const char *event, *unit;
	uint64_t period;
};

/* Weights of the unit "none" are numbers of samples. [SP-7] */
static const struct weight_unit units[] = {
	{ "none", 1, "samples", "count", 1 },
	{ "nanoseconds", 1, "time", "nanoseconds", 0 },
	{ "microseconds", 1000, "time", "nanoseconds", 0 },
	{ "milliseconds", 1000000, "time", "nanoseconds", 0 },
	{ "seconds", 1000000000, "time", "nanoseconds", 0 },
	{ "bytes", 1, "bytes", "bytes", 0 },
};

struct speedscope_reader {
	const struct format_read_options *options;
	struct profile *p;
	struct op_error *e;
	size_t size;			/* of the file */
	bool is_ours;
	const json_t *profiles;
	uint32_t *places;		/* of the frames */
	size_t nr_places;

	/* of the current profile: */
	size_t at;
	const json_t *profile;
	const struct weight_unit *unit;
	uint32_t event, labels;
	bool whole;			/* no value was rounded */
	uint32_t *stack;		/* nodes, outermost first */
	uint32_t *frames;		/* of these nodes */
	size_t nr_stack, room_stack, room_frames;
};

static bool detect(const unsigned char *bytes, size_t size)
{
	return json_has_key(bytes, size, "\"frames\"") && json_has_key(bytes, size, "\"profiles\"");
}

/* [SP-6] */
static int read_frames(struct speedscope_reader *r, const json_t *root)
{
	const json_t *frames = json_object_get(json_object_get(root, "shared"), "frames"), *frame;
	struct profile_line line = { 0 };
	size_t i;

	if (!json_is_array(frames))
		return op_error_set(r->e, -EPROTO, "shared.frames: expected a list");
	r->places = xcalloc(json_array_size(frames) + 1, sizeof(*r->places));
	json_array_foreach(frames, i, frame) {
		const char *name = json_string_value(json_object_get(frame, "name"));
		struct profile_function f;

		if (!name)
			return op_error_set(r->e, -EPROTO, "shared.frames[%zu].name: expected a "
					    "string", i);
		f.name = f.system_name = profile_string(r->p, name);
		f.file = profile_string(r->p, json_member_text(frame, "file"));
		f.start_line = json_line_number(json_object_get(frame, "line"));
		line.function = profile_function(r->p, &f);
		r->places[r->nr_places++] = profile_place(r->p, PROFILE_NONE, 0, &line, 1);
	}
	return 0;
}

static const struct weight_unit *find_unit(const json_t *profile)
{
	const char *name = json_member_text(profile, "unit");

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(name, units[i].name))
			return &units[i];
	return NULL;
}

static uint32_t find_event(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->nr_events; i++)
		if (!strcmp(profile_text(p, p->events[i].name), name))
			return i;
	return PROFILE_NONE;
}

/* Events must be added before samples, so there are two passes over the profiles. [SP-6] [SP-7] */
static int add_events(struct speedscope_reader *r)
{
	const json_t *profile;
	size_t i;

	json_array_foreach(r->profiles, i, profile) {
		const struct weight_unit *unit = find_unit(profile);
		struct profile_event event = { 0 };
		const char *name;

		if (!unit)
			return op_error_set(r->e, -EPROTO, "profiles[%zu].unit: unknown unit", i);
		name = r->is_ours ? json_member_text(profile, "name") : unit->event;
		if (!r->is_ours && find_event(r->p, name) != PROFILE_NONE)
			continue;
		event.name = profile_string(r->p, name);
		event.unit = profile_string(r->p, unit->unit);
		event.period = unit->period;
		profile_add_event(r->p, &event);
	}
	if (!r->p->nr_events)
		return op_error_set(r->e, -EPROTO, "profiles: expected at least one");
	return 0;
}

static int fail(struct speedscope_reader *r, const char *list, size_t i, const char *what)
{
	return op_error_set(r->e, -EPROTO, "profiles[%zu].%s[%zu]: %s", r->at, list, i, what);
}

/* [PF-7] */
static int add_sample(struct speedscope_reader *r, const char *list, size_t i, int64_t value)
{
	uint32_t node = r->nr_stack ? r->stack[r->nr_stack - 1] : PROFILE_NONE;

	if (!has_room_for_sample(r->p, r->size))
		return fail(r, list, i, "too many samples for this number of profiles");
	profile_add_sample(r->p, node, r->labels)[r->event] = value;
	return 0;
}

/* Push a frame, which the one before calls. [SP-8] */
static int push_frame(struct speedscope_reader *r, const json_t *index, const char *list, size_t i)
{
	uint32_t frame, parent = r->nr_stack ? r->stack[r->nr_stack - 1] : PROFILE_NONE;
	size_t at = r->nr_stack;

	if (!json_index(index, r->nr_places, &frame))
		return fail(r, list, i, "unknown frame");
	if (at == PROFILE_FRAMES_MAX)
		return fail(r, list, i, "more than 65536 frames");
	xgrow(r->stack, at, r->room_stack);
	xgrow(r->frames, at, r->room_frames);
	r->stack[at] = profile_node(r->p, parent, r->places[frame]);
	r->frames[at] = frame;
	r->nr_stack++;
	return 0;
}

/* [SP-8] */
static int read_sampled(struct speedscope_reader *r)
{
	const json_t *samples = json_object_get(r->profile, "samples"), *sample, *frame;
	const json_t *weights = json_object_get(r->profile, "weights");
	size_t i, k;
	int err = 0;

	if (!json_is_array(samples) || !json_is_array(weights) ||
	    json_array_size(samples) != json_array_size(weights))
		return op_error_set(r->e, -EPROTO, "profiles[%zu]: expected samples and weights to "
				    "be lists of the same length", r->at);
	json_array_foreach(samples, i, sample) {
		int64_t value;

		if (!json_is_array(sample))
			return fail(r, "samples", i, "expected a list of frames");
		r->nr_stack = 0;
		json_array_foreach(sample, k, frame) {
			err = push_frame(r, frame, "samples", i);
			if (err)
				return err;
		}
		if (!json_amount(json_array_get(weights, i), r->unit->scale, &value, &r->whole))
			return fail(r, "weights", i, "expected a number below 2^63");
		err = add_sample(r, "samples", i, value);
		if (err)
			return err;
	}
	return 0;
}

/* Open or close a frame. [SP-9] */
static int apply_event(struct speedscope_reader *r, const json_t *event, size_t i)
{
	const char *type = json_member_text(event, "type");
	const json_t *index = json_object_get(event, "frame");
	uint32_t frame;

	if (!strcmp(type, "O"))
		return push_frame(r, index, "events", i);
	if (strcmp(type, "C"))
		return fail(r, "events", i, "unknown type: expected O or C");
	if (!json_index(index, r->nr_places, &frame) || !r->nr_stack ||
	    r->frames[r->nr_stack - 1] != frame)
		return fail(r, "events", i, "closes a frame that is not the innermost one");
	r->nr_stack--;
	return 0;
}

/* The time since the event before belongs to the frames that were open. [SP-9] */
static int read_evented(struct speedscope_reader *r)
{
	const json_t *events = json_object_get(r->profile, "events"), *event;
	int64_t before = 0, at, passed;
	size_t i;
	int err;

	if (!json_is_array(events))
		return op_error_set(r->e, -EPROTO, "profiles[%zu].events: expected a list", r->at);
	r->nr_stack = 0;
	json_array_foreach(events, i, event) {
		if (!json_amount(json_object_get(event, "at"), r->unit->scale, &at, &r->whole) ||
		    (i && (at < before || __builtin_sub_overflow(at, before, &passed))))
			return fail(r, "events", i,
				    "invalid time, or earlier than the event before");
		err = i && r->nr_stack && passed ? add_sample(r, "events", i, passed) : 0;
		if (!err)
			err = apply_event(r, event, i);
		if (err)
			return err;
		before = at;
	}
	if (!r->nr_stack)
		return 0;
	return format_warn_or_fail(r->options, r->e, "profiles[%zu].events: %zu frames are never "
				   "closed", r->at, r->nr_stack);
}

static uint32_t add_labels(struct speedscope_reader *r)
{
	const char *name = json_member_text(r->profile, "name");
	struct profile_label label = { 0 };

	if (r->is_ours || !*name || json_array_size(r->profiles) < 2)
		return 0;
	label.key = profile_string(r->p, "thread");
	label.text = profile_string(r->p, name);
	return profile_label_set(r->p, &label, 1);
}

/* [SP-6] [SP-7] */
static int read_profile(struct speedscope_reader *r)
{
	const char *type = json_member_text(r->profile, "type");
	int err;

	r->unit = find_unit(r->profile);
	r->event = r->is_ours ? (uint32_t)r->at : find_event(r->p, r->unit->event);
	r->labels = add_labels(r);
	r->whole = true;
	if (!strcmp(type, "sampled"))
		err = read_sampled(r);
	else if (!strcmp(type, "evented"))
		err = read_evented(r);
	else
		return op_error_set(r->e, -EPROTO, "profiles[%zu].type: unknown type: expected "
				    "sampled or evented", r->at);
	if (!err && !r->whole)
		err = format_warn_or_fail(r->options, r->e, "profiles[%zu]: rounded fractions",
					  r->at);
	return err;
}

static int read_profiles(struct speedscope_reader *r)
{
	int err = 0;

	json_array_foreach(r->profiles, r->at, r->profile) {
		err = read_profile(r);
		if (err && format_skip(r->options, r->e, "rest of this profile"))
			err = 0;
		if (err)
			break;
	}
	return err;
}

static int read_tree(struct speedscope_reader *r, const json_t *root)
{
	int err;

	r->is_ours = !strncmp(json_member_text(root, "exporter"), SPEEDSCOPE_EXPORTER,
			      strlen(SPEEDSCOPE_EXPORTER));
	r->profiles = json_object_get(root, "profiles");
	if (r->is_ours)
		profile_set_title(r->p, json_member_text(root, "name"));
	err = read_frames(r, root);
	if (!err)
		err = add_events(r);
	return err ? err : read_profiles(r);
}

static int read_speedscope(const unsigned char *bytes, size_t size,
			   const struct format_read_options *options, struct profile *p,
			   struct op_error *e)
{
	struct speedscope_reader r = { .options = options, .p = p, .e = e, .size = size };
	json_t *root;
	int err = json_tree_read(bytes, size, &root, r.e);

	if (err)
		return err;
	err = read_tree(&r, root);
	json_decref(root);
	free(r.places);
	free(r.stack);
	free(r.frames);
	return err;
}

const struct profile_format format_speedscope = {
	.name = "speedscope",
	.suffix = "speedscope.json",
	.text = "speedscope's JSON",
	.detect = detect,
	.read = read_speedscope,
	.write = speedscope_write,
};

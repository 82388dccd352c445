// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - write speedscope's JSON: one profile for each event, stacks outermost first
 *
 * Rules: doc/speedscope.md [SP-1]..[SP-4].
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/profile/saturate.h"
#include "formats/profile/shown_frames.h"
#include "formats/speedscope/speedscope.h"
#include "libutil/json_text.h"
#include "libutil/xalloc.h"

struct speedscope_writer {
	const struct profile *profile;
	struct shown_frames shown;
	struct json json;
	int64_t *own;		/* sum of each node, and of the empty stack, for one event */
	uint32_t *stack;	/* functions, innermost first */
	size_t room_stack;
};

static void write_functions(struct speedscope_writer *w)
{
	struct json *j = &w->json;

	json_open(j, "shared", '{');
	json_open(j, "frames", '[');
	for (uint32_t i = 0; i < w->shown.nr_functions; i++) {
		const struct shown_function *f = &w->shown.functions[i];
		const char *file = profile_text(w->profile, f->file);

		json_line(j);
		json_open(j, NULL, '{');
		json_text(j, "name", f->name);
		if (*file)
			json_text(j, "file", file);
		if (f->start_line)
			json_number(j, "line", f->start_line);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

/* The weight of a sample, and its unit in speedscope. [SP-2] */
static const char *find_unit(const struct profile *p, const struct profile_event *event,
			     uint64_t *ret_weight)
{
	const char *unit = profile_text(p, event->unit);

	*ret_weight = 1;
	if (!strcmp(unit, "nanoseconds")) {
		*ret_weight = event->period ? event->period : 1;
		return unit;
	}
	return !event->period && !strcmp(unit, "bytes") ? unit : "none";
}

static void sum_nodes(struct speedscope_writer *w, uint32_t event)
{
	const struct profile *p = w->profile;

	memset(w->own, 0, ((size_t)p->tree.nr + 1) * sizeof(*w->own));
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		uint32_t node = p->samples[i].node;
		int64_t *sum = &w->own[node == PROFILE_NONE ? p->tree.nr : node];

		*sum = add_saturated(*sum, profile_values(p, i)[event]);
	}
}

static void write_stack(struct speedscope_writer *w, uint32_t node)
{
	const struct profile *p = w->profile;
	size_t nr = 0;

	if (node == p->tree.nr) {
		xgrow(w->stack, nr, w->room_stack);
		w->stack[nr++] = w->shown.unknown;
		node = PROFILE_NONE;
	}
	for (; node != PROFILE_NONE; node = p->tree.nodes[node].parent) {
		uint32_t place = p->tree.nodes[node].key;

		for (uint32_t i = w->shown.first[place]; i < w->shown.first[place + 1]; i++) {
			xgrow(w->stack, nr, w->room_stack);
			w->stack[nr++] = w->shown.frames[i].function;
		}
	}
	json_line(&w->json);
	json_open(&w->json, NULL, '[');
	while (nr)
		json_number(&w->json, NULL, w->stack[--nr]);
	json_close(&w->json, ']');
}

static void write_event(struct speedscope_writer *w, uint32_t event)
{
	const struct profile *p = w->profile;
	struct json *j = &w->json;
	uint64_t weight;
	int64_t total = 0;

	sum_nodes(w, event);
	json_line(j);
	json_open(j, NULL, '{');
	json_text(j, "type", "sampled");
	json_text(j, "name", profile_text(p, p->events[event].name));
	json_text(j, "unit", find_unit(p, &p->events[event], &weight));
	json_open(j, "samples", '[');
	for (uint32_t i = 0; i <= p->tree.nr; i++)
		if (w->own[i] > 0)
			write_stack(w, i);
	json_close(j, ']');
	json_open(j, "weights", '[');
	for (uint32_t i = 0; i <= p->tree.nr; i++) {
		int64_t value = multiply_saturated(w->own[i], weight);

		if (value <= 0)
			continue;
		json_number(j, NULL, value);
		total = add_saturated(total, value);
	}
	json_close(j, ']');
	json_number(j, "startValue", 0);
	json_number(j, "endValue", total);
	json_close(j, '}');
}

static void write_all(struct speedscope_writer *w)
{
	const struct profile *p = w->profile;
	struct json *j = &w->json;

	json_open(j, NULL, '{');
	json_text(j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_text(j, "exporter", SPEEDSCOPE_EXPORTER OP_VERSION);
	if (*profile_title(p))
		json_text(j, "name", profile_title(p));
	json_line(j);
	write_functions(w);
	json_line(j);
	json_open(j, "profiles", '[');
	for (uint32_t i = 0; i < p->nr_events; i++)
		write_event(w, i);
	json_close(j, ']');
	json_close(j, '}');
	putc('\n', j->out);
}

int speedscope_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		     struct op_error *e)
{
	struct speedscope_writer w = { .profile = p, .json.out = out };

	(void)options;
	if (!p->nr_events)
		return op_error_set(e, -EINVAL, "the profile has no events");
	shown_frames_make(p, &w.shown);
	w.own = xcalloc((size_t)p->tree.nr + 1, sizeof(*w.own));
	write_all(&w);
	shown_frames_free(&w.shown);
	free(w.own);
	free(w.stack);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - write the Firefox Profiler's processed profile format, version 48
 *
 * A profile is a list of threads; a thread has tables, and a table has columns.
 * Rules: doc/firefox.md [FF-1]..[FF-6].
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formats/firefox/firefox.h"
#include "formats/firefox/tables.h"
#include "formats/firefox/threads.h"
#include "libutil/json_text.h"
#include "libutil/xalloc.h"

#define FORMAT_VERSION	48
#define LIBRARY		1	/* type of a resource */

enum { USER, KERNEL, OTHER };	/* categories */

struct firefox_writer {
	const struct profile *profile;
	struct shown_frames shown;
	struct firefox_tables tables;
	struct json json;
};

/* Write a column: a value for each i below @nr. */
#define COLUMN(j, name, nr, write, ...)                                                        \
	do {                                                                                   \
		json_open(j, name, '[');                                                       \
		for (uint32_t i = 0; i < (nr); i++)                                            \
			write(j, NULL, __VA_ARGS__);                                           \
		json_close(j, ']');                                                            \
	} while (0)

static void put_index(struct json *j, const char *name, uint32_t value)
{
	json_signed(j, name, value == PROFILE_NONE ? -1 : (int64_t)value, -1);
}

static void put_null(struct json *j, const char *name, int unused)
{
	(void)unused;
	json_text(j, name, NULL);
}

static const struct shown_function *function_at(const struct firefox_writer *w, uint32_t row)
{
	return &w->shown.functions[w->tables.functions.elements[row]];
}

static uint32_t frame_function(const struct firefox_writer *w, uint32_t row)
{
	uint32_t frame = w->tables.frames.elements[row];
	uint32_t function = frame == w->shown.first[w->profile->nr_places]
			  ? w->shown.unknown : w->shown.frames[frame].function;

	return w->tables.functions.row[function];
}

static uint32_t frame_line(const struct firefox_writer *w, uint32_t row)
{
	uint32_t frame = w->tables.frames.elements[row];
	uint32_t line = frame == w->shown.first[w->profile->nr_places]
		      ? 0 : w->shown.frames[frame].line;

	return line ? line : PROFILE_NONE;
}

static uint64_t frame_category(const struct firefox_writer *w, uint32_t row)
{
	uint32_t image = function_at(w, frame_function(w, row))->image;

	if (image == PROFILE_NONE)
		return OTHER;
	return w->profile->images[image].kind == PROFILE_KERNEL ||
	       w->profile->images[image].kind == PROFILE_KERNEL_MODULE ? KERNEL : USER;
}

static uint32_t function_resource(const struct firefox_writer *w, uint32_t row)
{
	uint32_t image = function_at(w, row)->image;

	return image == PROFILE_NONE ? PROFILE_NONE : w->tables.images.row[image];
}

/* Strings: names of functions, then of their files, then of images. [FF-4] */
static void write_strings(struct firefox_writer *w)
{
	const struct firefox_tables *t = &w->tables;
	const struct profile *p = w->profile;
	struct json *j = &w->json;

	json_open(j, "stringArray", '[');
	for (uint32_t i = 0; i < t->functions.nr; i++)
		json_text(j, NULL, function_at(w, i)->name);
	for (uint32_t i = 0; i < t->functions.nr; i++)
		json_text(j, NULL, profile_text(p, function_at(w, i)->file));
	for (uint32_t i = 0; i < t->images.nr; i++)
		json_text(j, NULL, profile_text(p, p->images[t->images.elements[i]].path));
	json_close(j, ']');
}

static void write_stacks(struct firefox_writer *w)
{
	const struct firefox_tables *t = &w->tables;
	struct json *j = &w->json;

	json_open(j, "stackTable", '{');
	COLUMN(j, "frame", t->nr_stacks, json_number, t->stacks[i].frame);
	COLUMN(j, "category", t->nr_stacks, json_number, frame_category(w, t->stacks[i].frame));
	COLUMN(j, "subcategory", t->nr_stacks, json_number, 0);
	COLUMN(j, "prefix", t->nr_stacks, put_index, t->stacks[i].prefix);
	json_number(j, "length", t->nr_stacks);
	json_close(j, '}');
}

static void write_frames(struct firefox_writer *w)
{
	uint32_t nr = w->tables.frames.nr;
	struct json *j = &w->json;

	json_open(j, "frameTable", '{');
	COLUMN(j, "address", nr, json_signed, -1, INT64_MIN);
	COLUMN(j, "inlineDepth", nr, json_number, 0);
	COLUMN(j, "category", nr, json_number, frame_category(w, i));
	COLUMN(j, "subcategory", nr, json_number, 0);
	COLUMN(j, "func", nr, json_number, frame_function(w, i));
	COLUMN(j, "nativeSymbol", nr, put_null, 0);
	COLUMN(j, "innerWindowID", nr, put_null, 0);
	COLUMN(j, "implementation", nr, put_null, 0);
	COLUMN(j, "line", nr, put_index, frame_line(w, i));
	COLUMN(j, "column", nr, put_null, 0);
	json_number(j, "length", nr);
	json_close(j, '}');
}

static void write_functions(struct firefox_writer *w)
{
	uint32_t nr = w->tables.functions.nr;
	struct json *j = &w->json;

	json_open(j, "funcTable", '{');
	COLUMN(j, "name", nr, json_number, i);
	COLUMN(j, "isJS", nr, json_bool, false);
	COLUMN(j, "relevantForJS", nr, json_bool, false);
	COLUMN(j, "resource", nr, json_signed,
	       function_resource(w, i) == PROFILE_NONE ? -1 : (int64_t)function_resource(w, i),
	       INT64_MIN);
	COLUMN(j, "fileName", nr, put_index, function_at(w, i)->file ? nr + i : PROFILE_NONE);
	COLUMN(j, "lineNumber", nr, put_index,
	       function_at(w, i)->start_line ? function_at(w, i)->start_line : PROFILE_NONE);
	COLUMN(j, "columnNumber", nr, put_null, 0);
	json_number(j, "length", nr);
	json_close(j, '}');
}

static void write_images(struct firefox_writer *w)
{
	uint32_t nr = w->tables.images.nr, before = 2 * w->tables.functions.nr;
	struct json *j = &w->json;

	json_open(j, "resourceTable", '{');
	COLUMN(j, "lib", nr, put_null, 0);
	COLUMN(j, "name", nr, json_number, before + i);
	COLUMN(j, "host", nr, put_null, 0);
	COLUMN(j, "type", nr, json_number, LIBRARY);
	json_number(j, "length", nr);
	json_close(j, '}');
}

/* The format requires tables that we have no rows for. */
static void write_empty(struct json *j, const char *table, const char *const *columns)
{
	json_open(j, table, '{');
	for (; *columns; columns++) {
		json_open(j, *columns, '[');
		json_close(j, ']');
	}
	json_number(j, "length", 0);
	json_close(j, '}');
}

/* Milliseconds for each sample of an event. [FF-5] */
static double sample_ms(const struct profile *p, uint32_t event)
{
	const struct profile_event *e = &p->events[event];

	return e->period && !strcmp(profile_text(p, e->unit), "nanoseconds") ? e->period / 1e6 : 1;
}

/* Samples of @event in the thread; the time of a sample is the sum of those before it. [FF-5] */
static void write_samples(struct firefox_writer *w, const struct firefox_threads *threads,
			  const struct firefox_thread *thread, uint32_t event)
{
	const struct profile *p = w->profile;
	const uint32_t *samples = threads->order + thread->first;
	double ms = sample_ms(p, event), time = 0;
	struct json *j = &w->json;
	uint64_t nr = 0;

	json_open(j, "samples", '{');
	json_open(j, "stack", '[');
	for (uint32_t i = 0; i < thread->nr; i++)
		if (profile_values(p, samples[i])[event] > 0) {
			json_number(j, NULL, firefox_stack(&w->tables,
							   p->samples[samples[i]].node));
			nr++;
		}
	json_close(j, ']');
	json_open(j, "time", '[');
	for (uint32_t i = 0; i < thread->nr; i++)
		if (profile_values(p, samples[i])[event] > 0) {
			json_real(j, NULL, time);
			time += ms * profile_values(p, samples[i])[event];
		}
	json_close(j, ']');
	json_open(j, "weight", '[');
	for (uint32_t i = 0; i < thread->nr; i++)
		if (profile_values(p, samples[i])[event] > 0)
			json_number(j, NULL, profile_values(p, samples[i])[event]);
	json_close(j, ']');
	json_text(j, "weightType", "samples");
	json_number(j, "length", nr);
	json_close(j, '}');
}

static bool has_samples(const struct firefox_writer *w, const struct firefox_threads *threads,
			const struct firefox_thread *thread, uint32_t event)
{
	for (uint32_t i = 0; i < thread->nr; i++)
		if (profile_values(w->profile, threads->order[thread->first + i])[event] > 0)
			return true;
	return false;
}

static const char *program_name(const struct profile *p)
{
	const char *title = profile_title(p);

	return *title ? title : "all";
}

/* A thread is a track; with several events a track for each. [FF-3] */
static void write_names(struct firefox_writer *w, const struct firefox_thread *thread,
			uint32_t event)
{
	const struct profile *p = w->profile;
	const char *process = thread->comm ? profile_text(p, thread->comm) : program_name(p);
	const char *event_name = profile_text(p, p->events[event].name);
	char *name = p->nr_events > 1 ? xasprintf("%s (%s)", process, event_name)
				      : xstrdup(process);
	char *pid = xasprintf("%lld", (long long)thread->pid);

	json_text(&w->json, "name", name);
	json_text(&w->json, "processName", process);
	json_bool(&w->json, "isMainThread", !thread->has_tid || thread->tid == thread->pid);
	json_text(&w->json, "pid", pid);
	json_signed(&w->json, "tid", thread->has_tid ? thread->tid : thread->pid, INT64_MIN);
	free(name);
	free(pid);
}

static void write_thread(struct firefox_writer *w, const struct firefox_threads *threads,
			 const struct firefox_thread *thread, uint32_t event)
{
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize",
					       NULL };
	static const char *const markers[] = { "data", "name", "startTime", "endTime", "phase",
					       "category", NULL };
	struct json *j = &w->json;

	firefox_tables_reset(&w->tables);
	json_line(j);
	json_open(j, NULL, '{');
	write_names(w, thread, event);
	json_number(j, FIREFOX_EVENT, event);
	json_text(j, "processType", "default");
	json_number(j, "processStartupTime", 0);
	json_text(j, "processShutdownTime", NULL);
	json_number(j, "registerTime", 0);
	json_text(j, "unregisterTime", NULL);
	json_open(j, "pausedRanges", '[');
	json_close(j, ']');
	write_samples(w, threads, thread, event);
	write_stacks(w);
	write_frames(w);
	write_functions(w);
	write_images(w);
	write_empty(j, "nativeSymbols", symbols);
	write_empty(j, "markers", markers);
	write_strings(w);
	json_close(j, '}');
}

static void write_category(struct json *j, const char *name, const char *color)
{
	json_open(j, NULL, '{');
	json_text(j, "name", name);
	json_text(j, "color", color);
	json_open(j, "subcategories", '[');
	json_text(j, NULL, "Other");
	json_close(j, ']');
	json_close(j, '}');
}

/* Members for our reader only. [FF-7] */
static void write_events(struct firefox_writer *w)
{
	const struct profile *p = w->profile;
	struct json *j = &w->json;

	json_open(j, FIREFOX_EVENTS, '[');
	for (uint32_t i = 0; i < p->nr_events; i++) {
		json_open(j, NULL, '{');
		json_text(j, "name", profile_text(p, p->events[i].name));
		json_text(j, "unit", profile_text(p, p->events[i].unit));
		json_number(j, "period", p->events[i].period);
		json_address(j, "unitMask", p->events[i].unit_mask);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void write_extensions(struct json *j)
{
	static const char *const columns[] = { "baseURL", "id", "name", NULL };

	write_empty(j, "extensions", columns);
}

static void write_meta(struct firefox_writer *w)
{
	const struct profile *p = w->profile;
	struct json *j = &w->json;

	json_open(j, "meta", '{');
	json_number(j, "preprocessedProfileVersion", FORMAT_VERSION);
	json_number(j, "version", 24);
	json_number(j, "processType", 0);
	json_text(j, "product", program_name(p));
	json_text(j, "importedFrom", FIREFOX_IMPORTED_FROM OP_VERSION);
	json_real(j, "interval", sample_ms(p, 0));
	json_number(j, "startTime", p->start_ns > 0 ? p->start_ns / 1000000 : 0);
	json_number(j, "stackwalk", 1);
	json_bool(j, "debug", false);
	json_bool(j, "symbolicated", true);
	json_bool(j, "usesOnlyOneStackType", true);
	json_bool(j, "doesNotUseFrameImplementation", true);
	json_bool(j, "sourceCodeIsNotOnSearchfox", true);
	write_extensions(j);
	json_open(j, "markerSchema", '[');
	json_close(j, ']');
	json_open(j, "categories", '[');
	write_category(j, "User", "yellow");
	write_category(j, "Kernel", "orange");
	write_category(j, "Other", "grey");
	json_close(j, ']');
	write_events(w);
	json_close(j, '}');
}

static void write_all(struct firefox_writer *w, const struct firefox_threads *threads)
{
	struct json *j = &w->json;

	json_open(j, NULL, '{');
	write_meta(w);
	json_open(j, "libs", '[');
	json_close(j, ']');
	json_open(j, "threads", '[');
	for (uint32_t i = 0; i < threads->nr; i++)
		for (uint32_t event = 0; event < w->profile->nr_events; event++)
			if (has_samples(w, threads, &threads->threads[i], event))
				write_thread(w, threads, &threads->threads[i], event);
	json_close(j, ']');
	json_close(j, '}');
	putc('\n', j->out);
}

int firefox_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		  struct op_error *e)
{
	struct firefox_writer w = { .profile = p, .json.out = out };
	struct firefox_threads threads;

	(void)options;
	if (!p->nr_events)
		return op_error_set(e, -EINVAL, "the profile has no events");
	shown_frames_make(p, &w.shown);
	firefox_tables_init(&w.tables, p, &w.shown);
	firefox_threads_make(p, &threads);
	write_all(&w, &threads);
	firefox_threads_free(&threads);
	firefox_tables_free(&w.tables);
	shown_frames_free(&w.shown);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - read the output of perf script
 *
 * Two passes, because events must be added before the first sample. Rules: doc/perf-script.md
 * [PS-n].
 */
#include <errno.h>
#include <stdlib.h>

#include "formats/all_formats.h"
#include "formats/perf_script/perf_script.h"
#include "formats/profile/named_images.h"
#include "formats/profile/room.h"
#include "libutil/progress.h"
#include "libutil/xalloc.h"

#define EVENTS_MAX	64

struct perf_script_reader {
	const struct format_read_options *options;
	struct profile *p;
	struct op_error *e;
	size_t size;				/* of the file */
	unsigned long line;
	int64_t periods[EVENTS_MAX];		/* of each event; -1: they differ */
	struct profile_line *lines;		/* of the current place, innermost first */
	size_t nr_lines, room_lines;
	uint32_t *places;			/* of the current sample, innermost first */
	size_t nr_places, room_places;
	struct named_images images;
	bool in_sample;
	struct perf_header header;
};

static bool is_comment(struct text line)
{
	return line.at < line.end && *line.at == '#';
}

static bool is_empty(struct text line)
{
	for (; line.at < line.end; line.at++)
		if (*line.at != ' ' && *line.at != '\t')
			return false;
	return true;
}

static bool is_indented(struct text line)
{
	return line.at < line.end && *line.at == '\t';
}

static bool detect(const unsigned char *bytes, size_t size)
{
	struct text all = { (const char *)bytes, (const char *)bytes + size }, line;
	struct perf_header header;

	while (text_next_line(&all, &line))
		if (!is_comment(line) && !is_empty(line))
			return !text_has_controls(line) && perf_script_header(line, &header);
	return false;
}

static uint32_t find_event(const struct profile *p, uint32_t name)
{
	for (uint32_t i = 0; i < p->nr_events; i++)
		if (p->events[i].name == name)
			return i;
	return PROFILE_NONE;
}

static bool counts_time(struct text event)
{
	static const char *const names[] = { "cpu-clock", "task-clock" };

	for (size_t i = 0; i < 2; i++)
		if (text_length(event) >= strlen(names[i]) &&
		    !memcmp(event.at, names[i], strlen(names[i])))
			return true;
	return false;
}

/* [PS-2] */
static int add_event(struct perf_script_reader *r, const struct perf_header *h)
{
	uint32_t name = profile_string_n(r->p, h->event.at, text_length(h->event));
	uint32_t at = find_event(r->p, name);

	if (at == PROFILE_NONE) {
		struct profile_event event = { .name = name };

		if (r->p->nr_events == EVENTS_MAX)
			return op_error_set(r->e, -EPROTO, "line %lu: more than %d events", r->line,
					    EVENTS_MAX);
		event.unit = profile_string(r->p, counts_time(h->event) ? "nanoseconds" : "count");
		at = profile_add_event(r->p, &event);
		r->periods[at] = h->period;
	}
	if (r->periods[at] != h->period)
		r->periods[at] = -1;
	return 0;
}

/* First pass: the events, and whether all samples of an event have the same period. [PS-4] */
static int read_events(struct perf_script_reader *r, struct text all)
{
	struct perf_header header;
	struct text line;
	int err = 0;

	while (!err && text_next_line(&all, &line)) {
		r->line++;
		progress_tell(NULL, r->line, 0, "lines");
		if (!is_comment(line) && !is_indented(line) && !text_has_controls(line) &&
		    perf_script_header(line, &header))
			err = add_event(r, &header);
	}
	for (uint32_t i = 0; i < r->p->nr_events; i++)
		r->p->events[i].period = r->periods[i] < 0 ? 0 : r->periods[i];
	r->line = 0;
	return err;
}

/* [PS-5] */
static uint32_t find_image(struct perf_script_reader *r, struct text image)
{
	return named_images_find(&r->images, r->p,
				 profile_string_n(r->p, image.at, text_length(image)));
}

static void add_line(struct perf_script_reader *r, struct text symbol)
{
	uint32_t name = profile_string_n(r->p, symbol.at, text_length(symbol));
	struct profile_function function = { .name = name, .system_name = name };

	if (!text_length(symbol))
		return;
	xgrow(r->lines, r->nr_lines, r->room_lines);
	r->lines[r->nr_lines++] = (struct profile_line){ profile_function(r->p, &function), 0 };
}

static bool is_kernel(const struct profile *p, uint32_t image)
{
	return image != PROFILE_NONE && (p->images[image].kind == PROFILE_KERNEL ||
					 p->images[image].kind == PROFILE_KERNEL_MODULE);
}

/*
 * The addresses of callers are return addresses; that of the user's frame below the kernel's is
 * where it was interrupted. [PS-3]
 */
static int add_frame(struct perf_script_reader *r, const struct perf_frame *frame)
{
	uint32_t place, image, is_caller = r->nr_places && frame->address;

	add_line(r, frame->symbol);
	if (frame->is_inlined)
		return 0;
	if (r->nr_places == PROFILE_FRAMES_MAX)
		return op_error_set(r->e, -EPROTO, "line %lu: more than %u frames", r->line,
				    PROFILE_FRAMES_MAX);
	image = find_image(r, frame->image);
	if (is_caller && !is_kernel(r->p, image) &&
	    is_kernel(r->p, r->p->places[r->places[r->nr_places - 1]].image))
		is_caller = 0;
	place = profile_place(r->p, image, frame->address - is_caller, r->lines, r->nr_lines);
	r->nr_lines = 0;
	xgrow(r->places, r->nr_places, r->room_places);
	r->places[r->nr_places++] = place;
	return 0;
}

static uint32_t add_labels(struct perf_script_reader *r)
{
	const struct perf_header *h = &r->header;
	struct profile_label labels[4];
	uint32_t nr = 0;

	if (h->pid >= 0)
		labels[nr++] = (struct profile_label){ .key = profile_string(r->p, "pid"),
						       .number = h->pid };
	if (h->tid >= 0)
		labels[nr++] = (struct profile_label){ .key = profile_string(r->p, "tid"),
						       .number = h->tid };
	if (h->cpu >= 0)
		labels[nr++] = (struct profile_label){ .key = profile_string(r->p, "cpu"),
						       .number = h->cpu };
	if (text_length(h->comm))
		labels[nr++] = (struct profile_label){
			.key = profile_string(r->p, "comm"),
			.text = profile_string_n(r->p, h->comm.at, text_length(h->comm)) };
	return profile_label_set(r->p, labels, nr);
}

/* [PF-7] */
static int end_sample(struct perf_script_reader *r)
{
	uint32_t event, node = PROFILE_NONE;
	int64_t value;

	if (!r->in_sample)
		return 0;
	r->in_sample = false;
	event = find_event(r->p, profile_string_n(r->p, r->header.event.at,
						  text_length(r->header.event)));
	value = r->periods[event] < 0 ? r->header.period : 1;
	if (!value)
		return 0;
	if (!has_room_for_sample(r->p, r->size))
		return op_error_set(r->e, -EPROTO, "line %lu: too many samples for this number of "
				    "events", r->line);
	if (r->nr_places)
		node = profile_stack(r->p, r->places, r->nr_places);
	profile_add_sample(r->p, node, add_labels(r))[event] = value;
	return 0;
}

/* [PS-2] */
static int begin_sample(struct perf_script_reader *r)
{
	struct perf_frame frame;
	int err;

	r->in_sample = true;
	r->nr_places = r->nr_lines = 0;
	if (!text_length(r->header.frame))
		return 0;
	if (!perf_script_frame(r->header.frame, &frame))
		return op_error_set(r->e, -EPROTO, "line %lu: expected an address after the event "
				    "name", r->line);
	err = add_frame(r, &frame);
	return err ? err : end_sample(r);
}

/* [PS-1] [PS-2] */
static int read_line(struct perf_script_reader *r, struct text line)
{
	struct perf_frame frame;
	int err;

	if (is_comment(line))
		return 0;
	if (is_empty(line))
		return end_sample(r);
	if (text_has_controls(line))
		return op_error_set(r->e, -EPROTO, "line %lu: invalid control character", r->line);
	if (r->in_sample && is_indented(line)) {
		/* other lines are source positions of the frame before */
		return perf_script_frame(line, &frame) ? add_frame(r, &frame) : 0;
	}
	err = end_sample(r);
	if (err)
		return err;
	if (!is_indented(line) && perf_script_header(line, &r->header))
		return begin_sample(r);
	return op_error_set(r->e, -EPROTO, "line %lu: expected a sample or a frame; print them "
			    "with perf script -F comm,pid,tid,time,period,event,ip,sym,dso",
			    r->line);
}

static int read_lines(struct perf_script_reader *r, struct text all)
{
	struct text line;
	int err = 0;

	while (!err && text_next_line(&all, &line)) {
		r->line++;
		err = read_line(r, line);
		if (err && format_skip(r->options, r->e, "line")) {
			r->in_sample = false;
			err = 0;
		}
	}
	return err ? err : end_sample(r);
}

static int perf_script_read(const unsigned char *bytes, size_t size,
			    const struct format_read_options *options, struct profile *p,
			    struct op_error *e)
{
	struct text all = { (const char *)bytes, (const char *)bytes + size };
	struct perf_script_reader r = { .options = options, .p = p, .e = e, .size = size };
	int err = read_events(&r, all);

	if (!err)
		err = read_lines(&r, all);
	if (!err && !p->nr_samples)
		err = op_error_set(r.e, -EPROTO, "no samples found");	/* [PS-2] */
	free(r.lines);
	free(r.places);
	named_images_free(&r.images);
	return err;
}

const struct profile_format format_perf_script = {
	.name = "perf-script",
	.suffix = "perf",
	.text = "output of perf script, which many tools read",
	.detect = detect,
	.read = perf_script_read,
	.write = perf_script_write,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - read perf.data: samples with their stacks, in order of time
 *
 * Two passes: the first finds the records and the events, the second applies them in order.
 * Rules: doc/perf-data.md [PD-n].
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "formats/all_formats.h"
#include "formats/perf_data/perf_data.h"
#include "formats/profile/room.h"
#include "libutil/xalloc.h"

#define MAGIC_LEN	8

struct perf_data_reader {
	struct perf_data *d;
	struct perf_tasks *tasks;
	uint32_t *places;		/* of the current sample, innermost first */
	size_t nr_places, room_places;
	uint32_t keys[4];		/* strings: pid, tid, cpu, comm */
};

/* The magic is in the byte order of the machine that wrote the file. */
static bool detect(const unsigned char *bytes, size_t size)
{
	return size >= MAGIC_LEN && (!memcmp(bytes, "PERFILE2", MAGIC_LEN) ||
				     !memcmp(bytes, "2ELIFREP", MAGIC_LEN));
}

/* --- events --- */

static bool counts_time(const char *name)
{
	return !strncmp(name, "cpu-clock", 9) || !strncmp(name, "task-clock", 10);
}

/* Of hybrid CPUs, two may have one name. */
static uint32_t find_event(const struct profile *p, uint32_t name)
{
	for (uint32_t i = 0; i < p->nr_events; i++)
		if (p->events[i].name == name)
			return i;
	return PROFILE_NONE;
}

/* Those that have samples. The same rule as for text: [PS-4]. */
static void add_events(struct perf_data *d)
{
	struct profile *p = d->p;
	char room[64];

	for (uint32_t i = 0; i < d->nr_attrs; i++) {
		struct perf_attr *a = &d->attrs[i];
		const char *name = perf_attr_name(a, room, sizeof(room));
		struct profile_event event = { .name = profile_string(p, name) };

		if (!a->nr_samples)
			continue;
		a->event = find_event(p, event.name);
		event.period = a->same_period > 0 ? (uint64_t)a->same_period : 0;
		event.unit = profile_string(p, counts_time(name) ? "nanoseconds" : "count");
		if (a->event == PROFILE_NONE)
			a->event = profile_add_event(p, &event);
		else if (p->events[a->event].period != event.period)
			p->events[a->event].period = 0;
	}
}

/* --- samples --- */

static uint32_t make_place(struct perf_data_reader *r, uint32_t pid, enum perf_frame frame,
			   uint64_t address)
{
	struct profile_line line = { 0 };
	uint32_t function, image = perf_tasks_image(r->tasks, pid, frame, address, &function);

	line.function = function - 1;
	return profile_place(r->d->p, image, address, &line, function ? 1 : 0);
}

static void add_frame(struct perf_data_reader *r, uint32_t pid, enum perf_frame frame,
		      uint64_t address)
{
	uint32_t place = make_place(r, pid, frame, address);

	xgrow(r->places, r->nr_places, r->room_places);
	r->places[r->nr_places++] = place;
}

/*
 * Markers say whose addresses follow: the kernel's, the user's, or a guest's, which end it. The
 * first address after a marker is where code was interrupted, others are return addresses. [PD-6]
 */
static void read_stack(struct perf_data_reader *r, const struct perf_data_sample *s,
		       enum perf_frame frame)
{
	enum perf_frame user = frame == PERF_FRAME_KERNEL ? PERF_FRAME_CALLED_KERNEL
							  : PERF_FRAME_USER;
	struct bytes stack = s->stack;
	bool is_caller = false;
	uint64_t word;

	while (take_u64(&stack, &word)) {
		if (word < (uint64_t)PERF_CONTEXT_MAX) {
			add_frame(r, s->pid, frame, word - (is_caller && word));
			is_caller = true;
		} else if (word == (uint64_t)PERF_CONTEXT_KERNEL ||
			   word == (uint64_t)PERF_CONTEXT_USER) {
			frame = word == (uint64_t)PERF_CONTEXT_KERNEL ? PERF_FRAME_KERNEL : user;
			is_caller = false;
		} else {
			return;
		}
	}
}

static uint32_t add_labels(struct perf_data_reader *r, const struct perf_data_sample *s)
{
	struct profile_label labels[4];
	uint32_t nr = 0, comm = s->tid == UINT32_MAX ? 0 : perf_tasks_comm(r->tasks, s->tid);

	if (s->pid != UINT32_MAX)
		labels[nr++] = (struct profile_label){ .key = r->keys[0], .number = s->pid };
	if (s->tid != UINT32_MAX)
		labels[nr++] = (struct profile_label){ .key = r->keys[1], .number = s->tid };
	if (s->cpu != UINT32_MAX)
		labels[nr++] = (struct profile_label){ .key = r->keys[2], .number = s->cpu };
	if (comm)
		labels[nr++] = (struct profile_label){ .key = r->keys[3], .text = comm };
	return profile_label_set(r->d->p, labels, nr);
}

static void keep_time(struct perf_data *d, uint64_t time)
{
	if (!time)
		return;
	if (!d->first_ns)
		d->first_ns = time;
	d->last_ns = time;
}

static int add_sample(struct perf_data_reader *r, const struct perf_event_header *h,
		      struct bytes b)
{
	struct perf_data *d = r->d;
	const struct perf_attr *a = perf_attr_find(d, perf_sample_id(&d->attrs[0], b));
	uint16_t mode = h->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	enum perf_frame frame = mode == PERF_RECORD_MISC_KERNEL ? PERF_FRAME_KERNEL
								: PERF_FRAME_USER;
	uint32_t node = PROFILE_NONE;
	struct perf_data_sample s;
	int64_t value;

	if (!a || !perf_sample_parse(a, b, &s))
		return 0;		/* reported by the first pass */
	value = d->p->events[a->event].period ? 1
	      : s.period > INT64_MAX ? INT64_MAX : (int64_t)s.period;
	if (!value)
		return 0;
	if (!has_room_for_sample(d->p, d->size + d->unpacked))
		return op_error_set(d->e, -EPROTO, "too many samples for this number of events");
	keep_time(d, s.time);
	r->nr_places = 0;
	read_stack(r, &s, frame);
	if (!r->nr_places && a->sample_type & PERF_SAMPLE_IP)
		add_frame(r, s.pid, frame, s.ip);
	if (r->nr_places)
		node = profile_stack(d->p, r->places, r->nr_places);
	profile_add_sample(d->p, node, add_labels(r, &s))[a->event] = value;
	return 0;
}

/* The second pass, in order of time. */
static int apply_records(struct perf_data_reader *r)
{
	static const char *const names[] = { "pid", "tid", "cpu", "comm" };
	struct perf_data *d = r->d;
	int err = 0;

	for (size_t i = 0; i < 4; i++)
		r->keys[i] = profile_string(d->p, names[i]);
	for (size_t i = 0; i < d->records.nr && !err; i++) {
		uintptr_t at = (uintptr_t)d->records.items[i].value;
		struct bytes b;
		struct perf_event_header h = perf_record_at(d, (const unsigned char *)at, &b);
		uint64_t time;

		if (h.type == PERF_RECORD_SAMPLE) {
			err = add_sample(r, &h, b);
		} else {
			perf_trailer_take(d->nr_attrs ? &d->attrs[0] : NULL, &b, &time);
			err = perf_tasks_apply(r->tasks, &h, b);
		}
	}
	return err;
}

/* What the profile does not have, though perf saw it. [PD-13] */
static void report_missing(const struct perf_data *d)
{
	const struct format_warnings *w = d->options->warnings;
	uint64_t lost = d->nr_lost_samples ? d->nr_lost_samples : d->nr_lost;

	if (lost)
		format_warn(w, "perf lost %" PRIu64 " %s while recording", lost,
			    d->nr_lost_samples ? "samples" : "records");
	if (d->nr_stack_copies)
		format_warn(w, "%" PRIu64 " samples have a copy of the stack, which is not "
			    "unwound: user stacks are one frame; record with --call-graph fp, "
			    "or import the output of perf script", d->nr_stack_copies);
	if (d->nr_guest)
		format_warn(w, "skipped %" PRIu64 " samples of virtual machines", d->nr_guest);
	if (d->nr_unknown_event)
		format_warn(w, "skipped %" PRIu64 " samples of unknown events",
			    d->nr_unknown_event);
	if (d->nr_auxtrace)
		format_warn(w, "skipped %" PRIu64 " blocks of hardware trace", d->nr_auxtrace);
}

static int read_file(struct perf_data *d)
{
	struct perf_data_reader r = { .d = d };
	struct bytes records;
	int err = perf_header_read(d, &records);

	if (!err)
		err = perf_records_read(d, records);
	if (err)
		return err;
	add_events(d);
	if (!d->p->nr_events)
		return op_error_set(d->e, -EPROTO, "no samples found");
	r.tasks = perf_tasks_new(d);
	err = apply_records(&r);
	perf_tasks_free(r.tasks);
	free(r.places);
	if (!err && d->last_ns - d->first_ns <= INT64_MAX)
		d->p->duration_ns = (int64_t)(d->last_ns - d->first_ns);
	if (!err)
		report_missing(d);
	return err;
}

static int perf_data_read(const unsigned char *bytes, size_t size,
			  const struct format_read_options *options, struct profile *p,
			  struct op_error *e)
{
	struct perf_data d = { .options = options, .p = p, .e = e, .bytes = bytes,
			       .size = size };
	int err;

	if (!detect(bytes, size))
		return op_error_set(d.e, -EPROTO, "offset 0: expected PERFILE2, the beginning of "
				    "perf.data");
	err = read_file(&d);
	for (uint32_t i = 0; i < d.nr_attrs; i++)
		free(d.attrs[i].name);
	free(d.ids);
	free(d.attr_of_id);
	free(d.builds);
	free(d.records.items);
	hash_table_free(&d.by_id);
	hash_table_free(&d.by_path);
	perf_unpacker_free(&d);
	return err;
}

const struct profile_format format_perf_data = {
	.name = "perf-data",
	.suffix = "data",
	.text = "perf.data of perf record",
	.detect = detect,
	.read = perf_data_read,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - write the Google CPU profile for its strictest reader
 *
 * The format has counts, stacks of addresses and where files were mapped; everything else in a
 * profile is lost. No address in it is 0 [GC-18]. Rules: doc/cpuprofile.md [GC-n].
 */
#include "formats/cpuprofile/cpuprofile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cpuprofile/maps_text.h"
#include "libutil/plain_text.h"
#include "libutil/xalloc.h"

struct cpuprofile_writer {
	const struct profile *p;
	const struct format_write_options *options;
	FILE *out;
	struct cpuprofile_words words;
	uint64_t period;		/* microseconds */
	uint64_t divide;		/* values divided by this are counts */
	unsigned char *bytes;		/* of one record */
	size_t room;
	bool *images;			/* those in written stacks; NULL: all */
	uint64_t no_leaf, negative, rounded;	/* counts skipped */
	uint64_t no_caller;		/* frames skipped */
};

static void put(struct cpuprofile_writer *w, size_t slot, uint64_t value)
{
	cpuprofile_put(w->bytes + slot * w->words.size, w->words, value);
}

static void write_slots(struct cpuprofile_writer *w, size_t nr)
{
	fwrite(w->bytes, w->words.size, nr, w->out);
}

static void room_for(struct cpuprofile_writer *w, size_t slots)
{
	if (slots * sizeof(uint64_t) <= w->room)
		return;
	w->room = 2 * slots * sizeof(uint64_t);
	w->bytes = xrealloc_array(w->bytes, w->room, 1);
}

/* The unit in nanoseconds; 0: not a unit of time. */
static uint64_t unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "nanoseconds", 1 }, { "ns", 1 }, { "microseconds", 1000 }, { "us", 1000 },
		{ "milliseconds", 1000000 }, { "ms", 1000000 }, { "seconds", 1000000000 },
		{ "s", 1000000000 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	return 0;
}

/* The period is in microseconds. [GC-19] */
static void choose_period(struct cpuprofile_writer *w)
{
	const struct profile_event *event = &w->p->events[w->options->event];
	const char *name = profile_text(w->p, event->name);
	uint64_t ns = unit_ns(profile_text(w->p, event->unit)), period;

	w->period = 1;
	w->divide = 1;
	if (!ns) {
		format_warn(w->options->warnings, "event '%s' does not count time: the period of "
			    "1 microsecond in the file is meaningless", name);
	} else if (!event->period) {
		w->divide = ns < 1000 ? 1000 / ns : 1;
		w->period = ns < 1000 ? 1 : ns / 1000;
	} else if (!__builtin_mul_overflow(event->period, ns, &period)) {
		w->period = period / 1000 + (period % 1000 >= 500);
		if (!w->period)
			w->period = 1;
		if (period != w->period * 1000)
			format_warn(w->options->warnings, "rounded the period of %" PRIu64
				    " ns to %" PRIu64 " microseconds", period, w->period);
	}
}

/* The address of the process; of callers the return address. 0: none. */
static uint64_t written_address(const struct profile *p, const struct profile_place *place,
				 bool caller)
{
	if (!caller || p->symbolic_addresses || !place->address)
		return place->address;
	return place->address + 1;
}

/* Do all numbers fit into words of 4 bytes, as the file that was read had? */
static bool words_fit(const struct cpuprofile_writer *w)
{
	const struct profile *p = w->p;

	for (uint32_t i = 0; i < p->nr_places; i++)
		if (p->places[i].address >= UINT32_MAX)
			return false;
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		int64_t value = profile_values(p, i)[w->options->event];

		if (value > 0 && (uint64_t)value / w->divide > UINT32_MAX)
			return false;
	}
	return w->period <= UINT32_MAX;
}

static void write_header(struct cpuprofile_writer *w)
{
	room_for(w, CPUPROFILE_HEADER_SLOTS);
	put(w, 0, 0);
	put(w, 1, CPUPROFILE_HEADER_SLOTS - CPUPROFILE_FIXED);
	put(w, 2, w->p->symbolic_addresses ? CPUPROFILE_JAVA : 0);
	put(w, 3, w->period);
	put(w, 4, 0);
	write_slots(w, CPUPROFILE_HEADER_SLOTS);
}

/* The frame that marks a truncated stack has no address; skipping it loses nothing. [PF-6] */
static bool is_truncation_mark(const struct profile *p, const struct profile_place *place)
{
	const struct profile_line *line = p->lines + p->line_lists[place->lines].first;

	return place->image == PROFILE_NONE && place->lines &&
	       *profile_text(p, p->functions[line->function].name) == '[';
}

/* Number of addresses, put into slot 2 and up; 0: the innermost frame has none. */
static size_t put_stack(struct cpuprofile_writer *w, uint32_t node)
{
	const struct profile *p = w->p;
	size_t nr = 0;

	for (; node != PROFILE_NONE; node = p->tree.nodes[node].parent) {
		const struct profile_place *place = &p->places[p->tree.nodes[node].key];
		uint64_t address = written_address(p, place, nr > 0);

		if (!address && !nr)
			return 0;
		if (!address || nr == PROFILE_FRAMES_MAX) {
			w->no_caller += !is_truncation_mark(p, place);
			continue;
		}
		room_for(w, nr + 3);
		put(w, 2 + nr++, address);
		if (w->images && place->image != PROFILE_NONE)
			w->images[place->image] = true;
	}
	return nr;
}

static void write_record(struct cpuprofile_writer *w, uint32_t node, int64_t value)
{
	uint64_t count = (uint64_t)value / w->divide;
	size_t nr;

	if (value <= 0) {
		w->negative += value < 0;
		return;
	}
	if (!count) {
		w->rounded++;
		return;
	}
	nr = put_stack(w, node);
	if (!nr) {
		w->no_leaf += count;
		return;
	}
	put(w, 0, count);
	put(w, 1, nr);
	write_slots(w, 2 + nr);
}

/* Samples that differ only in labels, which the format lacks, are one record. [GC-20] */
static void write_merged(struct cpuprofile_writer *w)
{
	const struct profile *p = w->p;
	int64_t *sums = xcalloc(p->tree.nr + 1, sizeof(*sums));

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < p->nr_samples; i++) {
			const struct profile_sample *s = &p->samples[i];
			int64_t *sum = &sums[s->node == PROFILE_NONE ? p->tree.nr : s->node];
			int64_t value = profile_values(p, i)[w->options->event];

			if (!profile_is_of_process(p, s->labels, w->options->pid))
				continue;
			if (pass == 0) {
				if (__builtin_add_overflow(*sum, value, sum))
					*sum = INT64_MAX;
			} else if (*sum) {
				write_record(w, s->node, *sum);
				*sum = 0;
			}
		}
	free(sums);
}

static void write_samples(struct cpuprofile_writer *w)
{
	const struct profile *p = w->p;

	if (p->nr_label_sets > 1) {
		write_merged(w);
		return;
	}
	for (uint32_t i = 0; i < p->nr_samples; i++)
		write_record(w, p->samples[i].node, profile_values(p, i)[w->options->event]);
}

static void write_trailer(struct cpuprofile_writer *w)
{
	put(w, 0, 0);
	put(w, 1, 1);
	put(w, 2, 0);
	write_slots(w, 3);
}

/* Names of ids: of the innermost function, if known. */
static void write_java_text(struct cpuprofile_writer *w)
{
	const struct profile *p = w->p;

	for (uint32_t i = 0; i < p->nr_places; i++) {
		const struct profile_place *place = &p->places[i];
		const struct profile_line *line = p->lines + p->line_lists[place->lines].first;
		const struct profile_function *function;

		if (!place->lines || !place->address)
			continue;
		function = &p->functions[line->function];
		fprintf(w->out, "0x%" PRIx64 " ", place->address);
		plain_put(profile_text(p, function->name), w->out);
		if (function->file) {
			fputs(" (", w->out);
			plain_put(profile_text(p, function->file), w->out);
			if (line->line)
				fprintf(w->out, ":%u", line->line);
			putc(')', w->out);
		}
		putc('\n', w->out);
	}
}

/* As mappings of nothing, because gperftools knows no other lines. [GC-24] */
static void write_comments(struct cpuprofile_writer *w)
{
	for (uint32_t i = 0; i < w->p->nr_comments; i++) {
		const char *text = profile_text(w->p, w->p->comments[i]);

		if (cpuprofile_is_words_comment(text))
			continue;
		fputs("00000000-00000001 ---p 00000000 00:00 0 # ", w->out);
		plain_put(text, w->out);
		putc('\n', w->out);
	}
}

/* The text that was read if it is canonical, else the images; never empty. [GC-21] */
static void write_text(struct cpuprofile_writer *w)
{
	const struct profile *p = w->p;
	const char *kept = profile_text(p, p->maps_text);
	bool any = w->images && memchr(w->images, true, p->nr_images);

	if (p->symbolic_addresses) {
		if (*kept)
			fputs(kept, w->out);
		else
			write_java_text(w);
		return;
	}
	if (maps_text_is_canonical(kept)) {
		fputs(kept, w->out);
		return;
	}
	if (p->main_image != PROFILE_NONE && !p->images[p->main_image].limit) {
		fputs("build=", w->out);
		plain_put(profile_text(p, p->images[p->main_image].path), w->out);
		putc('\n', w->out);
	}
	maps_text_write(p, any ? w->images : NULL, w->out);
	write_comments(w);
}

static void report_skipped(const struct cpuprofile_writer *w)
{
	const struct format_warnings *warnings = w->options->warnings;

	if (w->no_leaf)
		format_warn(warnings, "skipped %" PRIu64 " samples without an address, which "
			    "would end the file for some readers", w->no_leaf);
	if (w->no_caller)
		format_warn(warnings, "skipped %" PRIu64 " callers without an address",
			    w->no_caller);
	if (w->negative)
		format_warn(warnings, "skipped %" PRIu64 " samples with negative counts",
			    w->negative);
	if (w->rounded)
		format_warn(warnings, "skipped %" PRIu64 " samples shorter than a microsecond",
			    w->rounded);
}

static void write_all(struct cpuprofile_writer *w)
{
	write_header(w);
	write_samples(w);
	write_trailer(w);
	write_text(w);
	report_skipped(w);
}

int cpuprofile_write(const struct profile *p, const struct format_write_options *options,
		     FILE *out, struct op_error *e)
{
	struct cpuprofile_writer w = { .p = p, .options = options, .out = out };

	if (options->event >= p->nr_events)
		return op_error_set(e, -EINVAL, "the profile has no events");
	choose_period(&w);
	w.words = cpuprofile_saved_words(p);
	if (w.words.size == 4 && !words_fit(&w))
		w.words = (struct cpuprofile_words){ 8, w.words.big_endian };
	if (options->pid && *options->pid)
		w.images = xcalloc(p->nr_images + 1, sizeof(*w.images));
	write_all(&w);
	free(w.images);
	free(w.bytes);
	return 0;
}

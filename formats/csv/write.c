// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - write a table for spreadsheets and scripts: a line for each place and process
 *
 * Callers are not written: samples that differ only in them are one line. Rules: doc/folded.md
 * [FO-10]..[FO-12].
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/csv/csv.h"
#include "libutil/csv_text.h"
#include "libutil/xalloc.h"

const char *const csv_columns[CSV_COLUMNS] = {
	[CSV_EVENT] = "event", [CSV_UNIT] = "unit", [CSV_PERIOD] = "period",
	[CSV_IMAGE] = "image", [CSV_BUILD_ID] = "build_id", [CSV_SYMBOL] = "symbol",
	[CSV_INLINED] = "inlined", [CSV_FILE] = "file", [CSV_LINE] = "line",
	[CSV_ADDRESS] = "address", [CSV_OFFSET] = "offset", [CSV_PID] = "pid", [CSV_TID] = "tid",
	[CSV_COMM] = "comm", [CSV_CPU] = "cpu", [CSV_CGROUP] = "cgroup",
	[CSV_SAMPLES] = "samples",
};

struct csv_writer {
	const struct profile *p;
	FILE *out;
};

static void put_cell(struct csv_writer *w, const char *text)
{
	csv_put_text(text, w->out);
	putc(',', w->out);
}

static void put_string(struct csv_writer *w, uint32_t string)
{
	put_cell(w, profile_text(w->p, string));
}

static void put_event(struct csv_writer *w, const struct profile_event *event)
{
	put_string(w, event->name);
	put_string(w, event->unit);
	fprintf(w->out, "%" PRIu64 ",", event->period);
}

static void put_image(struct csv_writer *w, uint32_t image)
{
	if (image == PROFILE_NONE) {
		fputs(",,", w->out);
		return;
	}
	put_string(w, w->p->images[image].path);
	put_string(w, w->p->images[image].build_id);
}

/* The symbol of the binary; inlined functions have a column of their own. [FO-11] */
static void put_symbol(struct csv_writer *w, const struct profile_place *place)
{
	const struct profile *p = w->p;
	const struct profile_line_list lines = p->line_lists[place->lines];
	const struct profile_line *inner = p->lines + lines.first;
	const struct profile_line *outer;

	if (!lines.nr) {
		fputs(",,,,", w->out);
		return;
	}
	outer = inner + lines.nr - 1;
	put_string(w, p->functions[outer->function].name);
	put_string(w, outer == inner ? 0 : p->functions[inner->function].name);
	put_string(w, p->functions[inner->function].file);
	if (inner->line)
		fprintf(w->out, "%u", inner->line);
	putc(',', w->out);
}

static void put_address(struct csv_writer *w, const struct profile_place *place)
{
	const struct profile *p = w->p;

	if (place->address || place->image != PROFILE_NONE)
		fprintf(w->out, "0x%" PRIx64, place->address);
	putc(',', w->out);
	if (place->image != PROFILE_NONE && p->images[place->image].limit)
		fprintf(w->out, "0x%" PRIx64,
			profile_offset(&p->images[place->image], place->address));
	putc(',', w->out);
}

static void put_place(struct csv_writer *w, uint32_t node)
{
	static const struct profile_place unknown = { .image = PROFILE_NONE };
	const struct profile_place *place = node == PROFILE_NONE ? &unknown
					    : &w->p->places[w->p->tree.nodes[node].key];

	put_image(w, place->image);
	put_symbol(w, place);
	put_address(w, place);
}

static void put_labels(struct csv_writer *w, uint32_t labels)
{
	const struct profile *p = w->p;
	const struct profile_labels *set = &p->label_sets[labels];

	for (int c = CSV_FIRST_LABEL; c <= CSV_LAST_LABEL; c++) {
		for (uint32_t i = 0; i < set->nr; i++) {
			const struct profile_label *label = &p->labels[set->first + i];

			if (strcmp(profile_text(p, label->key), csv_columns[c]))
				continue;
			if (label->text)
				csv_put_text(profile_text(p, label->text), w->out);
			else
				fprintf(w->out, "%" PRId64, label->number);
			break;
		}
		putc(',', w->out);
	}
}

/* @flat has the samples to write; its nodes are those of @w, one for each place. */
static void put_rows(struct csv_writer *w, const struct profile *flat)
{
	const struct profile *p = w->p;

	for (int c = 0; c < CSV_COLUMNS; c++)
		fprintf(w->out, "%s%c", csv_columns[c], c + 1 < CSV_COLUMNS ? ',' : '\n');
	for (uint32_t event = 0; event < p->nr_events; event++)
		for (uint32_t i = 0; i < flat->nr_samples; i++) {
			int64_t value = profile_values(flat, i)[event];

			if (!value)
				continue;
			put_event(w, &p->events[event]);
			put_place(w, flat->samples[i].node);
			put_labels(w, flat->samples[i].labels);
			fprintf(w->out, "%" PRId64 "\n", value);
		}
}

/*
 * Merge samples without their callers [FO-10]: the first node at a place represents all of them.
 * The result has samples only; their nodes and label sets are those of @p.
 */
static struct profile *flatten(const struct profile *p, const char *pid)
{
	struct profile *flat = profile_new();
	uint32_t *first = xrealloc_array(NULL, p->nr_places, sizeof(*first));

	for (uint32_t i = 0; i < p->nr_places; i++)
		first[i] = PROFILE_NONE;
	for (uint32_t i = 0; i < p->nr_events; i++)
		profile_add_event(flat, &p->events[i]);
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		const struct profile_sample *s = &p->samples[i];
		uint32_t node = s->node, *known;

		if (!profile_is_of_process(p, s->labels, pid))
			continue;
		if (node != PROFILE_NONE) {
			known = &first[p->tree.nodes[node].key];
			node = *known = *known == PROFILE_NONE ? node : *known;
		}
		memcpy(profile_add_sample(flat, node, s->labels), profile_values(p, i),
		       p->nr_events * sizeof(*p->values));
	}
	free(first);
	profile_merge_samples(flat);
	return flat;
}

int csv_write(const struct profile *p, const struct format_write_options *options, FILE *out,
	      struct op_error *e)
{
	struct csv_writer w = { p, out };
	struct profile *flat = flatten(p, options->pid);

	(void)e;
	put_rows(&w, flat);
	profile_free(flat);
	return 0;
}

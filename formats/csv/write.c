// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - write a table for spreadsheets and programs: a line for each place and process
 *
 * Callers are left out: what is equal but for them is one line. Rules: doc/folded.md [FO-10..12].
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/csv/csv.h"
#include "libutil/plain_text.h"
#include "libutil/xalloc.h"

const char *const csv_columns[CSV_COLUMNS] = {
	[CSV_EVENT] = "event", [CSV_UNIT] = "unit", [CSV_PERIOD] = "period",
	[CSV_IMAGE] = "image", [CSV_BUILD_ID] = "build_id", [CSV_SYMBOL] = "symbol",
	[CSV_INLINED] = "inlined", [CSV_FILE] = "file", [CSV_LINE] = "line",
	[CSV_ADDRESS] = "address", [CSV_OFFSET] = "offset", [CSV_PID] = "pid", [CSV_TID] = "tid",
	[CSV_COMM] = "comm", [CSV_CPU] = "cpu", [CSV_CGROUP] = "cgroup",
	[CSV_SAMPLES] = "samples",
};

struct table {
	const struct profile *p;
	FILE *out;
};

/* RFC 4180, but for control characters, which no cell of ours has. */
static void put_text(FILE *out, const char *text)
{
	bool quoted = strpbrk(text, "\",");

	if (quoted)
		putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(plain_char(*text), out);
	}
	if (quoted)
		putc('"', out);
}

static void put_cell(struct table *t, const char *text)
{
	put_text(t->out, text);
	putc(',', t->out);
}

static void put_string(struct table *t, uint32_t string)
{
	put_cell(t, profile_text(t->p, string));
}

static void put_event(struct table *t, const struct profile_event *event)
{
	put_string(t, event->name);
	put_string(t, event->unit);
	fprintf(t->out, "%" PRIu64 ",", event->period);
}

static void put_image(struct table *t, uint32_t image)
{
	if (image == PROFILE_NONE) {
		fputs(",,", t->out);
		return;
	}
	put_string(t, t->p->images[image].path);
	put_string(t, t->p->images[image].build_id);
}

/* The symbol is that of the binary; what is inlined there has a column of its own [FO-11]. */
static void put_symbol(struct table *t, const struct profile_place *place)
{
	const struct profile *p = t->p;
	const struct profile_line *inner = p->lines + place->first_line;
	const struct profile_line *outer;

	if (!place->nr_lines) {
		fputs(",,,,", t->out);
		return;
	}
	outer = inner + place->nr_lines - 1;
	put_string(t, p->functions[outer->function].name);
	put_string(t, outer == inner ? 0 : p->functions[inner->function].name);
	put_string(t, p->functions[inner->function].file);
	if (inner->line)
		fprintf(t->out, "%u", inner->line);
	putc(',', t->out);
}

static void put_address(struct table *t, const struct profile_place *place)
{
	const struct profile *p = t->p;

	if (place->address || place->image != PROFILE_NONE)
		fprintf(t->out, "0x%" PRIx64, place->address);
	putc(',', t->out);
	if (place->image != PROFILE_NONE && p->images[place->image].limit)
		fprintf(t->out, "0x%" PRIx64,
			profile_offset(&p->images[place->image], place->address));
	putc(',', t->out);
}

static void put_place(struct table *t, uint32_t node)
{
	static const struct profile_place unknown = { .image = PROFILE_NONE };
	const struct profile_place *place = node == PROFILE_NONE ? &unknown
					    : &t->p->places[t->p->nodes[node].place];

	put_image(t, place->image);
	put_symbol(t, place);
	put_address(t, place);
}

static void put_labels(struct table *t, uint32_t labels)
{
	const struct profile *p = t->p;
	const struct profile_labels *set = &p->label_sets[labels];

	for (int c = CSV_FIRST_LABEL; c <= CSV_LAST_LABEL; c++) {
		for (uint32_t i = 0; i < set->nr; i++) {
			const struct profile_label *label = &p->labels[set->first + i];

			if (strcmp(profile_text(p, label->key), csv_columns[c]))
				continue;
			if (label->text)
				put_text(t->out, profile_text(p, label->text));
			else
				fprintf(t->out, "%" PRId64, label->number);
			break;
		}
		putc(',', t->out);
	}
}

/* @flat has the samples as they are to be written: nodes are @t's, one of each place. */
static void put_rows(struct table *t, const struct profile *flat)
{
	const struct profile *p = t->p;

	for (int c = 0; c < CSV_COLUMNS; c++)
		fprintf(t->out, "%s%c", csv_columns[c], c + 1 < CSV_COLUMNS ? ',' : '\n');
	for (uint32_t event = 0; event < p->nr_events; event++)
		for (uint32_t i = 0; i < flat->nr_samples; i++) {
			int64_t value = profile_values(flat, i)[event];

			if (!value)
				continue;
			put_event(t, &p->events[event]);
			put_place(t, flat->samples[i].node);
			put_labels(t, flat->samples[i].labels);
			fprintf(t->out, "%" PRId64 "\n", value);
		}
}

/*
 * Samples without their callers, merged [FO-10]: the first node that has the place stands for it.
 * Nodes and label sets are those of @p, which @flat has not.
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
			known = &first[p->nodes[node].place];
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
	struct table t = { p, out };
	struct profile *flat = flatten(p, options->pid);

	(void)e;
	put_rows(&t, flat);
	profile_free(flat);
	return 0;
}

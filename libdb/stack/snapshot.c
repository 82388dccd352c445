// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snapshot.c - the arrays of a snapshot from a log, and what they say as a whole
 *
 * Positions become indices, in the log itself: the index of a record that others refer to replaces
 * its second half.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libdb/stack/file.h"
#include "libutil/count.h"

/* How many records there are of each kind, and of each label. */
struct numbers {
	uint32_t records[STACK_LABEL + 1], labels[STACK_LABELED_CONTEXT + 1];
	size_t label_bytes;
};

static struct numbers count_records(const struct stack_log *log)
{
	struct numbers n = { .label_bytes = 0 };
	uint32_t length;

	for (uint32_t pos = STACK_FIRST; pos < log->have; pos += length) {
		const struct stack_record *record = &log->records[pos];

		length = stack_record_length(record);
		n.records[stack_kind(record)]++;
		if (stack_kind(record) == STACK_LABEL) {
			n.labels[record->second]++;
			n.label_bytes += (size_t)length * sizeof(*record);
		}
	}
	return n;
}

/* The snapshot's arrays, exactly as long as needed, while they are filled in. */
struct arrays {
	struct stack_image *images;
	struct stack_event *events;
	struct stack_context *contexts;
	struct stack_frame *frames;
	struct stack_node *nodes;
	uint16_t *ends;
	struct stack_count *counts;
	char *text;
	size_t text_used;
};

static void *array(size_t nr, size_t size, bool *failed)
{
	void *p = calloc(nr ? nr : 1, size);

	*failed |= !p;
	return p;
}

static void free_arrays(struct arrays *a)
{
	free(a->images);
	free(a->events);
	free(a->contexts);
	free(a->frames);
	free(a->nodes);
	free(a->ends);
	free(a->counts);
	free(a->text);
}

static bool make_arrays(const struct numbers *n, struct arrays *ret)
{
	bool failed = false;
	struct arrays a = {
		.images = array(n->labels[STACK_IMAGE], sizeof(*a.images), &failed),
		.events = array(n->labels[STACK_EVENT], sizeof(*a.events), &failed),
		.contexts = array((size_t)n->labels[STACK_CONTEXT] +
				  n->labels[STACK_LABELED_CONTEXT],
				  sizeof(*a.contexts), &failed),
		.frames = array((size_t)n->records[STACK_FRAME] + n->records[STACK_WIDE_FRAME],
				sizeof(*a.frames), &failed),
		.nodes = array(n->records[STACK_NODE], sizeof(*a.nodes), &failed),
		.ends = array(n->records[STACK_NODE], sizeof(*a.ends), &failed),
		.counts = array((size_t)n->records[STACK_COUNT] + n->records[STACK_WIDE_COUNT],
				sizeof(*a.counts), &failed),
		.text = array(n->label_bytes, 1, &failed),
	};

	if (failed) {
		free_arrays(&a);
		return false;
	}
	*ret = a;
	return true;
}

/* The index of a converted record, by its position. */
static uint32_t index_at(const struct stack_log *log, uint32_t pos)
{
	return log->records[pos].second;
}

/* Copy the label's bytes; returns its fields, and its strings in @strings. */
static const void *copy_label(struct arrays *a, const struct stack_record *label,
			      const char *strings[STACK_LABEL_STRINGS])
{
	size_t bytes = stack_argument(label) * sizeof(*label);
	char *copy = a->text + a->text_used;

	memcpy(copy, label, bytes);
	a->text_used += bytes;
	stack_label_strings((const struct stack_record *)(void *)copy, strings);
	return copy + sizeof(*label);
}

static uint32_t convert_label(const struct stack_log *log, const struct stack_record *label,
			      struct arrays *a, struct stack_snapshot *s)
{
	const char *strings[STACK_LABEL_STRINGS] = { NULL, NULL, NULL };
	const void *fields = copy_label(a, label, strings);

	if (label->second == STACK_IMAGE) {
		const struct stack_image_fields *f = fields;

		a->images[s->nr_images] = (struct stack_image){
			.name = { .kind = f->kind, .path = strings[0], .anon_tgid = f->tgid,
				  .anon_start = f->start, .anon_end = f->end },
			.build_id = strings[1],
		};
		return s->nr_images++;
	}
	if (label->second == STACK_EVENT) {
		const struct stack_event_fields *f = fields;

		a->events[s->nr_events] = (struct stack_event){ strings[0], f->count,
								f->unit_mask };
		return s->nr_events++;
	}
	const struct stack_context_fields *f = fields;

	a->contexts[s->nr_contexts] = (struct stack_context){
		.app = f->app ? index_at(log, f->app) : STACK_NONE,
		.tgid = f->tgid, .tid = f->tid, .cpu = f->cpu,
		.cgroup = strings[0], .comm = strings[1],
		.labels = strings[2] ? strings[2] : "",
	};
	return s->nr_contexts++;
}

static void convert_frame(const struct stack_log *log, uint32_t pos, struct arrays *a,
			  struct stack_snapshot *s)
{
	struct stack_record *record = &log->records[pos];

	a->frames[s->nr_frames] = (struct stack_frame){
		.image = index_at(log, stack_argument(record)),
		.offset = stack_frame_offset(record),
	};
	record->second = s->nr_frames++;
}

static void convert_node(const struct stack_log *log, uint32_t pos, struct arrays *a,
			 struct stack_snapshot *s)
{
	struct stack_record *record = &log->records[pos];
	uint32_t parent = stack_argument(record);

	if (parent) {
		parent = index_at(log, parent);
		a->nodes[s->nr_nodes] = (struct stack_node){ parent,
							     index_at(log, record->second) };
		a->ends[s->nr_nodes] = a->ends[parent];
	} else {
		a->nodes[s->nr_nodes] = (struct stack_node){ STACK_NONE, record->second };
		a->ends[s->nr_nodes] = (uint16_t)record->second;
	}
	record->second = s->nr_nodes++;
}

static void convert_count(const struct stack_log *log, uint32_t node, uint32_t series,
			  uint64_t count, struct arrays *a, struct stack_snapshot *s)
{
	const struct stack_record *record = &log->records[series];

	if (!count)
		return;
	a->counts[s->nr_counts++] = (struct stack_count){
		.node = index_at(log, node),
		.context = index_at(log, stack_argument(record)),
		.event = index_at(log, record->second),
		.count = count,
	};
}

static void convert(const struct stack_log *log, struct arrays *a, struct stack_snapshot *s)
{
	uint32_t length;

	for (uint32_t pos = STACK_FIRST; pos < log->have; pos += length) {
		struct stack_record *record = &log->records[pos];

		length = stack_record_length(record);
		switch (stack_kind(record)) {
		case STACK_NODE:
			convert_node(log, pos, a, s);
			break;
		case STACK_WIDE_FRAME:
		case STACK_FRAME:
			convert_frame(log, pos, a, s);
			break;
		case STACK_COUNT:
			convert_count(log, pos - 1, stack_argument(record), record->second, a, s);
			break;
		case STACK_WIDE_COUNT:
			convert_count(log, record->second, stack_argument(record),
				      *stack_wide(record), a, s);
			break;
		case STACK_LABEL:
			record->second = convert_label(log, record, a, s);
			break;
		}
	}
}

int stack_log_snapshot(struct stack_log *log, struct stack_snapshot *ret)
{
	struct numbers n = count_records(log);
	struct stack_snapshot s = { .nr_images = 0 };
	struct arrays a;

	if (!make_arrays(&n, &a))
		return -ENOMEM;
	convert(log, &a, &s);
	s.images = a.images;
	s.events = a.events;
	s.contexts = a.contexts;
	s.frames = a.frames;
	s.nodes = a.nodes;
	s.ends = a.ends;
	s.counts = a.counts;
	s.text = a.text;
	*ret = s;
	return 0;
}

void stack_snapshot_free(struct stack_snapshot *s)
{
	struct arrays a = {
		(void *)s->images, (void *)s->events, (void *)s->contexts, (void *)s->frames,
		(void *)s->nodes, (void *)s->ends, (void *)s->counts, s->text, 0,
	};

	free_arrays(&a);
	*s = (struct stack_snapshot){ .nr_images = 0 };
}

/* --- how stacks ended [ST-12] --- */

static const struct {
	const char *name, *text;
} ends[NR_STACK_ENDS] = {
	[STACK_COMPLETE] = { "complete", "complete" },
	[STACK_TRUNCATED] = { "truncated", "cut at the depth asked for" },
	[STACK_NO_TABLE] = { "no_table", "ended in code without unwind table" },
	[STACK_BAD_FRAME] = { "bad_frame", "ended at an implausible frame" },
	[STACK_UNREADABLE] = { "unreadable", "ended in unreadable memory" },
	[STACK_SHORT_COPY] = { "short_copy", "ended at the end of the stack copy" },
	[STACK_NO_USER] = { "no_user", "kernel part only" },
	[STACK_UNKNOWN_END] = { "untold", "of unknown end" },
	[STACK_NO_MAPS] = { "no_maps", "ended in code mapped too recently" },
};

/* Texts of earlier versions, which are in profiles that these exported. */
static const struct {
	const char *text;
	unsigned int kind;
} former_ends[] = {
	{ "ended at a frame that cannot be", STACK_BAD_FRAME },
	{ "ended in memory that could not be read", STACK_UNREADABLE },
	{ "ended where the copy of the stack did", STACK_SHORT_COPY },
	{ "ended in code mapped too recently to be known", STACK_NO_MAPS },
};

const char *stack_end_name(unsigned int kind)
{
	return kind < NR_STACK_ENDS ? ends[kind].name : "unknown";
}

const char *stack_end_text(unsigned int kind)
{
	return kind < NR_STACK_ENDS ? ends[kind].text : "ended in an unknown way";
}

static bool is_text(const char *text, size_t n, const char *expected)
{
	return n == strlen(expected) && !memcmp(text, expected, n);
}

bool stack_end_parse(const char *text, size_t n, unsigned int *ret)
{
	for (unsigned int kind = 0; kind < NR_STACK_ENDS; kind++)
		if (is_text(text, n, ends[kind].text)) {
			*ret = kind;
			return true;
		}
	for (size_t i = 0; i < sizeof(former_ends) / sizeof(former_ends[0]); i++)
		if (is_text(text, n, former_ends[i].text)) {
			*ret = former_ends[i].kind;
			return true;
		}
	return false;
}

void stack_snapshot_outer(const struct stack_snapshot *s, uint8_t *ret)
{
	for (uint32_t i = 0; i < s->nr_nodes; i++) {
		uint32_t parent = s->nodes[i].parent;

		ret[i] = 0;
		if (parent == STACK_NONE)
			continue;
		if (s->nodes[parent].parent == STACK_NONE)
			ret[i] = (uint8_t)stack_end_nr_outer(s->ends[i]);
		else if (ret[parent])
			ret[i] = (uint8_t)(ret[parent] - 1);
	}
}

void stack_snapshot_totals(const struct stack_snapshot *s, struct stack_totals *ret)
{
	*ret = (struct stack_totals){ .samples = 0 };
	for (uint32_t i = 0; i < s->nr_counts; i++) {
		unsigned int end = s->ends[s->counts[i].node];

		count_add(&ret->samples, s->counts[i].count);
		if (end & STACK_END_GUESSED)
			count_add(&ret->guessed, s->counts[i].count);
		if (STACK_END_KIND(end) < NR_STACK_ENDS)
			count_add(&ret->ends[STACK_END_KIND(end)], s->counts[i].count);
	}
}

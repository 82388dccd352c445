// SPDX-License-Identifier: GPL-2.0-or-later
/* profile.c - count samples by stack and labels, and add labels afterwards */
#include "libsampler/build/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libutil/clock.h"
#include "libutil/hash.h"
#include "libutil/strbuf.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"

#define LABELS_MAX	(SAMPLER_METADATA_MAX + 3)
#define STACK_MAX	1024u

/* A sample that may still get a label. */
struct past {
	uint64_t time_ns;
	uint64_t weight;
	uint32_t sample;
	pid_t tid;
};

struct build_profile {
	struct profile *p;
	struct build_images *images;
	struct build_comms *comms;
	uint32_t nodes_max;
	bool full;
	struct hash_table by_sample;	/* stack, labels and end */
	unsigned char *ends;		/* of each sample */
	size_t ends_room;
	struct past *past;		/* a ring once it has BUILD_PAST_MAX */
	size_t nr_past, past_room, next_past;
	uint64_t past_since_ns;		/* the ring has no earlier sample */
	struct build_losses losses;
};

struct build_profile *build_profile_new(uint32_t nodes_max)
{
	struct build_profile *b = xcalloc(1, sizeof(*b));

	b->p = profile_new();
	profile_add_event(b->p, &(struct profile_event){ .period = 1 });
	b->images = build_images_new(b->p);
	b->comms = build_comms_new();
	b->nodes_max = nodes_max;
	return b;
}

void build_profile_free(struct build_profile *b)
{
	if (!b)
		return;
	build_images_free(b->images);
	build_comms_free(b->comms);
	profile_free(b->p);
	hash_table_free(&b->by_sample);
	free(b->ends);
	free(b->past);
	free(b);
}

/* --- counting equal samples --- */

struct counted {
	uint32_t node, labels;
	unsigned char end;
};

static uint64_t hash_of(uint32_t node, uint32_t labels, unsigned char end)
{
	return hash_mix((uint64_t)node << 32 | labels, end);
}

static bool is_equal(const void *profile, uint32_t id, const void *key)
{
	const struct build_profile *b = profile;
	const struct counted *k = key;
	const struct profile_sample *s = &b->p->samples[id];

	return s->node == k->node && s->labels == k->labels && b->ends[id] == k->end;
}

static uint32_t count(struct build_profile *b, struct profile_sample s, unsigned char end,
		      uint64_t weight)
{
	const struct counted key = { s.node, s.labels, end };
	uint64_t hash = hash_of(s.node, s.labels, end);
	uint32_t id = hash_table_find(&b->by_sample, hash, is_equal, b, &key);

	if (id == HASH_NONE) {
		id = b->p->nr_samples;
		xgrow(b->ends, id, b->ends_room);
		b->ends[id] = end;
		profile_add_sample(b->p, s.node, s.labels);
		hash_table_add(&b->by_sample, hash, id);
	}
	profile_values(b->p, id)[0] += (int64_t)weight;
	return id;
}

static void index_again(struct build_profile *b)
{
	hash_table_free(&b->by_sample);
	for (uint32_t i = 0; i < b->p->nr_samples; i++)
		hash_table_add(&b->by_sample, hash_of(b->p->samples[i].node,
						      b->p->samples[i].labels, b->ends[i]), i);
}

/* --- labels --- */

static uint32_t metadata_key(struct profile *p, const struct sampler_metadata *item)
{
	struct strbuf key = STRBUF_INIT;
	uint32_t id;

	strbuf_add(&key, item->name);
	if (item->has_key)
		strbuf_addf(&key, "/%" PRId64, item->key);
	id = profile_string(p, key.text);
	strbuf_free(&key);
	return id;
}

static bool is_taken(const char *name)
{
	return !*name || !strcmp(name, BUILD_PID) || !strcmp(name, BUILD_TID) ||
	       !strcmp(name, BUILD_COMM);
}

/* An item of one thread takes precedence over one of all threads. */
static uint32_t put_metadata(struct profile *p, struct profile_label *labels, uint32_t nr,
			     const struct sampler_metadata *item, bool wins)
{
	struct profile_label label = { .number = item->value };

	if (is_taken(item->name))
		return nr;
	label.key = metadata_key(p, item);
	for (uint32_t i = 0; i < nr; i++)
		if (labels[i].key == label.key) {
			if (wins)
				labels[i] = label;
			return nr;
		}
	if (nr < LABELS_MAX)
		labels[nr++] = label;
	return nr;
}

static uint32_t labels_of(struct build_profile *b, const struct sampler_sample *s)
{
	struct profile_label labels[LABELS_MAX];
	struct profile *p = b->p;
	const char *comm = build_comms_find(b->comms, s->tid, s->time_ns);
	uint32_t nr = 0;

	labels[nr++] = (struct profile_label){ .key = profile_string(p, BUILD_PID),
					       .number = getpid() };
	labels[nr++] = (struct profile_label){ .key = profile_string(p, BUILD_TID),
					       .number = s->tid };
	if (*comm)
		labels[nr++] = (struct profile_label){ .key = profile_string(p, BUILD_COMM),
						       .text = profile_string(p, comm) };
	for (size_t i = 0; i < s->nr_metadata; i++)
		nr = put_metadata(p, labels, nr, &s->metadata[i], s->metadata[i].has_tid);
	return profile_label_set(p, labels, nr);
}

/* @set with @item added. */
static uint32_t labels_with(struct profile *p, uint32_t set, const struct sampler_metadata *item)
{
	struct profile_label labels[LABELS_MAX + 1];
	uint32_t nr = 0;

	for (; nr < p->label_sets[set].nr && nr < LABELS_MAX; nr++)
		labels[nr] = p->labels[p->label_sets[set].first + nr];
	return profile_label_set(p, labels, put_metadata(p, labels, nr, item, true));
}

/* --- samples --- */

static uint32_t stack_of(struct build_profile *b, const struct sampler_sample *s)
{
	uint32_t places[STACK_MAX];
	size_t nr = s->nr_frames < STACK_MAX ? s->nr_frames : STACK_MAX;

	for (size_t i = 0; i < nr; i++)
		places[i] = build_images_place(b->images, &s->frames[i],
					       i > 0 && !s->frames[i].is_interrupted);
	return profile_stack(b->p, places, nr);
}

static void remember(struct build_profile *b, const struct sampler_sample *s, uint32_t sample)
{
	struct past *past;

	if (b->nr_past < BUILD_PAST_MAX) {
		xgrow(b->past, b->nr_past, b->past_room);
		past = &b->past[b->nr_past++];
	} else {
		past = &b->past[b->next_past];
		b->next_past = (b->next_past + 1) % BUILD_PAST_MAX;
		b->past_since_ns = past->time_ns + 1;
	}
	*past = (struct past){ s->time_ns, s->weight, sample, s->tid };
}

bool build_profile_is_full(const struct build_profile *b)
{
	return b->full;
}

static bool has_room(struct build_profile *b, size_t nr_frames)
{
	const struct profile *p = b->p;

	b->full = p->tree.nr + nr_frames > b->nodes_max || p->nr_samples >= b->nodes_max ||
		  p->nr_label_sets >= b->nodes_max || p->nr_images >= b->nodes_max;
	return !b->full;
}

void build_profile_sample(struct build_profile *b, const struct sampler_sample *s)
{
	struct profile_sample sample;

	if (!s->nr_frames) {
		if (s->status >= SAMPLER_BLOCKED && s->status < SAMPLER_NR_STATUS)
			b->losses.status[s->status] += s->weight;
		else
			b->losses.no_frames += s->weight;
	} else if (!has_room(b, s->nr_frames)) {
		b->losses.no_room += s->weight;
	} else {
		sample = (struct profile_sample){ stack_of(b, s), labels_of(b, s) };
		remember(b, s, count(b, sample, (unsigned char)s->status, s->weight));
	}
}

void build_profile_past(struct build_profile *b, const struct sampler_metadata *item,
			uint64_t from_ns, uint64_t to_ns)
{
	if (from_ns < b->past_since_ns)
		b->losses.past_cut++;
	for (size_t i = 0; i < b->nr_past; i++) {
		struct past *past = &b->past[i];
		struct profile_sample s = b->p->samples[past->sample];
		unsigned char end = b->ends[past->sample];

		if (past->time_ns < from_ns || past->time_ns >= to_ns ||
		    (item->has_tid && item->tid != past->tid))
			continue;
		profile_values(b->p, past->sample)[0] -= (int64_t)past->weight;
		s.labels = labels_with(b->p, s.labels, item);
		past->sample = count(b, s, end, past->weight);
	}
}

/* --- the whole --- */

/* Remove samples whose count has gone to others with more labels. */
static void drop_empty(struct build_profile *b)
{
	struct profile *p = b->p;
	uint32_t *moved = xcalloc((size_t)p->nr_samples + 1, sizeof(*moved)), kept = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		if (!p->values[i])
			continue;
		moved[i] = kept;
		p->samples[kept] = p->samples[i];
		p->values[kept] = p->values[i];
		b->ends[kept++] = b->ends[i];
	}
	if (kept < p->nr_samples) {
		p->nr_samples = kept;
		for (size_t i = 0; i < b->nr_past; i++)
			b->past[i].sample = moved[b->past[i].sample];
		index_again(b);
	}
	free(moved);
}

static int64_t wall_time(uint64_t monotonic_ns)
{
	return (int64_t)(monotonic_ns + clock_ns(CLOCK_REALTIME) - now_ns());
}

struct profile *build_profile_get(struct build_profile *b, const struct sampler_summary *summary)
{
	struct profile *p = b->p;

	drop_empty(b);
	p->nr_comments = 0;
	p->events[0] = (struct profile_event){
		.name = profile_string(p, summary->clock == SAMPLER_CPU ? "cpu" : "wall"),
		.unit = profile_string(p, "nanoseconds"),
		.period = summary->period_ns,
	};
	p->start_ns = wall_time(summary->start_ns);
	p->duration_ns = (int64_t)summary->duration_ns;
	return p;
}

const unsigned char *build_profile_ends(const struct build_profile *b)
{
	return b->ends;
}

const struct build_losses *build_profile_losses(const struct build_profile *b)
{
	return &b->losses;
}

void build_error(const struct op_error *why, struct sampler_error *e)
{
	if (e)
		snprintf(e->text, sizeof(e->text), "%.*s", (int)sizeof(e->text) - 1, why->text);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile.c - a profile in memory is made: what is equal is found again
 *
 * A million samples have to go through here in well under a second, so finding is one probe of
 * a table and, as a rule, one look at the element found.
 */
#include "formats/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "formats/profile/indexes.h"
#include "libutil/hash.h"
#include "libutil/say.h"
#include "libutil/xalloc.h"

#define FIRST_SLOTS	64
#define CHUNK_SIZE	(32 * 1024)	/* bytes of text */

void profile_table_grow(struct profile_table *t)
{
	uint32_t nr = t->slots ? t->mask + 1 : 0;
	struct profile_table larger = { .used = t->used };

	if (nr > UINT32_MAX / 2)
		bug("a profile of more than 2^30 equal things");
	larger.mask = (nr ? 2 * nr : FIRST_SLOTS) - 1;
	larger.slots = xrealloc_array(NULL, (size_t)larger.mask + 1, sizeof(*larger.slots));
	memset(larger.slots, 0xff, ((size_t)larger.mask + 1) * sizeof(*larger.slots));
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t at = t->slots[i].hash & larger.mask;

		if (t->slots[i].id == PROFILE_NONE)
			continue;
		while (larger.slots[at].id != PROFILE_NONE)
			at = (at + 1) & larger.mask;
		larger.slots[at] = t->slots[i];
	}
	free(t->slots);
	*t = larger;
}

void *profile_grow(void *array, size_t count, size_t *room, size_t more, size_t size)
{
	size_t wanted = *room + *room / 2;

	if (more >= PROFILE_NONE - count)
		bug("a profile with more than 2^32 elements of a kind");
	if (wanted < count + more)
		wanted = count + more;
	if (wanted < 16)
		wanted = 16;
	*room = wanted;
	return xrealloc_array(array, wanted, size);
}

struct profile *profile_new(void)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	p->made = xcalloc(1, sizeof(*p->made));
	p->main_image = PROFILE_NONE;
	profile_string(p, "");
	profile_room(p, label_sets, 1);
	p->label_sets[p->nr_label_sets++] = (struct profile_labels){ 0, 0 };
	return p;
}

static void free_indexes(struct profile_indexes *made)
{
	for (size_t i = 0; i < made->nr_chunks; i++)
		free(made->chunks[i]);
	free(made->chunks);
	free(made->strings.slots);
	free(made->functions.slots);
	free(made->places.slots);
	free(made->nodes.slots);
	free(made->label_sets.slots);
	free(made->ranges);
	free(made);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	free(p->strings);
	free(p->images);
	free(p->functions);
	free(p->lines);
	free(p->places);
	free(p->nodes);
	free(p->events);
	free(p->labels);
	free(p->label_sets);
	free(p->samples);
	free(p->values);
	free(p->comments);
	free_indexes(p->made);
	free(p);
}

struct text_key {
	const char *text;
	size_t len;
};

static inline bool same_string(const struct profile *p, uint32_t id, const void *key)
{
	const struct text_key *k = key;

	return (!k->len || !strncmp(p->strings[id], k->text, k->len)) && !p->strings[id][k->len];
}

static const char *keep_text(struct profile_indexes *made, const char *text, size_t len)
{
	char *kept;

	if (len >= made->chunk_left) {
		size_t size = len + 1 > CHUNK_SIZE ? len + 1 : CHUNK_SIZE;

		xgrow(made->chunks, made->nr_chunks, made->room_chunks);
		made->chunk_next = xmalloc(size);
		made->chunk_left = size;
		made->chunks[made->nr_chunks++] = made->chunk_next;
	}
	kept = memcpy(made->chunk_next, text, len);
	kept[len] = '\0';
	made->chunk_next += len + 1;
	made->chunk_left -= len + 1;
	return kept;
}

uint32_t profile_string_n(struct profile *p, const char *text, size_t len)
{
	struct profile_table *table = &p->made->strings;
	struct text_key key = { text, len };
	uint64_t hash = hash_bytes(text, len);
	struct profile_slot *slot;

	profile_table_reserve(table);
	slot = profile_table_find(table, hash, p, same_string, &key);
	if (slot->id != PROFILE_NONE)
		return slot->id;
	profile_room(p, strings, 1);
	p->strings[p->nr_strings] = keep_text(p->made, text, len);
	return profile_table_fill(table, slot, hash, p->nr_strings++);
}

uint32_t profile_string(struct profile *p, const char *text)
{
	return profile_string_n(p, text, strlen(text));
}

uint32_t profile_add_event(struct profile *p, const struct profile_event *event)
{
	if (p->nr_samples)
		bug("an event after the first sample");
	profile_room(p, events, 1);
	p->events[p->nr_events] = *event;
	return p->nr_events++;
}

uint32_t profile_add_image(struct profile *p, const struct profile_image *image)
{
	profile_room(p, images, 1);
	p->images[p->nr_images] = *image;
	return p->nr_images++;
}

static inline bool same_function(const struct profile *p, uint32_t id, const void *key)
{
	const struct profile_function *a = &p->functions[id], *b = key;

	return a->name == b->name && a->system_name == b->system_name && a->file == b->file &&
	       a->start_line == b->start_line;
}

uint32_t profile_function(struct profile *p, const struct profile_function *function)
{
	struct profile_table *table = &p->made->functions;
	uint64_t hash = hash_mix((uint64_t)function->name << 32 | function->system_name,
				 (uint64_t)function->file << 32 | function->start_line);
	struct profile_slot *slot;

	profile_table_reserve(table);
	slot = profile_table_find(table, hash, p, same_function, function);
	if (slot->id != PROFILE_NONE)
		return slot->id;
	profile_room(p, functions, 1);
	p->functions[p->nr_functions] = *function;
	return profile_table_fill(table, slot, hash, p->nr_functions++);
}

struct place_key {
	uint64_t address;
	const struct profile_line *lines;
	uint32_t image, nr_lines;
};

static inline bool same_place(const struct profile *p, uint32_t id, const void *key)
{
	const struct profile_place *a = &p->places[id];
	const struct place_key *b = key;

	return a->address == b->address && a->image == b->image && a->nr_lines == b->nr_lines &&
	       (!b->nr_lines || !memcmp(p->lines + a->first_line, b->lines,
					b->nr_lines * sizeof(*b->lines)));
}

static uint64_t place_hash(const struct place_key *key)
{
	uint64_t hash = hash_mix(key->image, key->address);

	for (uint32_t i = 0; i < key->nr_lines; i++)
		hash = hash_mix(hash, (uint64_t)key->lines[i].function << 32 | key->lines[i].line);
	return hash;
}

/* Copy @lines, which may be some of our own that are about to move. */
static uint32_t keep_lines(struct profile *p, const struct profile_line *lines, uint32_t nr)
{
	uint32_t first = p->nr_lines;

	if (!nr)
		return first;
	if (p->lines && lines >= p->lines && lines < p->lines + p->nr_lines)
		return (uint32_t)(lines - p->lines);
	profile_room(p, lines, nr);
	memcpy(p->lines + first, lines, nr * sizeof(*lines));
	p->nr_lines += nr;
	return first;
}

uint32_t profile_place(struct profile *p, uint32_t image, uint64_t address,
		       const struct profile_line *lines, uint32_t nr_lines)
{
	struct profile_table *table = &p->made->places;
	struct place_key key = { address, lines, image, nr_lines };
	uint64_t hash = place_hash(&key);
	struct profile_slot *slot;

	profile_table_reserve(table);
	slot = profile_table_find(table, hash, p, same_place, &key);
	if (slot->id != PROFILE_NONE)
		return slot->id;
	profile_room(p, places, 1);
	p->places[p->nr_places] = (struct profile_place){
		.image = image, .address = address,
		.first_line = keep_lines(p, lines, nr_lines), .nr_lines = nr_lines,
	};
	return profile_table_fill(table, slot, hash, p->nr_places++);
}

void profile_name_place(struct profile *p, uint32_t place, const struct profile_line *lines,
			uint32_t nr_lines)
{
	uint32_t first = keep_lines(p, lines, nr_lines);

	p->places[place].first_line = first;
	p->places[place].nr_lines = nr_lines;
}

static inline bool same_node(const struct profile *p, uint32_t id, const void *key)
{
	const struct profile_node *a = &p->nodes[id], *b = key;

	return a->parent == b->parent && a->place == b->place;
}

uint32_t profile_node(struct profile *p, uint32_t parent, uint32_t place)
{
	struct profile_table *table = &p->made->nodes;
	struct profile_node key = { parent, place };
	uint64_t hash = hash_u64((uint64_t)parent << 32 | place);
	struct profile_slot *slot;

	profile_table_reserve(table);
	slot = profile_table_find(table, hash, p, same_node, &key);
	if (slot->id != PROFILE_NONE)
		return slot->id;
	profile_room(p, nodes, 1);
	p->nodes[p->nr_nodes] = key;
	return profile_table_fill(table, slot, hash, p->nr_nodes++);
}

uint32_t profile_stack(struct profile *p, const uint32_t *places, size_t nr)
{
	uint32_t node = PROFILE_NONE;

	while (nr--)
		node = profile_node(p, node, places[nr]);
	return node;
}

static int compare_labels(const void *x, const void *y)
{
	const struct profile_label *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->text != b->text)
		return a->text < b->text ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->unit > b->unit) - (a->unit < b->unit);
}

static inline bool same_labels(const struct profile *p, uint32_t id, const void *key)
{
	const struct profile_labels *a = &p->label_sets[id], *b = key;

	if (a->nr != b->nr)
		return false;
	for (uint32_t i = 0; i < a->nr; i++)
		if (compare_labels(&p->labels[a->first + i], &p->labels[b->first + i]))
			return false;
	return true;
}

static uint64_t labels_hash(const struct profile_label *labels, uint32_t nr)
{
	uint64_t hash = nr;

	for (uint32_t i = 0; i < nr; i++) {
		hash = hash_mix(hash, (uint64_t)labels[i].key << 32 | labels[i].text);
		hash = hash_mix(hash, (uint64_t)labels[i].number ^ labels[i].unit);
	}
	return hash;
}

/* The set is put in order at the end of all labels, and stays there if it is a new one. */
uint32_t profile_label_set(struct profile *p, const struct profile_label *labels, uint32_t nr)
{
	struct profile_table *table = &p->made->label_sets;
	struct profile_labels set = { p->nr_labels, nr };
	struct profile_slot *slot;
	uint64_t hash;

	if (!nr)
		return 0;
	profile_room(p, labels, nr);
	memcpy(p->labels + set.first, labels, nr * sizeof(*labels));
	qsort(p->labels + set.first, nr, sizeof(*labels), compare_labels);
	hash = labels_hash(p->labels + set.first, nr);
	profile_table_reserve(table);
	slot = profile_table_find(table, hash, p, same_labels, &set);
	if (slot->id != PROFILE_NONE)
		return slot->id;
	p->nr_labels += nr;
	profile_room(p, label_sets, 1);
	p->label_sets[p->nr_label_sets] = set;
	return profile_table_fill(table, slot, hash, p->nr_label_sets++);
}

int64_t *profile_add_sample(struct profile *p, uint32_t node, uint32_t labels)
{
	struct profile_indexes *made = p->made;
	size_t nr_values = (size_t)p->nr_samples * p->nr_events;

	profile_room(p, samples, 1);
	if (!p->values || made->room_values < nr_values + p->nr_events) {
		made->room_values = made->room_samples * p->nr_events;
		p->values = xrealloc_array(p->values, made->room_values, sizeof(*p->values));
	}
	p->samples[p->nr_samples++] = (struct profile_sample){ node, labels };
	return memset(p->values + nr_values, 0, p->nr_events * sizeof(*p->values));
}

void profile_comment(struct profile *p, const char *text)
{
	profile_room(p, comments, 1);
	p->comments[p->nr_comments++] = profile_string(p, text);
}

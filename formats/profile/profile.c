// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile.c - build a profile in memory, with each string, function, place and node stored once
 *
 * A million samples have to pass in well under a second, so a lookup is one probe of a hash table
 * and, as a rule, one comparison.
 */
#include "formats/profile/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/profile/indexes.h"
#include "formats/profile/saturate.h"
#include "libutil/hash.h"
#include "libutil/message.h"
#include "libutil/xalloc.h"

#define CHUNK_SIZE	(32 * 1024)	/* bytes of text */

/* Make room for @more elements of @size bytes in @array, which has @count elements of *room. */
static void *grow(void *array, size_t count, size_t *room, size_t more, size_t size)
{
	size_t wanted = *room + *room / 2;

	if (more >= PROFILE_NONE - count)
		bug("profile with more than 2^32 elements of one kind");
	if (wanted < count + more)
		wanted = count + more;
	if (wanted < 16)
		wanted = 16;
	*room = wanted;
	return xrealloc_array(array, wanted, size);
}

#define reserve(p, what, more)                                                                 \
	do {                                                                                   \
		if ((p)->nr_##what + (size_t)(more) > (p)->indexes->room_##what)               \
			(p)->what = grow((p)->what, (p)->nr_##what,                            \
					 &(p)->indexes->room_##what, more,                     \
					 sizeof(*(p)->what));                                  \
	} while (0)

struct profile *profile_new(void)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	p->indexes = xcalloc(1, sizeof(*p->indexes));
	p->main_image = PROFILE_NONE;
	profile_string(p, "");
	reserve(p, line_lists, 1);
	p->line_lists[p->nr_line_lists++] = (struct profile_line_list){ 0, 0 };
	reserve(p, label_sets, 1);
	p->label_sets[p->nr_label_sets++] = (struct profile_labels){ 0, 0 };
	return p;
}

static void free_indexes(struct profile_indexes *indexes)
{
	for (size_t i = 0; i < indexes->nr_chunks; i++)
		free(indexes->chunks[i]);
	free(indexes->chunks);
	hash_table_free(&indexes->strings);
	hash_table_free(&indexes->functions);
	hash_table_free(&indexes->places);
	hash_table_free(&indexes->label_sets);
	free(indexes->ranges);
	free(indexes);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	free(p->strings);
	free(p->images);
	free(p->functions);
	free(p->lines);
	free(p->line_lists);
	free(p->places);
	call_tree_free(&p->tree);
	free(p->events);
	free(p->labels);
	free(p->label_sets);
	free(p->samples);
	free(p->values);
	free(p->comments);
	free_indexes(p->indexes);
	free(p);
}

void profile_finish(struct profile *p)
{
	struct profile_indexes *indexes = p->indexes;

	call_tree_finish(&p->tree);
	hash_table_free(&indexes->strings);
	hash_table_free(&indexes->functions);
	hash_table_free(&indexes->places);
	hash_table_free(&indexes->label_sets);
}

struct text_key {
	const char *text;
	size_t len;
};

static inline bool same_string(const void *profile, uint32_t id, const void *key)
{
	const struct profile *p = profile;
	const struct text_key *k = key;

	return (!k->len || !strncmp(p->strings[id], k->text, k->len)) && !p->strings[id][k->len];
}

static const char *keep_text(struct profile_indexes *indexes, const char *text, size_t len)
{
	char *kept;

	if (len >= indexes->chunk_left) {
		size_t size = len + 1 > CHUNK_SIZE ? len + 1 : CHUNK_SIZE;

		xgrow(indexes->chunks, indexes->nr_chunks, indexes->room_chunks);
		indexes->chunk_next = xmalloc(size);
		indexes->chunk_left = size;
		indexes->chunks[indexes->nr_chunks++] = indexes->chunk_next;
	}
	kept = memcpy(indexes->chunk_next, text, len);
	kept[len] = '\0';
	indexes->chunk_next += len + 1;
	indexes->chunk_left -= len + 1;
	return kept;
}

uint32_t profile_string_n(struct profile *p, const char *text, size_t len)
{
	struct hash_table *table = &p->indexes->strings;
	struct text_key key = { text, len };
	uint64_t hash = hash_bytes(text, len);
	uint32_t id = hash_table_find(table, hash, same_string, p, &key);
	if (id != HASH_NONE)
		return id;
	reserve(p, strings, 1);
	p->strings[p->nr_strings] = keep_text(p->indexes, text, len);
	hash_table_add(table, hash, p->nr_strings);
	return p->nr_strings++;
}

uint32_t profile_string(struct profile *p, const char *text)
{
	return profile_string_n(p, text, strlen(text));
}

uint32_t profile_add_event(struct profile *p, const struct profile_event *event)
{
	if (p->nr_samples)
		bug("event added after the first sample");
	reserve(p, events, 1);
	p->events[p->nr_events] = *event;
	return p->nr_events++;
}

uint32_t profile_add_image(struct profile *p, const struct profile_image *image)
{
	reserve(p, images, 1);
	p->images[p->nr_images] = *image;
	return p->nr_images++;
}

static inline bool same_function(const void *profile, uint32_t id, const void *key)
{
	const struct profile *p = profile;
	const struct profile_function *a = &p->functions[id], *b = key;

	return a->name == b->name && a->system_name == b->system_name && a->file == b->file &&
	       a->start_line == b->start_line;
}

uint32_t profile_function(struct profile *p, const struct profile_function *function)
{
	struct hash_table *table = &p->indexes->functions;
	uint64_t hash = hash_mix((uint64_t)function->name << 32 | function->system_name,
				 (uint64_t)function->file << 32 | function->start_line);
	uint32_t id = hash_table_find(table, hash, same_function, p, function);
	if (id != HASH_NONE)
		return id;
	reserve(p, functions, 1);
	p->functions[p->nr_functions] = *function;
	hash_table_add(table, hash, p->nr_functions);
	return p->nr_functions++;
}

struct place_key {
	uint64_t address;
	const struct profile_line *lines;
	uint32_t image, nr_lines;
};

static inline bool same_place(const void *profile, uint32_t id, const void *key)
{
	const struct profile *p = profile;
	const struct profile_place *a = &p->places[id];
	const struct place_key *b = key;

	if (a->address != b->address || a->image != b->image || !a->lines != !b->nr_lines)
		return false;
	return !a->lines || (p->line_lists[a->lines].nr == b->nr_lines &&
			     !memcmp(p->lines + p->line_lists[a->lines].first, b->lines,
				     b->nr_lines * sizeof(*b->lines)));
}

static uint64_t place_hash(const struct place_key *key)
{
	uint64_t hash = hash_mix(key->image, key->address);

	for (uint32_t i = 0; i < key->nr_lines; i++)
		hash = hash_mix(hash, (uint64_t)key->lines[i].function << 32 | key->lines[i].line);
	return hash;
}

/* Copy @lines; lines that are the profile's own already are shared. Returns their list. */
static uint32_t keep_lines(struct profile *p, const struct profile_line *lines, uint32_t nr)
{
	uint32_t first = p->nr_lines;

	if (!nr)
		return 0;
	if (p->lines && lines >= p->lines && lines < p->lines + p->nr_lines) {
		first = (uint32_t)(lines - p->lines);
	} else {
		reserve(p, lines, nr);
		memcpy(p->lines + first, lines, nr * sizeof(*lines));
		p->nr_lines += nr;
	}
	reserve(p, line_lists, 1);
	p->line_lists[p->nr_line_lists] = (struct profile_line_list){ first, nr };
	return p->nr_line_lists++;
}

static uint32_t find_or_add_place(struct profile *p, const struct place_key *key, uint64_t hash)
{
	struct hash_table *table = &p->indexes->places;
	uint32_t id = hash_table_find(table, hash, same_place, p, key);
	if (id != HASH_NONE)
		return id;
	reserve(p, places, 1);
	p->places[p->nr_places] = (struct profile_place){
		.image = key->image, .address = key->address,
		.lines = keep_lines(p, key->lines, key->nr_lines),
	};
	hash_table_add(table, hash, p->nr_places);
	return p->nr_places++;
}

uint32_t profile_place(struct profile *p, uint32_t image, uint64_t address,
		       const struct profile_line *lines, uint32_t nr_lines)
{
	const struct place_key key = { address, lines, image, nr_lines };

	return find_or_add_place(p, &key, place_hash(&key));
}

void profile_places(struct profile *p, const struct profile_address *at, size_t nr, uint32_t *ret)
{
	const struct hash_table *table = &p->indexes->places;
	uint64_t hashes[PROFILE_PLACES_MAX];

	for (size_t i = 0; i < nr; i++) {
		const struct place_key key = { .address = at[i].address, .image = at[i].image };

		hashes[i] = place_hash(&key);
		hash_table_prefetch(table, hashes[i]);
	}
	for (size_t i = 0; i < nr; i++) {
		uint32_t id = hash_table_first(table, hashes[i]);

		if (id != HASH_NONE)
			__builtin_prefetch(&p->places[id]);
	}
	for (size_t i = 0; i < nr; i++) {
		const struct place_key key = { .address = at[i].address, .image = at[i].image };

		ret[i] = find_or_add_place(p, &key, hashes[i]);
	}
}

void profile_name_place(struct profile *p, uint32_t place, const struct profile_line *lines,
			uint32_t nr_lines)
{
	p->places[place].lines = keep_lines(p, lines, nr_lines);
}

uint32_t profile_node(struct profile *p, uint32_t parent, uint32_t place)
{
	return call_tree_node(&p->tree, parent, place);
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

static inline bool same_labels(const void *profile, uint32_t id, const void *key)
{
	const struct profile *p = profile;
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

/* The set is sorted at the end of all labels, and stays there if it is new. */
uint32_t profile_label_set(struct profile *p, const struct profile_label *labels, uint32_t nr)
{
	struct hash_table *table = &p->indexes->label_sets;
	struct profile_labels set = { p->nr_labels, nr };
	uint32_t id;
	uint64_t hash;

	if (!nr)
		return 0;
	reserve(p, labels, nr);
	memcpy(p->labels + set.first, labels, nr * sizeof(*labels));
	qsort(p->labels + set.first, nr, sizeof(*labels), compare_labels);
	hash = labels_hash(p->labels + set.first, nr);
	id = hash_table_find(table, hash, same_labels, p, &set);
	if (id != HASH_NONE)
		return id;
	p->nr_labels += nr;
	reserve(p, label_sets, 1);
	p->label_sets[p->nr_label_sets] = set;
	hash_table_add(table, hash, p->nr_label_sets);
	return p->nr_label_sets++;
}

int64_t *profile_add_sample(struct profile *p, uint32_t node, uint32_t labels)
{
	struct profile_indexes *indexes = p->indexes;
	size_t nr_values = (size_t)p->nr_samples * p->nr_events;

	reserve(p, samples, 1);
	if (!p->values || indexes->room_values < nr_values + p->nr_events) {
		indexes->room_values = indexes->room_samples * p->nr_events;
		p->values = xrealloc_array(p->values, indexes->room_values, sizeof(*p->values));
	}
	p->samples[p->nr_samples++] = (struct profile_sample){ node, labels };
	return memset(p->values + nr_values, 0, p->nr_events * sizeof(*p->values));
}

const char *profile_title(const struct profile *p)
{
	const char *title = profile_text(p, p->title);

	return *title || p->main_image == PROFILE_NONE
	     ? title : profile_text(p, p->images[p->main_image].path);
}

void profile_set_title(struct profile *p, const char *title)
{
	size_t len = strcspn(title, " ");

	p->title = profile_string(p, title);
	for (uint32_t i = 0; i < p->nr_images && len; i++) {
		const char *path = profile_text(p, p->images[i].path), *base = strrchr(path, '/');

		base = base ? base + 1 : path;
		if (!strcmp(path, title) || (strlen(base) == len && !memcmp(base, title, len))) {
			p->main_image = i;
			return;
		}
	}
}

void profile_comment(struct profile *p, const char *text)
{
	reserve(p, comments, 1);
	p->comments[p->nr_comments++] = profile_string(p, text);
}

static inline bool same_sample(const void *profile, uint32_t id, const void *key)
{
	const struct profile *p = profile;
	const struct profile_sample *a = &p->samples[id], *b = key;

	return a->node == b->node && a->labels == b->labels;
}

static void merge_values(struct profile *p, uint32_t to, uint32_t from)
{
	int64_t *a = profile_values(p, to);
	const int64_t *b = profile_values(p, from);

	for (uint32_t i = 0; i < p->nr_events; i++)
		a[i] = add_saturated(a[i], b[i]);
}

void profile_merge_samples(struct profile *p)
{
	struct hash_table table = { 0 };
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++) {
		struct profile_sample sample = p->samples[i];
		uint64_t hash = hash_u64((uint64_t)sample.node << 32 | sample.labels);
		uint32_t first = hash_table_find(&table, hash, same_sample, p, &sample);

		if (first != HASH_NONE) {
			merge_values(p, first, i);
			continue;
		}
		p->samples[kept] = sample;
		memmove(profile_values(p, kept), profile_values(p, i),
			p->nr_events * sizeof(*p->values));
		hash_table_add(&table, hash, kept++);
	}
	p->nr_samples = kept;
	hash_table_free(&table);
}

int64_t profile_total(const struct profile *p, uint32_t event)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->nr_samples; i++)
		sum = add_saturated(sum, profile_values(p, i)[event]);
	return sum;
}

bool profile_is_of_process(const struct profile *p, uint32_t labels, const char *pid)
{
	const struct profile_labels *set = &p->label_sets[labels];

	if (!pid || !*pid)
		return true;
	for (uint32_t i = 0; i < set->nr; i++) {
		const struct profile_label *label = &p->labels[set->first + i];
		char number[24];

		if (strcmp(profile_text(p, label->key), "pid"))
			continue;
		if (label->text)
			return !strcmp(profile_text(p, label->text), pid);
		snprintf(number, sizeof(number), "%" PRId64, label->number);
		return !strcmp(number, pid);
	}
	return false;
}

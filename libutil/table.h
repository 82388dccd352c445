/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - a hash table of indices: finds the element of an array that equals a key
 *
 * The elements stay in an array of the caller's, in the order in which they were added; the table
 * holds their indices ("ids"). Each slot also has the low half of the element's hash, so that an
 * element is looked at only if it is likely to be equal, and never when the table grows.
 *
 *	static bool has_name(const void *people, uint32_t id, const void *name)
 *	{
 *		return !strcmp(((const struct people *)people)->all[id].name, name);
 *	}
 *
 *	uint64_t hash = hash_string(name);
 *	uint32_t id = hash_table_find(&p->by_name, hash, has_name, p, name);
 *
 *	if (id == HASH_NONE) {
 *		id = p->nr++;
 *		p->all[id].name = name;
 *		hash_table_add(&p->by_name, hash, id);
 *	}
 *
 * Elements are not removed one by one. Memory that cannot be allocated ends the program (xalloc.h).
 */
#ifndef LIBUTIL_TABLE_H
#define LIBUTIL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_NONE	UINT32_MAX

struct hash_slot {
	uint32_t hash;
	uint32_t id;			/* HASH_NONE: free */
};

struct hash_table {			/* all 0: empty */
	struct hash_slot *slots;
	uint32_t mask;			/* number of slots, a power of two, - 1 */
	uint32_t nr;
};

/*
 * The id of the element that has @hash and for which equal(@context, id, @key) is true, or
 * HASH_NONE. Inlined, and with it @equal: a lookup is one probe and, as a rule, one comparison.
 */
static inline __attribute__((always_inline)) uint32_t
hash_table_find(const struct hash_table *t, uint64_t hash,
		bool (*equal)(const void *context, uint32_t id, const void *key),
		const void *context, const void *key)
{
	uint32_t half = (uint32_t)hash;

	if (!t->slots)
		return HASH_NONE;
	for (uint32_t i = half & t->mask;; i = (i + 1) & t->mask) {
		const struct hash_slot *slot = &t->slots[i];

		if (slot->id == HASH_NONE || (slot->hash == half && equal(context, slot->id, key)))
			return slot->id;
	}
}

/*
 * For several lookups in a large table, whose cache misses then overlap: prefetch the slot that
 * hash_table_find() looks at first; later get the id in it, whose element can be prefetched.
 */
static inline void hash_table_prefetch(const struct hash_table *t, uint64_t hash)
{
	if (t->slots)
		__builtin_prefetch(&t->slots[(uint32_t)hash & t->mask]);
}

static inline uint32_t hash_table_first(const struct hash_table *t, uint64_t hash)
{
	return t->slots ? t->slots[(uint32_t)hash & t->mask].id : HASH_NONE;
}

/* Add an element that hash_table_find() does not find. */
void hash_table_add(struct hash_table *t, uint64_t hash, uint32_t id);

/*
 * hash_table_find() in a table whose ids are 0, 1, 2, ...; if it finds nothing, add the element
 * that the caller then appends: the result is the number of elements so far.
 */
static inline __attribute__((always_inline)) uint32_t
hash_table_intern(struct hash_table *t, uint64_t hash,
		  bool (*equal)(const void *context, uint32_t id, const void *key),
		  const void *context, const void *key)
{
	uint32_t id = hash_table_find(t, hash, equal, context, key);

	if (id == HASH_NONE) {
		id = t->nr;
		hash_table_add(t, hash, id);
	}
	return id;
}

/* From now on element @to replaces @from, which is in the table and equals it. */
void hash_table_replace(struct hash_table *t, uint64_t hash, uint32_t from, uint32_t to);
/* Leaves @t empty and usable. */
void hash_table_free(struct hash_table *t);

#endif

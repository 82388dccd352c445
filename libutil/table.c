// SPDX-License-Identifier: GPL-2.0-or-later
/* table.c - a hash table of indices, with open addressing */
#include <stdlib.h>
#include <string.h>
#include "libutil/message.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"

#define FIRST_SLOTS	64u
#define SLOTS_MAX	(1u << 31)

static void insert(struct hash_table *t, struct hash_slot slot)
{
	uint32_t i = slot.hash & t->mask;

	while (t->slots[i].id != HASH_NONE)
		i = (i + 1) & t->mask;
	t->slots[i] = slot;
}

static void grow(struct hash_table *t)
{
	uint32_t nr = t->slots ? t->mask + 1 : 0;
	uint32_t wanted = nr ? 2 * nr : FIRST_SLOTS;
	struct hash_table larger = { .mask = wanted - 1, .nr = t->nr };

	if (nr == SLOTS_MAX)
		bug("more than 2^30 elements in a hash table");
	larger.slots = xrealloc_array(NULL, wanted, sizeof(*larger.slots));
	memset(larger.slots, 0xff, wanted * sizeof(*larger.slots));	/* ids: HASH_NONE */
	for (uint32_t i = 0; i < nr; i++)
		if (t->slots[i].id != HASH_NONE)
			insert(&larger, t->slots[i]);
	free(t->slots);
	*t = larger;
}

void hash_table_add(struct hash_table *t, uint64_t hash, uint32_t id)
{
	if (!t->slots || t->nr > t->mask / 2)
		grow(t);
	insert(t, (struct hash_slot){ (uint32_t)hash, id });
	t->nr++;
}

void hash_table_replace(struct hash_table *t, uint64_t hash, uint32_t from, uint32_t to)
{
	uint32_t i = (uint32_t)hash & t->mask;

	while (t->slots[i].id != from)
		i = (i + 1) & t->mask;
	t->slots[i].id = to;
}

void hash_table_free(struct hash_table *t)
{
	free(t->slots);
	*t = (struct hash_table){ 0 };
}

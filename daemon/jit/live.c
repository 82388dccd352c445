// SPDX-License-Identifier: GPL-2.0-or-later
/* live.c - a hash of blocks by their start, with open addressing */
#include <stdlib.h>
#include <string.h>
#include "daemon/jit/live.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"

void jit_live_free(struct jit_live *l)
{
	free(l->slots);
	*l = (struct jit_live){ 0 };
}

static size_t *slot_of(const struct jit_live *l, const struct jit_code *c, uint64_t start)
{
	size_t i = hash_u64(start) & (l->nr_slots - 1);

	while (l->slots[i] && c->blocks[l->slots[i] - 1].start != start)
		i = (i + 1) & (l->nr_slots - 1);
	return &l->slots[i];
}

static void grow(struct jit_live *l, const struct jit_code *c)
{
	struct jit_live larger = { .nr_slots = l->nr_slots ? 2 * l->nr_slots : 256, .nr = l->nr };

	larger.slots = xcalloc(larger.nr_slots, sizeof(*larger.slots));
	for (size_t i = 0; i < l->nr_slots; i++)
		if (l->slots[i])
			*slot_of(&larger, c, c->blocks[l->slots[i] - 1].start) = l->slots[i];
	free(l->slots);
	*l = larger;
}

void jit_live_put(struct jit_live *l, const struct jit_code *c)
{
	size_t *slot;

	if (2 * l->nr >= l->nr_slots)
		grow(l, c);
	slot = slot_of(l, c, c->blocks[c->nr - 1].start);
	l->nr += !*slot;
	*slot = c->nr;
}

bool jit_live_announce(struct jit_live *l, struct jit_code *c, struct jit_block *block,
		       const unsigned char *p, size_t len)
{
	size_t name_len = strnlen((const char *)p, len);

	if (name_len < len && block->size && len - name_len - 1 >= block->size)
		block->code = p + name_len + 1;
	if (!jit_code_add(c, block, (const char *)p, name_len))
		return false;
	jit_live_put(l, c);
	return true;
}

struct jit_block *jit_live_find(const struct jit_live *l, const struct jit_code *c, uint64_t start)
{
	size_t *slot = l->nr_slots ? slot_of(l, c, start) : NULL;

	return slot && *slot ? &c->blocks[*slot - 1] : NULL;
}

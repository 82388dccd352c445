// SPDX-License-Identifier: GPL-2.0-or-later
/* live.c - a hash table of blocks by their start */
#include <string.h>
#include "daemon/jit/live.h"
#include "libutil/hash.h"

_Static_assert(JIT_BLOCKS_MAX <= HASH_NONE, "a table holds the index of any block");

void jit_live_free(struct jit_live *l)
{
	hash_table_free(&l->by_start);
}

static bool starts_at(const void *code, uint32_t id, const void *start)
{
	const struct jit_code *c = code;

	return c->blocks[id].start == *(const uint64_t *)start;
}

static uint64_t hash_of(uint64_t start)
{
	return hash_mix(hash_seed(), start);
}

static uint32_t find(const struct jit_live *l, const struct jit_code *c, uint64_t start)
{
	return hash_table_find(&l->by_start, hash_of(start), starts_at, c, &start);
}

void jit_live_put(struct jit_live *l, const struct jit_code *c)
{
	uint64_t start = c->blocks[c->nr - 1].start;
	uint32_t id = (uint32_t)(c->nr - 1), old = find(l, c, start);

	if (old == HASH_NONE)
		hash_table_add(&l->by_start, hash_of(start), id);
	else
		hash_table_replace(&l->by_start, hash_of(start), old, id);
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
	uint32_t id = find(l, c, start);

	return id == HASH_NONE ? NULL : &c->blocks[id];
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* table.c - hash tables of indices: found, added, grown, replaced */
#include <stdlib.h>
#include "libutil/hash.h"
#include "libutil/table.h"
#include "tests/tap.h"

#define NR	10000u

static uint64_t keys[NR];
static unsigned int compared;

static bool has_key(const void *context, uint32_t id, const void *key)
{
	const uint64_t *all = context;

	compared++;
	return all[id] == *(const uint64_t *)key;
}

static uint32_t find(const struct hash_table *t, uint64_t hash, uint64_t key)
{
	return hash_table_find(t, hash, has_key, keys, &key);
}

TEST(empty)
{
	struct hash_table t = { 0 };

	CHECK(find(&t, 0, 0) == HASH_NONE, "an empty table has nothing");
	hash_table_free(&t);
}

TEST(many)
{
	struct hash_table t = { 0 };
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < NR; i++) {
		keys[i] = i * 7919ull << 20;
		wrong += find(&t, hash_u64(keys[i]), keys[i]) != HASH_NONE;
		hash_table_add(&t, hash_u64(keys[i]), i);
	}
	CHECK(!wrong && t.nr == NR, "each is new once: %u are not", wrong);
	compared = 0;
	for (uint32_t i = 0; i < NR; i++)
		wrong += find(&t, hash_u64(keys[i]), keys[i]) != i;
	CHECK(!wrong, "each is found after growing: %u are not", wrong);
	CHECK(compared < NR + NR / 100, "%u comparisons for %u lookups", compared, NR);
	CHECK(find(&t, hash_u64(1), 1) == HASH_NONE, "another is not found");
	hash_table_free(&t);
	CHECK(!t.slots && find(&t, hash_u64(0), 0) == HASH_NONE, "freed is empty");
}

TEST(equal_hashes)
{
	static const uint64_t hashes[] = { 0, 63, UINT64_MAX };

	for (size_t h = 0; h < sizeof(hashes) / sizeof(hashes[0]); h++) {
		struct hash_table t = { 0 };
		uint32_t wrong = 0;

		for (uint32_t i = 0; i < 200; i++) {
			keys[i] = i + 1;
			hash_table_add(&t, hashes[h], i);
		}
		for (uint32_t i = 0; i < 200; i++)
			wrong += find(&t, hashes[h], i + 1) != i;
		CHECK(!wrong, "with one hash: %u are not found", wrong);
		CHECK(find(&t, hashes[h], 201) == HASH_NONE, "another is not found");
		hash_table_free(&t);
	}
}

TEST(replaced)
{
	struct hash_table t = { 0 };

	keys[0] = keys[2] = 5;
	keys[1] = 6;
	hash_table_add(&t, 9, 0);
	hash_table_add(&t, 9, 1);
	hash_table_replace(&t, 9, 0, 2);
	CHECK(find(&t, 9, 5) == 2 && find(&t, 9, 6) == 1 && t.nr == 2, "the new one is found");
	hash_table_free(&t);
}

TEST_MAIN()

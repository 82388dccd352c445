// SPDX-License-Identifier: GPL-2.0-or-later
/* table.c - hash tables of indices: find, add, grow, replace */
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

	CHECK(find(&t, 0, 0) == HASH_NONE, "found in an empty table");
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
	CHECK(!wrong && t.nr == NR, "%u found before they were added", wrong);
	compared = 0;
	for (uint32_t i = 0; i < NR; i++)
		wrong += find(&t, hash_u64(keys[i]), keys[i]) != i;
	CHECK(!wrong, "%u not found after growing", wrong);
	CHECK(compared < NR + NR / 100, "%u comparisons for %u lookups", compared, NR);
	CHECK(find(&t, hash_u64(1), 1) == HASH_NONE, "found a missing key");
	hash_table_free(&t);
	CHECK(!t.slots && find(&t, hash_u64(0), 0) == HASH_NONE, "not empty after free");
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
		CHECK(!wrong, "%u not found among equal hashes", wrong);
		CHECK(find(&t, hashes[h], 201) == HASH_NONE, "found a missing key");
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
	CHECK(find(&t, 9, 5) == 2 && find(&t, 9, 6) == 1 && t.nr == 2, "the new id");
	hash_table_free(&t);
}

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/* add.c - find or make a key's node and add to its count: the daemon's hottest code */
#include <errno.h>
#include "libdb/odb/private.h"

/* Add to a counter, which stays at its maximum once it is there. [SF-12] */
static inline void add_count(struct odb_node *node, uint32_t n)
{
	uint32_t sum;

	if (__builtin_add_overflow(node->count, n, &sum))
		sum = ODB_COUNT_MAX;
	__atomic_store_n(&node->count, sum, __ATOMIC_RELAXED);
}

/*
 * A new node at the head of its chain. It is written whole before the number of nodes takes
 * it in: a reader, and whoever comes after a kill here, sees all of it or nothing. [SF-19]
 */
static int insert(struct odb *db, uint64_t key, uint32_t n)
{
	struct odb_node *node;
	uint32_t *head;
	int err;

	if (db->used > db->mask) {
		err = odb_grow(db);
		if (err)
			return err;
	}
	head = &db->hash[odb_bucket(key, db->mask)];
	node = &db->nodes[db->used];
	node->key = key;
	node->count = n;
	node->next = *head;
	*head = db->used++;
	__atomic_store_n(&db->descr->current_size, db->used, __ATOMIC_RELEASE);
	return 0;
}

/* Add to @key, which is not among the nodes of its chain before @i. */
static int add_from(struct odb *db, uint64_t key, uint32_t n, uint32_t i)
{
	for (; i; i = db->nodes[i].next) {
		if (db->nodes[i].key == key) {
			add_count(&db->nodes[i], n);
			return 0;
		}
	}
	return insert(db, key, n);
}

int odb_add(struct odb *db, uint64_t key, uint32_t n)
{
	return add_from(db, key, n, db->hash[odb_bucket(key, db->mask)]);
}

/*
 * What adding costs is waiting: for the memory of the hash entry and then of the node, and for
 * the CPU to come back from the wrong guess whether a key is the first or the second of its
 * chain, which depends on the key alone. With many keys at hand the memory is asked for early,
 * and the first two nodes are tried without a branch.
 */
#define HASH_AHEAD 32		/* keys */
#define NODE_AHEAD 16

static inline void prefetch_hash(const struct odb *db, uint64_t key)
{
	__builtin_prefetch(&db->hash[odb_bucket(key, db->mask)], 1);
}

static inline void prefetch_node(const struct odb *db, uint64_t key)
{
	__builtin_prefetch(&db->nodes[db->hash[odb_bucket(key, db->mask)]], 1);
}

/* @i if it is @key's node, else the next of its chain. Slot 0 leads to itself. */
static inline uint32_t this_or_next(const struct odb *db, uint32_t i, uint64_t key)
{
	const struct odb_node *node = &db->nodes[i];
	uint32_t this = -(uint32_t)(node->key == key);

	return (i & this) | (node->next & ~this);
}

static inline int add_sample(struct odb *db, uint64_t key)
{
	uint32_t i = db->hash[odb_bucket(key, db->mask)];

	i = this_or_next(db, i, key);
	i = this_or_next(db, i, key);
	if (__builtin_expect((db->nodes[i].key == key) & (i != 0), 1)) {
		add_count(&db->nodes[i], 1);
		return 0;
	}
	return add_from(db, key, 1, i);
}

int odb_add_many(struct odb *db, const uint64_t *keys, size_t nr, size_t *ret_done)
{
	for (size_t i = 0; i < nr && i < HASH_AHEAD; i++)
		prefetch_hash(db, keys[i]);
	for (size_t i = 0; i < nr && i < NODE_AHEAD; i++)
		prefetch_node(db, keys[i]);
	for (size_t i = 0; i < nr; i++) {
		int err;

		if (i + HASH_AHEAD < nr)
			prefetch_hash(db, keys[i + HASH_AHEAD]);
		if (i + NODE_AHEAD < nr)
			prefetch_node(db, keys[i + NODE_AHEAD]);
		err = add_sample(db, keys[i]);
		if (err) {
			*ret_done = i;
			return err;
		}
	}
	return 0;
}

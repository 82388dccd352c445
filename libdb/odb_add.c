// SPDX-License-Identifier: GPL-2.0-or-later
/* odb_add.c - find or make a key's node and add to its count: the daemon's hottest code */
#include <errno.h>
#include "odb_private.h"

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

int odb_add(struct odb *db, uint64_t key, uint32_t n)
{
	for (uint32_t i = db->hash[odb_bucket(key, db->mask)]; i; i = db->nodes[i].next) {
		if (db->nodes[i].key == key) {
			add_count(&db->nodes[i], n);
			return 0;
		}
	}
	return insert(db, key, n);
}

int odb_add_many(struct odb *db, const uint64_t *keys, size_t nr, size_t *ret_done)
{
	for (size_t i = 0; i < nr; i++) {
		int err = odb_add(db, keys[i], 1);

		if (err) {
			*ret_done = i;
			return err;
		}
	}
	return 0;
}

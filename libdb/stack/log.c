// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * log.c - append records to the log of an open store, and look up records in it
 *
 * One index serves all kinds: the first 8 bytes of a record hold kind and key, and most records
 * have no more. It is built when the file is opened and not stored: a pass over the log takes less
 * time than checking a stored table would, and the file is half as long.
 *
 * Unused room is given back when the file is closed [ST-8], so steps are small compared with the
 * file, and smaller still on a nearly full disk.
 *
 * The index is not a struct hash_table (libutil/table.h): adding must return -ENOMEM rather than
 * exit, and slots of 4 bytes without their own hash keep twice as many of them in the cache.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "libdb/stack/open_store.h"
#include "libutil/file.h"
#include "libutil/hash.h"

#define INDEX_FIRST	4096u				/* slots; 4 bytes each */
#define AHEAD		16u				/* slots whose records are prefetched */
#define POSITION_MASK	((1u << STACK_ARGUMENT_BITS) - 1)
#define STEP_MIN	(UINT64_C(64) << 10)
#define STEP_MAX	(UINT64_C(16) << 20)
#define STEP_LAST	4096u

/* --- the index --- */

static uint64_t word_of(struct stack_record r)
{
	return (uint64_t)r.head << 32 | r.second;
}

/* The length of the key in units. */
static size_t key_units(const struct stack_record *r)
{
	switch (stack_kind(r)) {
	case STACK_WIDE_FRAME:
		return 2;
	case STACK_LABEL:
		return stack_argument(r);
	}
	return 1;
}

static uint64_t hash_record(const struct stack_record *r)
{
	size_t units = key_units(r);

	return units == 1 ? hash_u64(word_of(*r)) : hash_bytes(r, units * sizeof(*r));
}

/* The upper bits of a slot are bits of the hash, which rules out most other records. */
static uint32_t slot_value(uint64_t hash, uint32_t pos)
{
	return pos | (uint32_t)(hash >> 61) << STACK_ARGUMENT_BITS;
}

static void insert(uint32_t *index, uint32_t mask, uint64_t hash, uint32_t pos)
{
	uint32_t at = (uint32_t)hash & mask;

	while (index[at])
		at = (at + 1) & mask;
	index[at] = slot_value(hash, pos);
}

int stack_index_reserve(struct stack_store *s)
{
	uint32_t size = s->index ? s->index_mask + 1 : 0;
	uint32_t *bigger;

	if ((uint64_t)(s->nr_indexed + 1) * 3 <= (uint64_t)size * 2)
		return 0;
	bigger = calloc(size ? 2 * (size_t)size : INDEX_FIRST, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	for (uint32_t i = 0; i < size; i++) {
		uint32_t pos = s->index[i] & POSITION_MASK;

		__builtin_prefetch(&s->records[s->index[(i + AHEAD) % size] & POSITION_MASK]);
		if (pos)
			insert(bigger, 2 * size - 1, hash_record(&s->records[pos]), pos);
	}
	free(s->index);
	s->index = bigger;
	s->index_mask = (size ? 2 * size : INDEX_FIRST) - 1;
	return 0;
}

void stack_index_insert(struct stack_store *s, uint32_t pos)
{
	const struct stack_record *r = &s->records[pos];

	switch (stack_kind(r)) {
	case STACK_COUNT:
		return;
	case STACK_NODE:
		s->nr_nodes++;
		break;
	case STACK_FRAME:
	case STACK_WIDE_FRAME:
		s->nr_frames++;
		break;
	}
	insert(s->index, s->index_mask, hash_record(r), pos);
	s->nr_indexed++;
}

uint32_t stack_index_find(const struct stack_store *s, struct stack_record key)
{
	uint64_t hash = hash_u64(word_of(key));
	uint32_t at = (uint32_t)hash & s->index_mask, found;

	for (; (found = s->index[at]); at = (at + 1) & s->index_mask) {
		uint32_t pos = found & POSITION_MASK;

		if (found == slot_value(hash, pos) && word_of(s->records[pos]) == word_of(key))
			return pos;
	}
	return 0;
}

uint32_t stack_index_find_long(const struct stack_store *s, const struct stack_record *key)
{
	size_t bytes = key_units(key) * sizeof(*key);
	uint64_t hash = hash_record(key);
	uint32_t at = (uint32_t)hash & s->index_mask, found;

	for (; (found = s->index[at]); at = (at + 1) & s->index_mask) {
		uint32_t pos = found & POSITION_MASK;

		/* equal heads have equal lengths */
		if (found == slot_value(hash, pos) && s->records[pos].head == key->head &&
		    !memcmp(&s->records[pos], key, bytes))
			return pos;
	}
	return 0;
}

void stack_index_prefetch(const struct stack_store *s, struct stack_record key)
{
	__builtin_prefetch(&s->index[(uint32_t)hash_u64(word_of(key)) & s->index_mask]);
}

void stack_index_prefetch_record(const struct stack_store *s, struct stack_record key)
{
	uint32_t found = s->index[(uint32_t)hash_u64(word_of(key)) & s->index_mask];

	__builtin_prefetch(&s->records[found & POSITION_MASK]);
}

/* --- the log --- */

int stack_map(struct stack_store *s, uint64_t old_length, uint64_t length)
{
	int err = file_allocate(s->fd, old_length, length);
	void *map;

	if (err)
		return err;
	map = s->header ? mremap(s->header, s->length, length, MREMAP_MAYMOVE)
			: mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (map == MAP_FAILED) {
		err = -errno;
		(void)!ftruncate(s->fd, (off_t)old_length);
		return err;
	}
	s->header = map;
	s->records = map;
	s->length = length;
	return 0;
}

static uint64_t step_for(uint64_t length)
{
	uint64_t step = length / 8;

	if (step < STEP_MIN)
		step = STEP_MIN;
	if (step > STEP_MAX)
		step = STEP_MAX;
	return step & ~(uint64_t)(STEP_LAST - 1);
}

/* Have room for @nr more units of 8 bytes. -ENOSPC, -EFBIG, -ENOMEM. */
static int reserve(struct stack_store *s, uint32_t nr)
{
	uint64_t need = ((uint64_t)s->used + nr) * 8, want, least;
	int err;

	if (need > s->max_length)
		return -EFBIG;
	if (need <= s->length)
		return 0;
	want = s->length + step_for(s->length);
	least = (need + STEP_LAST - 1) & ~(uint64_t)(STEP_LAST - 1);
	if (want < least)
		want = least;
	if (want > s->max_length)
		want = s->max_length;
	err = stack_map(s, s->length, want);
	/* a limit on file sizes (-EFBIG) may lie in between, too */
	if ((err == -ENOSPC || err == -EFBIG) && least < want)
		err = stack_map(s, s->length, least);
	return err;
}

/* The record is written whole before the length includes it [ST-5]. */
static uint32_t append(struct stack_store *s, const struct stack_record *record, uint32_t nr)
{
	uint32_t pos = s->used;

	memcpy(&s->records[pos], record, nr * sizeof(*record));
	s->used += nr;
	__atomic_store_n(&s->header->used, s->used, __ATOMIC_RELEASE);
	return pos;
}

uint32_t stack_append(struct stack_store *s, const struct stack_record *record, uint32_t nr,
		      int *ret_err)
{
	uint32_t pos;

	*ret_err = reserve(s, nr);
	if (!*ret_err)
		*ret_err = stack_index_reserve(s);
	if (*ret_err)
		return 0;
	pos = append(s, record, nr);
	stack_index_insert(s, pos);
	return pos;
}

/* What is full leaves this process's memory, though not the system's. */
uint32_t stack_append_only(struct stack_store *s, struct stack_record record, int *ret_err)
{
	uint64_t length = s->length;

	*ret_err = reserve(s, 1);
	if (*ret_err)
		return 0;
	if (s->length > length)
		(void)madvise(s->header, length, MADV_DONTNEED);
	return append(s, &record, 1);
}

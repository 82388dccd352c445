// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * store.c - what a sample costs once its file and key are known: libdb's adding
 *
 * CPU time per key, the median of RUNS runs. The rival is the classic way with the very same
 * file format, measured here beside ours: one key at a time, each waited for, the file
 * extended sparse and rehashed a node at a time. "store_*_one" is our odb_add() alone.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/odb/odb.h"
#include "libdb/session/header.h"
#include "libutil/message.h"
#include "libutil/xalloc.h"
#include "tests/bench/figures.h"

#define RUNS		7
#define BATCH		256
#define ZIPF_KEYS	100000
#define ZIPF_ADDS	5000000
#define SCATTERED_KEYS	1000000

static char path[4096];

/* --- the classic store --- */

struct classic {
	int fd;
	char *map;
	size_t length;
};

struct classic_descr {
	uint32_t size, used;
};

static size_t classic_length(uint32_t size)
{
	return SAMPLE_HEADER_SIZE + 32 + (size_t)size * 20;
}

static struct classic_descr *classic_descr(const struct classic *c)
{
	return (void *)(c->map + SAMPLE_HEADER_SIZE);
}

static struct odb_node *classic_nodes(const struct classic *c)
{
	return (void *)(c->map + SAMPLE_HEADER_SIZE + 32);
}

static uint32_t *classic_head(const struct classic *c, uint64_t key)
{
	uint32_t size = classic_descr(c)->size, t = (uint32_t)(key ^ key >> 32);

	return (uint32_t *)(classic_nodes(c) + size) + ((t ^ t >> 8) & (size - 1));
}

static void classic_map(struct classic *c, uint32_t size)
{
	size_t length = classic_length(size);

	if (ftruncate(c->fd, (off_t)length))
		bug("cannot extend %s", path);
	c->map = c->map ? mremap(c->map, c->length, length, MREMAP_MAYMOVE) :
			  mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	if (c->map == MAP_FAILED)
		bug("cannot map %s", path);
	c->length = length;
	classic_descr(c)->size = size;
}

static void classic_open(struct classic *c)
{
	unlink(path);
	memset(c, 0, sizeof(*c));
	c->fd = open(path, O_RDWR | O_CREAT, 0644);
	classic_map(c, 128);
	classic_descr(c)->used = 1;
}

static void classic_close(struct classic *c)
{
	munmap(c->map, c->length);
	close(c->fd);
}

static void classic_link(struct classic *c, uint32_t slot)
{
	struct odb_node *node = &classic_nodes(c)[slot];
	uint32_t *head = classic_head(c, node->key);

	node->next = *head;
	*head = slot;
}

static void classic_add(struct classic *c, uint64_t key)
{
	struct odb_node *nodes = classic_nodes(c), *node;
	struct classic_descr *d = classic_descr(c);

	for (uint32_t i = *classic_head(c, key); i; i = nodes[i].next) {
		if (nodes[i].key == key) {
			if (nodes[i].count + 1)
				nodes[i].count++;
			return;
		}
	}
	if (d->used >= d->size) {
		classic_map(c, d->size * 2);
		d = classic_descr(c);
		for (uint32_t i = 1; i < d->used; i++)
			classic_link(c, i);
	}
	node = &classic_nodes(c)[d->used];
	node->key = key;
	node->count = 1;
	classic_link(c, d->used);
	d->used++;
}

/* --- the ways to add, and what is added --- */

enum way { MANY, ONE, CLASSIC, NR_WAYS };

struct keys {
	uint64_t *keys;
	size_t nr;
};

static void add_many(struct odb *db, const struct keys *k)
{
	size_t done;

	for (size_t i = 0; i < k->nr; i += BATCH)
		if (odb_add_many(db, k->keys + i, k->nr - i < BATCH ? k->nr - i : BATCH, &done))
			bug("odb_add_many");
}

static void add_one(struct odb *db, const struct keys *k)
{
	for (size_t i = 0; i < k->nr; i++)
		if (odb_add(db, k->keys[i], 1))
			bug("odb_add");
}

/* ns per key of adding @k to a new file; of adding it @again when asked. */
static double run(enum way way, const struct keys *k, int again)
{
	struct op_error e = { "" };
	struct odb *db = NULL;
	struct classic c;
	double start = 0;

	if (way == CLASSIC) {
		classic_open(&c);
	} else {
		unlink(path);
		if (odb_open(path, SAMPLE_HEADER_SIZE, &db, &e))
			bug("%s", e.text);
	}
	for (int pass = 0; pass <= again; pass++) {
		start = cpu_seconds();
		if (way == MANY)
			add_many(db, k);
		else if (way == ONE)
			add_one(db, k);
		else
			for (size_t i = 0; i < k->nr; i++)
				classic_add(&c, k->keys[i]);
	}
	start = cpu_seconds() - start;
	if (way == CLASSIC)
		classic_close(&c);
	odb_close(db);
	return start * 1e9 / (double)k->nr;
}

/* Ways take turns, so that a busy machine is busy for all of them. */
static void measure(const struct keys *k, int again, double ret_medians[NR_WAYS])
{
	double times[NR_WAYS][RUNS];

	for (int i = 0; i < RUNS; i++)
		for (enum way way = 0; way < NR_WAYS; way++)
			times[way][i] = run(way, k, again);
	for (enum way way = 0; way < NR_WAYS; way++)
		ret_medians[way] = median(times[way], RUNS);
}

static void report(const char *name, const double medians[NR_WAYS])
{
	printf("bench %s %.1f ns rival classic-one-at-a-time %.1f\n", name, medians[MANY],
	       medians[CLASSIC]);
	printf("bench %s_one %.1f ns rival classic-one-at-a-time %.1f\n", name, medians[ONE],
	       medians[CLASSIC]);
}

/* Distinct addresses of instructions, 1 to 16 bytes apart, in random order. */
static struct keys scattered(size_t nr)
{
	struct keys k = { xcalloc(nr, sizeof(uint64_t)), nr };
	uint64_t pc = 0x401000;

	for (size_t i = 0; i < nr; i++)
		k.keys[i] = pc += 1 + random_u64() % 16;
	for (size_t i = nr - 1; i > 0; i--) {
		size_t j = random_u64() % (i + 1);
		uint64_t swap = k.keys[i];

		k.keys[i] = k.keys[j];
		k.keys[j] = swap;
	}
	return k;
}

static size_t lower_bound(const double *sums, size_t nr, double x)
{
	size_t low = 0, high = nr - 1;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (sums[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* @nr draws from @distinct addresses, the r-th of them with weight 1/r. */
static struct keys zipf(size_t distinct, size_t nr)
{
	struct keys pool = scattered(distinct), k = { xcalloc(nr, sizeof(uint64_t)), nr };
	double *sums = xcalloc(distinct, sizeof(double)), sum = 0;

	for (size_t i = 0; i < distinct; i++)
		sums[i] = sum += 1.0 / (double)(i + 1);
	for (size_t i = 0; i < nr; i++) {
		double x = (double)(random_u64() >> 11) * 0x1p-53 * sum;

		k.keys[i] = pool.keys[lower_bound(sums, distinct, x)];
	}
	free(pool.keys);
	free(sums);
	return k;
}

static void bench_updates(void)
{
	struct keys k = zipf(ZIPF_KEYS, ZIPF_ADDS);
	double medians[NR_WAYS];

	measure(&k, 1, medians);
	report("store_update_zipf", medians);
	free(k.keys);
}

static void bench_inserts(void)
{
	struct keys k = scattered(SCATTERED_KEYS);
	double medians[NR_WAYS];
	struct stat st;

	measure(&k, 0, medians);
	report("store_insert_scattered", medians);
	run(MANY, &k, 0);
	if (!stat(path, &st))
		printf("bench store_bytes_per_key %.1f bytes rival oprofile-libdb 21.0\n",
		       (double)st.st_size / SCATTERED_KEYS);
	free(k.keys);
}

int main(void)
{
	const char *dir = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%s/bench-store.%d", dir ? dir : "/tmp", (int)getpid());
	bench_updates();
	bench_inserts();
	unlink(path);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack_test.h - a stack store with the usual labels, and sums over its counts */
#ifndef TESTS_UNIT_LIBDB_STACK_STACK_TEST_H
#define TESTS_UNIT_LIBDB_STACK_STACK_TEST_H

#include "libdb/stack/store.h"
#include "libutil/hash.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

struct stack_ids {
	uint32_t app, lib, kernel, event, context;
};

static inline struct stack_store *open_stacks(const char *path, uint64_t max_bytes)
{
	struct op_error e = { "" };
	struct stack_store *s = NULL;
	int err = stack_store_open(path, max_bytes, &s, &e);

	CHECK(!err, "open: %d %s", err, e.text);
	if (err)
		exit(1);
	return s;
}

static inline int stack_labels(struct stack_store *s, struct stack_ids *ret)
{
	const struct stack_image app = { { .kind = IMAGE_FILE, .path = "/bin/app" }, "0123ab" };
	const struct stack_image lib = { { .kind = IMAGE_FILE, .path = "/lib/libm.so" }, "" };
	const struct stack_image kernel = { { .kind = IMAGE_KERNEL, .path = "kallsyms" }, "" };
	const struct stack_event event = { "CPU_CLK_UNHALTED", 100000, 0 };
	struct stack_context context = { 0, SAMPLE_ALL, SAMPLE_ALL, SAMPLE_ALL, "", "",
					   "" };
	int err = stack_store_image(s, &app, &ret->app);

	if (!err)
		err = stack_store_image(s, &lib, &ret->lib);
	if (!err)
		err = stack_store_image(s, &kernel, &ret->kernel);
	if (!err)
		err = stack_store_event(s, &event, &ret->event);
	context.app = ret->app;
	return err ? err : stack_store_context(s, &context, &ret->context);
}

/*
 * The naive model: a stack is known by a hash over how it ended and its frames, outermost first,
 * and a sum by that of its stack, event and context.
 */
static inline uint64_t stack_hash_root(unsigned int end)
{
	return hash_u64(end + 1);
}

static inline uint64_t stack_hash_frame(uint64_t hash, const char *image, uint64_t offset)
{
	return hash_mix(hash_mix(hash, hash_string(image)), offset);
}

struct stack_sum {
	uint64_t hash, count;
};

struct stack_sums {
	struct stack_sum *sums;
	size_t nr;
};

static inline int compare_sums(const void *a, const void *b)
{
	const struct stack_sum *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Sort, and merge equal ones. */
static inline void sums_merge(struct stack_sums *s)
{
	size_t nr = 0;

	if (s->nr)
		qsort(s->sums, s->nr, sizeof(*s->sums), compare_sums);
	for (size_t i = 0; i < s->nr; i++) {
		if (nr && s->sums[nr - 1].hash == s->sums[i].hash)
			s->sums[nr - 1].count += s->sums[i].count;
		else
			s->sums[nr++] = s->sums[i];
	}
	s->nr = nr;
}

static inline struct stack_sums snapshot_sums(const struct stack_snapshot *s)
{
	struct stack_sums ret = { calloc(s->nr_counts + 1, sizeof(*ret.sums)), s->nr_counts };
	uint64_t *hashes = calloc(s->nr_nodes + 1, sizeof(*hashes));

	for (uint32_t i = 0; i < s->nr_nodes; i++) {
		const struct stack_node *n = &s->nodes[i];
		const struct stack_frame *f = &s->frames[n->parent == STACK_NONE ? 0 : n->frame];

		hashes[i] = n->parent == STACK_NONE ? stack_hash_root(n->frame) :
			stack_hash_frame(hashes[n->parent], s->images[f->image].name.path,
					 f->offset);
	}
	for (uint32_t i = 0; i < s->nr_counts; i++) {
		const struct stack_count *c = &s->counts[i];
		uint64_t hash = hash_mix(hashes[c->node],
					 hash_string(s->events[c->event].name));

		ret.sums[i].hash = hash_mix(hash, (uint64_t)s->contexts[c->context].tgid);
		ret.sums[i].count = c->count;
	}
	free(hashes);
	sums_merge(&ret);
	return ret;
}

/* Sums of a file that must be readable. */
static inline struct stack_sums file_sums(const char *path)
{
	struct stack_snapshot s;
	struct op_error e = { "" };
	struct stack_sums ret;
	int err = stack_store_read(path, &s, &e);

	CHECK(!err, "read: %d %s", err, e.text);
	if (err)
		exit(1);
	ret = snapshot_sums(&s);
	stack_snapshot_free(&s);
	return ret;
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/* baseline.c - keep the counts of a session: those of sample files by key, of stacks by index */
#include "pp/exchange/export/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"

struct base_file {
	char *path;
	struct sample_key *keys;
	size_t nr;
};

struct base_store {
	char *samples;			/* folder */
	uint64_t *counts;
	uint32_t nr;
};

struct export_baseline {
	struct base_file *files;	/* by path */
	size_t nr_files;
	struct base_store *stores;
	size_t nr_stores;
};

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct base_file *)a)->path, ((const struct base_file *)b)->path);
}

static void take_store(struct export_baseline *b, const char *samples)
{
	char *path = path_join(samples, "stats/" STACK_STORE_FILE);
	struct base_store *store = &b->stores[b->nr_stores];
	struct op_error ignored = { "" };
	struct stack_snapshot now;

	if (!stack_store_read(path, &now, &ignored)) {
		store->samples = xstrdup(samples);
		store->nr = now.nr_counts;
		store->counts = xcalloc((size_t)now.nr_counts + 1, sizeof(*store->counts));
		for (uint32_t i = 0; i < now.nr_counts; i++)
			store->counts[i] = now.counts[i].count;
		b->nr_stores++;
		stack_snapshot_free(&now);
	}
	free(path);
}

/* Files before stores: a sample recorded in between is exported, but without its stack. */
struct export_baseline *export_baseline_take(const struct collection *c)
{
	struct export_baseline *b = xcalloc(1, sizeof(*b));
	struct notices ignored = { 0 };

	b->files = xcalloc(c->files.nr + 1, sizeof(*b->files));
	b->stores = xcalloc(c->sessions.nr + 1, sizeof(*b->stores));
	for (size_t i = 0; i < c->files.nr; i++) {
		struct base_file *file = &b->files[b->nr_files];
		struct sample_header header;

		if (samples_read_keys(&c->files.files[i], &header, &file->keys, &file->nr,
				      &ignored))
			continue;
		file->path = xstrdup(c->files.files[i].path);
		b->nr_files++;
	}
	if (b->nr_files)
		qsort(b->files, b->nr_files, sizeof(*b->files), compare_files);
	for (size_t i = 0; i < c->sessions.nr; i++)
		take_store(b, c->sessions.sessions[i].samples);
	notices_free(&ignored);
	return b;
}

void export_baseline_free(struct export_baseline *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->nr_files; i++) {
		free(b->files[i].path);
		free(b->files[i].keys);
	}
	for (size_t i = 0; i < b->nr_stores; i++) {
		free(b->stores[i].samples);
		free(b->stores[i].counts);
	}
	free(b->files);
	free(b->stores);
	free(b);
}

/* A smaller count than before began at 0 after a reset. */
static uint64_t new_part(uint64_t now, uint64_t then)
{
	return now >= then ? now - then : now;
}

void export_baseline_keys(const struct export_baseline *b, const char *path,
			  struct sample_key *keys, size_t nr)
{
	const struct base_file wanted = { .path = (char *)path };
	const struct base_file *file = b->nr_files
		? bsearch(&wanted, b->files, b->nr_files, sizeof(*b->files), compare_files) : NULL;
	size_t at = 0;

	for (size_t i = 0; file && i < nr; i++) {
		while (at < file->nr && file->keys[at].key < keys[i].key)
			at++;
		if (at == file->nr || file->keys[at].key != keys[i].key)
			continue;
		keys[i].raw = (uint32_t)new_part(keys[i].raw, file->keys[at].raw);
		keys[i].count = new_part(keys[i].count, file->keys[at].count);
		at++;
	}
}

uint64_t export_baseline_stack(const struct export_baseline *b, const char *samples,
			       const struct stack_snapshot *now, uint32_t index)
{
	for (size_t i = 0; i < b->nr_stores; i++)
		if (!strcmp(b->stores[i].samples, samples))
			return b->stores[i].nr > now->nr_counts || index >= b->stores[i].nr
			       ? now->counts[index].count
			       : new_part(now->counts[index].count, b->stores[i].counts[index]);
	return now->counts[index].count;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* files.c - find a session's sample files by the fields of their names */
#include "pp/exchange/export/gathered.h"

#include <string.h>

#include "libutil/hash.h"

static uint64_t hash_image(uint64_t hash, const struct image_name *i)
{
	hash = hash_mix(hash, hash_string(i->path) + i->kind);
	hash = hash_mix(hash, i->anon_start);
	return hash_mix(hash, i->anon_tgid);
}

static uint64_t hash_file(const struct sample_file *f)
{
	uint64_t hash = hash_mix(hash_string(f->name.event), f->name.count);

	hash = hash_mix(hash, f->name.unit_mask);
	hash = hash_mix(hash, (uint64_t)f->name.tgid);
	hash = hash_mix(hash, (uint64_t)f->name.tid);
	hash = hash_mix(hash, (uint64_t)f->name.cpu);
	hash = hash_mix(hash, hash_string(f->cgroup));
	return hash_image(hash_image(hash, &f->name.app), &f->name.image);
}

static bool same_name(const struct image_name *a, const struct image_name *b)
{
	return a->kind == b->kind && !strcmp(a->path, b->path) && a->anon_tgid == b->anon_tgid &&
	       a->anon_start == b->anon_start && a->anon_end == b->anon_end;
}

static bool same_build(const struct report_image *a, const struct report_image *b)
{
	return a->is_apart == b->is_apart && (!a->is_apart || !strcmp(a->build_id, b->build_id));
}

static bool same_file(const struct sample_file *a, const struct sample_file *b)
{
	return !strcmp(a->name.event, b->name.event) && a->name.count == b->name.count &&
	       a->name.unit_mask == b->name.unit_mask && a->name.tgid == b->name.tgid &&
	       a->name.tid == b->name.tid && a->name.cpu == b->name.cpu &&
	       !strcmp(a->cgroup, b->cgroup) && same_name(&a->name.app, &b->name.app) &&
	       same_name(&a->name.image, &b->name.image) && same_build(a->image, b->image);
}

static bool is_file(const void *files, uint32_t id, const void *wanted)
{
	return same_file(&((const struct export_files *)files)->files[id], wanted);
}

/* Of several files with one name the last is found. */
void export_files_index(struct export_files *all)
{
	for (size_t i = 0; i < all->nr; i++) {
		uint64_t hash = hash_file(&all->files[i]);
		uint32_t old = hash_table_find(&all->by_name, hash, is_file, all, &all->files[i]);

		if (old == HASH_NONE)
			hash_table_add(&all->by_name, hash, (uint32_t)i);
		else
			hash_table_replace(&all->by_name, hash, old, (uint32_t)i);
	}
}

uint32_t export_file_find(const struct export_files *all, const struct sample_file *f)
{
	_Static_assert(PROFILE_NONE == HASH_NONE, "returned without conversion");
	return hash_table_find(&all->by_name, hash_file(f), is_file, all, f);
}

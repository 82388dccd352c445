// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * image.c - one struct per image, and the builds seen of it
 */
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "image.h"
#include "image_ids.h"
#include "log.h"
#include "xalloc.h"

#define NR_BUCKETS 1024

struct image_build {
	struct image_build *next;
	char *id;
};

struct images {
	struct image *buckets[NR_BUCKETS];
	const char *const *wanted;
	char *stats_dir;
	struct image_ids *kept;		/* what the session held before this run of the daemon */
	bool failed;			/* stats/images could not be written; said once */
};

struct images *images_new(const char *const *wanted)
{
	struct images *all = xcalloc(1, sizeof(*all));

	all->wanted = wanted && wanted[0] ? wanted : NULL;
	return all;
}

static void image_free(struct image *image)
{
	while (image->builds) {
		struct image_build *b = image->builds;

		image->builds = b->next;
		free(b->id);
		free(b);
	}
	free(image->path);
	free(image);
}

void images_free(struct images *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < NR_BUCKETS; i++)
		while (all->buckets[i]) {
			struct image *image = all->buckets[i];

			all->buckets[i] = image->next;
			image_free(image);
		}
	image_ids_free(all->kept);
	free(all->stats_dir);
	free(all);
}

static bool is_wanted(const struct images *all, const char *path)
{
	for (size_t i = 0; all->wanted && all->wanted[i]; i++)
		if (!strcmp(all->wanted[i], path))
			return true;
	return !all->wanted;
}

struct image *image_get(struct images *all, enum image_kind kind, const char *path)
{
	struct image **bucket = &all->buckets[hash_string(path) % NR_BUCKETS];
	struct image *image;

	for (image = *bucket; image; image = image->next)
		if (image->kind == kind && !strcmp(image->path, path))
			return image;

	image = xcalloc(1, sizeof(*image));
	image->kind = kind;
	image->path = xstrdup(path);
	image->wanted = is_wanted(all, path);
	image->next = *bucket;
	*bucket = image;
	return image;
}

static void write_build(struct images *all, const struct image *image, const char *build_id)
{
	const char *kept = all->kept ? image_ids_find(all->kept, image->path) : NULL;
	int err;

	if (!all->stats_dir || (kept && !strcmp(kept, build_id)))
		return;
	err = image_ids_append(all->stats_dir, image->path, build_id);
	if (err && !all->failed)
		log_line("cannot write build-ids into '%s': %s", all->stats_dir, strerror(-err));
	all->failed = err;
}

void image_add_build(struct images *all, struct image *image, const char *build_id)
{
	struct image_build *b;

	for (b = image->builds; b; b = b->next)
		if (!strcmp(b->id, build_id))
			return;
	b = xmalloc(sizeof(*b));
	b->id = xstrdup(build_id);
	b->next = image->builds;
	image->builds = b;
	image->stack_id = 0;		/* another image, as far as chains are concerned */
	if (image->told)
		write_build(all, image, build_id);
}

const char *image_build_id(const struct image *image)
{
	return image->builds ? image->builds->id : "";
}

void image_tell(struct images *all, struct image *image)
{
	if (image->told)
		return;
	image->told = true;
	for (struct image_build *b = image->builds; b; b = b->next)
		write_build(all, image, b->id);
}

void images_set_session(struct images *all, const char *stats_dir)
{
	free(all->stats_dir);
	all->stats_dir = xstrdup(stats_dir);
	image_ids_free(all->kept);
	all->kept = NULL;
	(void)image_ids_read(stats_dir, &all->kept);	/* none: a new session */
	for (size_t i = 0; i < NR_BUCKETS; i++)
		for (struct image *image = all->buckets[i]; image; image = image->next)
			image->told = false;
}

bool images_filtered(const struct images *all)
{
	return all->wanted;
}

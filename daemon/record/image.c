// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * image.c - one struct per image, and which build of a path is a session's first
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/record/image.h"
#include "libdb/session/image_ids.h"
#include "libutil/hash.h"
#include "libutil/log.h"
#include "libutil/table.h"
#include "libutil/xalloc.h"

#define NR_BUCKETS	1024
#define SWEEP_MIN	4096		/* images: fewer are not worth looking for unused ones */

/* The first build of a path, of which the session has samples. The image may be freed. */
struct sampled {
	uint64_t hash;			/* of kind and path */
	char *build_id;			/* "": not known */
};

struct images {
	struct image *buckets[NR_BUCKETS];	/* by path, older ones first */
	size_t nr, sweep_at;
	struct sampled *sampled;
	size_t nr_sampled, room_sampled;
	struct hash_table by_path;	/* of @sampled */
	const char *const *wanted;
	char *stats_dir;
	struct image_ids *kept;		/* stats/images as an earlier daemon left it */
	bool failed;			/* the last write to stats/images, which was logged */
};

struct images *images_new(const char *const *wanted)
{
	struct images *all = xcalloc(1, sizeof(*all));

	all->wanted = wanted && wanted[0] ? wanted : NULL;
	all->sweep_at = SWEEP_MIN;
	return all;
}

static void forget_sampled(struct images *all)
{
	for (size_t i = 0; i < all->nr_sampled; i++)
		free(all->sampled[i].build_id);
	free(all->sampled);
	all->sampled = NULL;
	all->nr_sampled = all->room_sampled = 0;
	hash_table_free(&all->by_path);
}

static void image_free(struct image *image)
{
	free(image->build_id);
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
	forget_sampled(all);
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

static void write_build(struct images *all, const struct image *image)
{
	int err = image_ids_append(all->stats_dir, image->path, image->build_id);

	if (err && !all->failed)
		log_line("cannot write build IDs to '%s': %s", all->stats_dir, strerror(-err));
	all->failed = err;
}

/* Hashes of different paths are equal in no session: they have 64 bits that nobody can guess. */
static uint64_t hash_name(enum image_kind kind, const char *path)
{
	return hash_mix(kind, hash_foreign(path, strlen(path)));
}

static bool has_hash(const void *images, uint32_t id, const void *hash)
{
	return ((const struct images *)images)->sampled[id].hash == *(const uint64_t *)hash;
}

/* The build of which this session has samples as the first of the path. NULL: none. */
static const char *sampled_build(const struct images *all, enum image_kind kind, const char *path)
{
	uint64_t hash = hash_name(kind, path);
	uint32_t id = hash_table_find(&all->by_path, hash, has_hash, all, &hash);

	if (id != HASH_NONE)
		return all->sampled[id].build_id;
	return all->kept ? image_ids_find(all->kept, path) : NULL;
}

static const char *sampled_build_of(const struct images *all, const struct image *image)
{
	return sampled_build(all, image->kind, image->path);
}

static void add_sampled(struct images *all, const struct image *image)
{
	uint64_t hash = hash_name(image->kind, image->path);

	xgrow(all->sampled, all->nr_sampled, all->room_sampled);
	all->sampled[all->nr_sampled] = (struct sampled){ hash, xstrdup(image->build_id) };
	hash_table_add(&all->by_path, hash, (uint32_t)all->nr_sampled++);
}

/* The build was not known until now. */
static void set_build(struct image *image, const char *build_id)
{
	free(image->build_id);
	image->build_id = xstrdup(build_id);
	image->standing = IMAGE_UNDECIDED;
	memset(image->stack, 0, sizeof(image->stack));
}

static struct image *image_new(struct images *all, enum image_kind kind, const char *path,
			       const char *build_id, struct image *head)
{
	struct image *image = xcalloc(1, sizeof(*image));
	const char *sampled = sampled_build(all, kind, path);

	image->kind = kind;
	image->path = xstrdup(path);
	image->build_id = xstrdup(build_id);
	image->head = head ? head : image;
	image->wanted = is_wanted(all, path);
	/* no other build becomes the one that is not known */
	image->is_sampled = sampled && !*sampled && !*build_id;
	all->nr++;
	return image;
}

/* Whether a build of @path that is not known may be another than those that are. */
static bool may_be_other(const struct images *all, const char *path, bool has_other)
{
	const char *sampled = sampled_build(all, IMAGE_FILE, path);

	return sampled ? *sampled : has_other;
}

struct image *image_get(struct images *all, enum image_kind kind, const char *path,
			const char *build_id)
{
	struct image **at = &all->buckets[hash_foreign(path, strlen(path)) % NR_BUCKETS];
	struct image *head = NULL;
	bool has_other = false;

	for (; *at; at = &(*at)->next) {
		struct image *image = *at;

		if (image->kind != kind || strcmp(image->path, path))
			continue;
		if (!strcmp(image->build_id, build_id))
			return image;
		if (*build_id && !*image->build_id && !image->is_sampled &&
		    !image_id_is_apart(build_id)) {
			set_build(image, build_id);
			return image;
		}
		has_other |= !image_id_is_apart(image->build_id);
		if (!head)
			head = image;
	}
	if (kind == IMAGE_FILE && !*build_id && may_be_other(all, path, has_other))
		return NULL;
	*at = image_new(all, kind, path, build_id, head);
	return *at;
}

static bool is_sampled_unknown(const struct image *image)
{
	return image->is_sampled && !*image->build_id;
}

/* The image that was found to be the first of this path, or NULL. */
static struct image *known_first(const struct image *image)
{
	const struct image *head = image->head;

	for (struct image *other = image->head; other; other = other->next)
		if (other->head == head &&
		    (other->standing == IMAGE_FIRST || is_sampled_unknown(other)))
			return other;
	return NULL;
}

bool image_is_first(struct images *all, struct image *image)
{
	const char *sampled;

	if (image_id_is_apart(image->build_id))
		return false;
	if (image->standing == IMAGE_UNDECIDED && *image->build_id) {
		sampled = sampled_build_of(all, image);
		if (sampled ? !strcmp(sampled, image->build_id) : !known_first(image))
			image->standing = IMAGE_FIRST;
		else
			image->standing = IMAGE_LATER;
	}
	return image->standing != IMAGE_LATER;
}

struct image *image_first(struct images *all, struct image *image)
{
	const char *sampled = sampled_build_of(all, image);
	struct image *first = known_first(image);

	if (image_is_first(all, image) || (!first && !sampled))
		return image;
	return first ? first : image_get(all, image->kind, image->path, sampled);
}

void image_mark_sampled(struct images *all, struct image *image)
{
	if (image->is_sampled)
		return;
	image->is_sampled = true;
	if (!all->stats_dir || !image_is_first(all, image) || sampled_build_of(all, image))
		return;
	if (*image->build_id)
		write_build(all, image);
	add_sampled(all, image);
}

bool image_has_samples(const struct image *image)
{
	return image->is_sampled;
}

static void image_forget_session(struct image *image)
{
	image->is_sampled = false;
	image->standing = IMAGE_UNDECIDED;
}

void images_set_session(struct images *all, const char *stats_dir)
{
	free(all->stats_dir);
	all->stats_dir = xstrdup(stats_dir);
	forget_sampled(all);
	image_ids_free(all->kept);
	all->kept = NULL;
	(void)image_ids_read(stats_dir, &all->kept);	/* a new session has none */
	for (size_t i = 0; i < NR_BUCKETS; i++)
		for (struct image *image = all->buckets[i]; image; image = image->next)
			image_forget_session(image);
}

bool images_are_many(const struct images *all)
{
	return all->nr >= all->sweep_at;
}

void image_keep(struct image *image)
{
	if (image)
		image->is_kept = image->head->is_kept = true;
}

bool image_is_kept(const struct image *image)
{
	return image->is_kept;
}

void images_sweep(struct images *all)
{
	for (size_t i = 0; i < NR_BUCKETS; i++) {
		struct image **at = &all->buckets[i], *image;

		while ((image = *at)) {
			if (image->is_kept) {
				image->is_kept = false;
				at = &image->next;
				continue;
			}
			*at = image->next;
			image_free(image);
			all->nr--;
		}
	}
	all->sweep_at = 2 * all->nr > SWEEP_MIN ? 2 * all->nr : SWEEP_MIN;
}

bool images_filtered(const struct images *all)
{
	return all->wanted;
}

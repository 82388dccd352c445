// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cookies.c - the table of images
 *
 * There is one struct per build of a file, however many processes map it, so that a mapping is a
 * pointer and a cookie is assigned once. Any user can create and run new files, so images that
 * nothing maps are removed again, which is why this is not a libutil/table.h.
 */
#include "daemon/collect/perf/cookies.h"

#include <stdlib.h>
#include <string.h>

#include "libutil/hash.h"
#include "libutil/xalloc.h"

#define BUCKETS_MIN	256

/* A cookie is the slot's index + 1, and in the upper half its generation. */
struct slot {
	struct perf_image *image;	/* NULL: free */
	uint32_t generation;		/* images that it was of before */
	uint32_t next_free;		/* index + 1; 0: none */
};

struct perf_cookies {
	struct perf_image **buckets;
	size_t nr_buckets, nr_images;
	uint64_t bytes;
	struct slot *slots;
	size_t nr_slots, room_slots;
	uint32_t free_slot;		/* index + 1; 0: none */
	struct list_head idle;		/* images with cookies without references, oldest first */
	size_t nr_idle;
};

struct perf_cookies *perf_cookies_new(void)
{
	struct perf_cookies *t = xcalloc(1, sizeof(*t));

	t->nr_buckets = BUCKETS_MIN;
	t->buckets = xcalloc(t->nr_buckets, sizeof(*t->buckets));
	list_init(&t->idle);
	return t;
}

static void image_free(struct perf_image *image)
{
	free(image->path);
	free(image);
}

void perf_cookies_free(struct perf_cookies *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr_buckets; i++) {
		struct perf_image *next;

		for (struct perf_image *image = t->buckets[i]; image; image = next) {
			next = image->next;
			image_free(image);
		}
	}
	free(t->buckets);
	free(t->slots);
	free(t);
}

size_t perf_cookies_count(const struct perf_cookies *t)
{
	return t->nr_images;
}

uint64_t *perf_cookies_bytes(struct perf_cookies *t)
{
	return &t->bytes;
}

static bool starts_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

const char *perf_anonymous_name(const char *path)
{
	/* anonymous memory under the name of the file that the kernel backs it with */
	static const char *const nameless[] = { "/dev/zero (deleted)", "/anon_hugepage (deleted)",
						"//", "[anon:", "[anon_shmem:" };

	for (size_t i = 0; i < sizeof(nameless) / sizeof(nameless[0]); i++)
		if (starts_with(path, nameless[i]))
			return "anon";
	if (starts_with(path, "/SYSV") && !strcmp(path + strcspn(path, " "), " (deleted)"))
		return "anon";
	if (path[0] == '/' || starts_with(path, "(unreachable)/"))
		return NULL;
	if (starts_with(path, "[stack"))
		return "[stack]";	/* old kernels append the thread's id */
	return path[0] ? path : "anon";
}

/* The path without the kernel's marks for deleted files and files outside our root. */
static const char *plain_path(const char *path, size_t *ret_len)
{
	static const char deleted[] = " (deleted)", unreachable[] = "(unreachable)";
	size_t len, end = sizeof(deleted) - 1;

	if (starts_with(path, unreachable))
		path += sizeof(unreachable) - 1;
	len = strlen(path);
	if (len > end && !strcmp(path + len - end, deleted))
		len -= end;
	*ret_len = len;
	return path;
}

/* A key in its canonical form, with its hash. */
struct probe {
	struct perf_image_key key;
	const char *path;
	size_t path_len;
	bool anonymous;
	uint64_t hash;
};

static void make_probe(struct probe *p, const struct perf_image_key *key)
{
	const char *name = perf_anonymous_name(key->path);

	*p = (struct probe){ .key = *key, .anonymous = name };
	if (name) {
		p->path = name;
		p->path_len = strnlen(name, OP_ANON_NAME_WORDS * sizeof(op_word));
		p->key = (struct perf_image_key){ .path = name };
	} else {
		p->path = plain_path(key->path, &p->path_len);
	}
	if (p->key.build_id.len) {
		p->key.major = p->key.minor = 0;
		p->key.inode = p->key.generation = 0;
	}
	p->hash = hash_foreign(p->path, p->path_len);
	p->hash = hash_mix(p->hash, p->key.inode);
	p->hash = hash_mix(p->hash, p->key.generation);
	p->hash = hash_mix(p->hash, (uint64_t)p->key.major << 32 | p->key.minor);
	p->hash = hash_mix(p->hash, hash_bytes(p->key.build_id.bytes, p->key.build_id.len));
}

static bool matches(const struct perf_image *image, const struct probe *p)
{
	return image->hash == p->hash && image->anonymous == p->anonymous &&
	       image->inode == p->key.inode && image->generation == p->key.generation &&
	       image->major == p->key.major && image->minor == p->key.minor &&
	       image->build_id.len == p->key.build_id.len &&
	       !memcmp(image->build_id.bytes, p->key.build_id.bytes, p->key.build_id.len) &&
	       !strncmp(image->path, p->path, p->path_len) && !image->path[p->path_len];
}

static struct perf_image **bucket_of(struct perf_cookies *t, uint64_t hash)
{
	return &t->buckets[hash & (t->nr_buckets - 1)];
}

static void grow(struct perf_cookies *t)
{
	struct perf_image **old = t->buckets, *next;
	size_t nr_old = t->nr_buckets;

	t->nr_buckets *= 2;
	t->buckets = xcalloc(t->nr_buckets, sizeof(*t->buckets));
	for (size_t i = 0; i < nr_old; i++) {
		for (struct perf_image *image = old[i]; image; image = next) {
			struct perf_image **bucket = bucket_of(t, image->hash);

			next = image->next;
			image->next = *bucket;
			*bucket = image;
		}
	}
	free(old);
}

static struct perf_image *add_image(struct perf_cookies *t, const struct probe *p)
{
	struct perf_image *image = xcalloc(1, sizeof(*image)), **bucket;

	image->path = xmalloc(p->path_len + 1);
	memcpy(image->path, p->path, p->path_len);
	image->path[p->path_len] = 0;
	image->anonymous = p->anonymous;
	image->major = p->key.major;
	image->minor = p->key.minor;
	image->inode = p->key.inode;
	image->generation = p->key.generation;
	image->build_id = p->key.build_id;
	image->hash = p->hash;
	list_init(&image->idle);

	t->bytes += sizeof(*image) + p->path_len + 1;
	if (t->nr_images++ == t->nr_buckets)
		grow(t);
	bucket = bucket_of(t, p->hash);
	image->next = *bucket;
	*bucket = image;
	return image;
}

struct perf_image *perf_image_get(struct perf_cookies *t, const struct perf_image_key *key)
{
	struct perf_image *image;
	struct probe p;

	make_probe(&p, key);
	for (image = *bucket_of(t, p.hash); image; image = image->next)
		if (matches(image, &p))
			break;
	if (!image)
		image = add_image(t, &p);
	if (!list_empty(&image->idle)) {
		list_del(&image->idle);
		t->nr_idle--;
	}
	return perf_image_ref(image);
}

struct perf_image *perf_image_ref(struct perf_image *image)
{
	if (image)
		image->refs++;
	return image;
}

static void remove_image(struct perf_cookies *t, struct perf_image *image)
{
	struct perf_image **at = bucket_of(t, image->hash);

	while (*at != image)
		at = &(*at)->next;
	*at = image->next;
	t->nr_images--;
	t->bytes -= sizeof(*image) + strlen(image->path) + 1;
	image_free(image);
}

void perf_image_put(struct perf_cookies *t, struct perf_image *image)
{
	if (!image || --image->refs)
		return;
	if (image->cookie == OP_NO_COOKIE) {
		remove_image(t, image);
		return;
	}
	list_add_tail(&image->idle, &t->idle);
	t->nr_idle++;
}

static uint32_t take_slot(struct perf_cookies *t)
{
	uint32_t slot = t->free_slot;

	if (slot) {
		t->free_slot = t->slots[slot - 1].next_free;
		return slot;
	}
	xgrow(t->slots, t->nr_slots, t->room_slots);
	t->slots[t->nr_slots] = (struct slot){ .image = NULL };
	return ++t->nr_slots;
}

static void free_slot(struct perf_cookies *t, op_word cookie)
{
	struct slot *slot = &t->slots[(uint32_t)cookie - 1];

	slot->image = NULL;
	slot->generation++;
	slot->next_free = t->free_slot;
	t->free_slot = (uint32_t)cookie;
}

op_word perf_image_cookie(struct perf_cookies *t, struct perf_image *image)
{
	uint32_t slot;

	if (image->cookie == OP_NO_COOKIE && !image->anonymous) {
		slot = take_slot(t);
		t->slots[slot - 1].image = image;
		image->cookie = (op_word)t->slots[slot - 1].generation << 32 | slot;
	}
	return image->cookie;
}

struct perf_image *perf_cookies_find(const struct perf_cookies *t, op_word cookie)
{
	uint32_t slot = (uint32_t)cookie;
	struct perf_image *image = slot && slot <= t->nr_slots ? t->slots[slot - 1].image : NULL;

	return image && image->cookie == cookie ? image : NULL;
}

void perf_cookies_recycle(struct perf_cookies *t, void (*end)(void *context, op_word cookie),
			  void *context)
{
	while (t->nr_idle > PERF_COOKIES_IDLE_MAX) {
		struct perf_image *image = list_entry(t->idle.next, struct perf_image, idle);

		end(context, image->cookie);
		list_del(&image->idle);
		t->nr_idle--;
		free_slot(t, image->cookie);
		remove_image(t, image);
	}
}

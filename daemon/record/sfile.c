// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sfile.c - the table of sample files in use, and which of them are open
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "daemon/record/sfile_private.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define MAX_OPEN	8192
#define SPARE_FDS	256		/* of RLIMIT_NOFILE: rings, sockets, images looked at */
#define SYNC_PART_MS	20

void sfiles_raise_limit(void)
{
	struct rlimit limit;
	rlim_t want = MAX_OPEN + SPARE_FDS;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= want)
		return;
	limit.rlim_cur = want;
	if (limit.rlim_max < want) {
		struct rlimit higher = { want, want };

		if (!setrlimit(RLIMIT_NOFILE, &higher))
			return;
		limit.rlim_cur = limit.rlim_max;
	}
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static size_t choose_max_open(void)
{
	struct rlimit limit;
	size_t room;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return MAX_OPEN / 8;
	room = limit.rlim_cur > 2 * SPARE_FDS ? limit.rlim_cur - SPARE_FDS : limit.rlim_cur / 2;
	return room < MAX_OPEN ? room : MAX_OPEN;
}

struct sfiles *sfiles_new(const struct sfile_config *config, struct images *images,
			  struct stats *stats)
{
	struct sfiles *all = xcalloc(1, sizeof(*all));

	all->config = *config;
	all->max_open = config->max_open ? config->max_open : choose_max_open();
	all->images = images;
	all->stats = stats;
	all->parts = parts_new();
	all->dir = xstrdup("");
	list_init(&all->in_use);
	list_init(&all->dirty);
	all->sync_pass = 1;
	return all;
}

/* Which files are open */

static void unlink_bucket(struct sfile *sf)
{
	struct sfile **p = &sf->all->buckets[sf->hash % NR_BUCKETS];

	while (*p != sf)
		p = &(*p)->next;
	*p = sf->next;
}

static void close_odb(struct sfile *sf)
{
	if (!sf->odb)
		return;
	sf->odb = odb_close(sf->odb);
	sf->all->nr_open--;
}

static void drop(struct sfile *sf)
{
	struct sfiles *all = sf->all;

	sfile_write_batch(sf);
	close_odb(sf);
	unlink_bucket(sf);
	list_del(&sf->in_use);
	free(sf->batch);
	free(sf->cpus);
	free(sf->weights);
	free(sf);
	all->nr--;
	all->generation++;
}

/* Drop one that was not used lately, an open one if @open. False: there is none to drop. */
static bool evict_one(struct sfiles *all, bool open)
{
	size_t steps = 2 * all->nr;	/* the first round may only take the marks away */
	struct sfile *sf;

	while (steps--) {
		sf = list_entry(all->in_use.prev, struct sfile, in_use);
		list_move(&sf->in_use, &all->in_use);
		if (open && !sf->odb)
			continue;
		if (!sf->referenced) {
			drop(sf);
			return true;
		}
		sf->referenced = false;
	}
	return false;
}

/* No room for one more: make it, for many, since the next ones will come soon. */
bool sfiles_evict_open(struct sfiles *all)
{
	size_t nr = all->nr_open / 4 + 1, done = 0;

	while (done < nr && evict_one(all, true))
		done++;
	log_about(LOG_SFILE, "%zu sample files closed to make room, %zu stay open", done,
		  all->nr_open);
	return done;
}

/* The table */

static uint64_t hash_place(uint64_t h, const struct sfile_place *at)
{
	h = hash_mix(h, (uintptr_t)at->image ^ (uint64_t)at->is_kernel << 63);
	return at->image ? h : hash_mix(h ^ at->anon_tgid, at->anon_start);
}

static uint64_t hash_key(const struct sfile_key *key)
{
	uint64_t h = (uintptr_t)key->app + ((uint64_t)key->counter << 56);

	h = hash_place(h, &key->at) ^ (uintptr_t)key->part;
	if (key->tgid != SFILE_ALL || key->cpu != SFILE_ALL)
		h = hash_mix(h ^ key->cpu, (uint64_t)key->tgid << 32 | key->tid);
	return key->is_arc ? hash_place(h, &key->callee) : h;
}

/* The form of @key that one file has only one of: filed under a path, in a part. [SS-61] */
static void settle_key(struct sfiles *all, struct sfile_key *key)
{
	struct image *image = key->at.image;
	bool later = image && !image_is_first(all->images, image);

	key->app = key->app->head;
	if (key->callee.image)
		key->callee.image = image_first(all->images, key->callee.image);
	key->part = NULL;
	if (later || key->cgroup)
		key->part = parts_get(all->parts, later ? image->build_id : "",
				      key->cgroup ? key->cgroup : "");
	if (later && !key->part)
		key->at.image = image_first(all->images, image);
	if (!key->part)
		key->cgroup = NULL;
}

struct sfile *sfile_get(struct sfiles *all, const struct sfile_key *wanted)
{
	struct sfile_key settled;
	const struct sfile_key *key = memcpy(&settled, wanted, sizeof(settled));
	struct sfile *sf;
	uint64_t hash;

	settle_key(all, &settled);
	hash = hash_key(key);
	for (sf = all->buckets[hash % NR_BUCKETS]; sf; sf = sf->next)
		if (sf->hash == hash && !memcmp(&sf->key, key, sizeof(*key)))
			return sf;

	if (all->nr >= all->max_open)
		evict_one(all, false);
	sf = xcalloc(1, sizeof(*sf));
	sf->key = *key;
	sf->hash = hash;
	sf->all = all;
	sf->derived = all->config.events[key->counter].derived;
	list_init(&sf->dirty);
	list_add(&sf->in_use, &all->in_use);
	sf->referenced = true;
	sf->next = all->buckets[hash % NR_BUCKETS];
	all->buckets[hash % NR_BUCKETS] = sf;
	all->nr++;
	return sf;
}

const unsigned int *sfiles_generation(const struct sfiles *all)
{
	return &all->generation;
}

void sfiles_close_all(struct sfiles *all)
{
	sfiles_flush(all);
	while (!list_empty(&all->in_use))
		drop(list_entry(all->in_use.next, struct sfile, in_use));
	all->told_err = 0;	/* whoever fails from now on does so anew */
}

bool sfiles_sync_part(struct sfiles *all, int *ret_err)
{
	int64_t end = now_ms() + SYNC_PART_MS;
	struct sfile *sf;
	int err;

	*ret_err = 0;
	list_for_each_entry(sf, &all->in_use, in_use) {
		if (!sf->odb || sf->synced == all->sync_pass)
			continue;
		if (now_ms() >= end)
			return true;
		err = odb_sync(sf->odb);
		if (!*ret_err)
			*ret_err = err;
		sf->synced = all->sync_pass;
	}
	all->sync_pass++;
	return false;
}

void sfiles_set_session(struct sfiles *all, const char *samples_dir)
{
	char *stats_dir;

	sfiles_close_all(all);
	free(all->dir);
	all->dir = xstrdup(samples_dir);
	stats_dir = path_join(samples_dir, "stats");
	parts_set_session(all->parts, stats_dir);
	free(stats_dir);
}

void sfiles_free(struct sfiles *all)
{
	if (!all)
		return;
	sfiles_close_all(all);
	parts_free(all->parts);
	free(all->dir);
	free(all);
}

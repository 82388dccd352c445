// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sfile.c - the table of sample files in use: which are open, and the samples that wait for them
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include "daemon/record/parts.h"
#include "daemon/record/retry.h"
#include "daemon/record/set_aside.h"
#include "daemon/record/sfile.h"
#include "daemon/record/write_losses.h"
#include "libdb/session/sample_file.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/list.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define NR_BUCKETS	4096
#define MAX_OPEN	8192
#define SPARE_FDS	256		/* of RLIMIT_NOFILE: rings, sockets, binaries */
#define JIT_FDS		6144		/* files and folders of 1024 processes: daemon/jit */
#define SYNC_PART_MS	20
#define BATCH_MIN	64		/* samples */
#define BATCH_MAX	2048
#define FILES_MAX	100000		/* that are made in a session [SS-7] */
#define FILES_UNCHECKED	1000
#define KEEP_INODES	20		/* a part of the disk's, for others */
#define KEEP_FREE	(64u << 20)	/* bytes of the disk, for files that are there */
#define SKIPPED_MAX	16		/* keys that may fail before the rest of a batch is lost */

struct sfile {
	struct sfile_key key;
	uint64_t hash;
	struct sfiles *all;
	struct sfile *next;		/* in its bucket */
	struct list_head in_use;	/* all files; swept by evict_one() */
	struct list_head dirty;		/* files with a batch */
	unsigned int synced;		/* number of the pass that synced it last */
	bool referenced;		/* since the last sweep */

	struct odb *odb;		/* NULL: not opened yet, or failed */
	struct retry retry;
	bool is_unnameable;		/* never to be opened */
	bool is_over_limit;		/* the last time: it may not be made [SS-7] */
	bool is_derived;		/* its event is derived */

	uint64_t *batch;		/* keys */
	uint16_t *cpus;			/* of each key */
	uint32_t *weights;		/* of each key of a derived event, else NULL */
	uint32_t nr_batch, room;
};

struct sfiles {
	struct sfile *buckets[NR_BUCKETS];
	struct list_head in_use, dirty;
	size_t nr, nr_open, max_open;
	unsigned int generation, sync_pass;
	size_t nr_made;			/* in this session */
	bool logged_limit;
	struct sfile_config config;
	struct images *images;
	struct stats *stats;
	struct parts *parts;
	char *dir;
	struct write_losses losses;
};

void sfiles_raise_limit(void)
{
	struct rlimit limit;
	rlim_t want = MAX_OPEN + SPARE_FDS + JIT_FDS;

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
	if (!all->config.max_files)
		all->config.max_files = FILES_MAX;
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

static void write_batch(struct sfile *sf);

static void drop(struct sfile *sf)
{
	struct sfiles *all = sf->all;

	write_batch(sf);
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

/* Drop a file that was not used recently, an open one if @open. False: there is none. */
static bool evict_one(struct sfiles *all, bool open)
{
	size_t steps = 2 * all->nr;	/* the first round may only clear the marks */
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

/* Close several files, because another one cannot be opened. False: none is open. */
static bool evict_open(struct sfiles *all)
{
	size_t nr = all->nr_open / 4 + 1, done = 0;

	while (done < nr && evict_one(all, true))
		done++;
	log_about(LOG_SFILE, "closed %zu sample files to make room, %zu stay open", done,
		  all->nr_open);
	return done;
}

/* Opening */

static bool is_out_of_room(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM;
}

static int try_open(struct sfile *sf, const char *path, struct op_error *e)
{
	const struct sample_header header = sfile_key_header(&sf->all->config, &sf->key);
	int err;

	do
		err = sample_file_open(path, &header, &sf->odb, e);
	while (is_out_of_room(err) && evict_open(sf->all));
	/* the header of an old file gets what is known now, too */
	if (!err && !odb_is_new(sf->odb))
		err = sample_header_store(&header, odb_header(sf->odb));
	if (err && sf->odb)
		sf->odb = odb_close(sf->odb);
	return err;
}

/* A file of another version of the format is not broken. */
static int set_broken_aside(const char *path, struct op_error *e)
{
	char *name, why[sizeof(e->text)];
	struct sample_header header;
	size_t size;
	int err;

	if (!sample_header_read(path, &header, &size, NULL) && size != SAMPLE_HEADER_SIZE)
		return op_error_set(e, -EPROTO, "'%s' was written by another version of OProfile; "
				    "save the session with opcontrol --save=NAME", path);
	snprintf(why, sizeof(why), "%s", e->text);
	err = set_aside(path, &name);
	if (err)
		return op_error_set(e, err, "%s; cannot rename it: %s", why, strerror(-err));
	log_line("%s; renamed it to '%s' and started a new file", why, name);
	free(name);
	return 0;
}

static int open_odb(struct sfile *sf, const char *path, struct op_error *e)
{
	int err = try_open(sf, path, e);

	if (err == -EPROTO) {
		err = set_broken_aside(path, e);
		if (!err)
			err = try_open(sf, path, e);
	}
	if (!err)
		sf->all->nr_open++;
	return err;
}

/* Samples of a later build never lie among those of the first one. [SS-62] */
static int find_part(const struct sfile *sf, struct op_error *e)
{
	struct image *image = sf->key.at.image;

	if (sf->key.part)
		return part_make(sf->key.part, e);
	if (image && !image_is_first(sf->all->images, image))
		return op_error_set(e, -ENOSPC, "%s", parts_trouble(sf->all->parts));
	return 0;
}

/* [SS-7] Refuses only what is not there yet. */
static bool is_over_limit(struct sfile *sf, const char *path)
{
	struct sfiles *all = sf->all;
	struct statvfs fs = { 0 };
	const char *why = NULL;

	if (all->nr_made < FILES_UNCHECKED && all->nr_made < all->config.max_files)
		return false;
	if (file_exists(path))
		return false;
	if (all->nr_made >= all->config.max_files)
		why = "it has as many sample files as it may";
	else if (!statvfs(all->dir, &fs) && fs.f_files &&
		 fs.f_favail < fs.f_files / KEEP_INODES)
		why = "the disk has few inodes left";
	else if (fs.f_frsize && (uint64_t)fs.f_bavail * fs.f_frsize < KEEP_FREE)
		why = "the disk is nearly full";
	if (why && !all->logged_limit)
		log_line("'%s': %s; samples that need a new sample file are lost", all->dir, why);
	all->logged_limit |= why != NULL;
	return why;
}

/* Open sf->odb, creating file and folders if need be. Sets sf->is_unnameable. */
static int open_file(struct sfile *sf, struct op_error *e)
{
	struct strbuf path = STRBUF_INIT;
	int err = find_part(sf, e);

	if (err)
		return err;
	err = sfile_key_path(&sf->all->config, &sf->key, sf->all->dir, &path);
	sf->is_unnameable = err;
	if (err) {
		op_error_set(e, err, "cannot form a sample file name from '%s'", sf->key.app->path);
		goto out;
	}
	sf->is_over_limit = is_over_limit(sf, path.text);
	err = sf->is_over_limit ? op_error_set(e, -EDQUOT, "too many sample files")
				: open_odb(sf, path.text, e);
	if (!err) {
		sf->all->nr_made += odb_is_new(sf->odb);
		image_mark_sampled(sf->all->images, sf->key.app);
		if (sf->key.at.image)
			image_mark_sampled(sf->all->images, sf->key.at.image);
		if (sf->key.callee.image)
			image_mark_sampled(sf->all->images, sf->key.callee.image);
		log_about(LOG_SFILE, "opened '%s'", path.text);
	}
out:
	strbuf_free(&path);
	return err;
}

/* Batches: samples wait in memory, and are recorded or lost together */

static void add_losses(struct sfile *sf, uint64_t nr)
{
	if (nr && !sf->is_unnameable && !sf->is_over_limit)
		write_losses_add(&sf->all->losses, sf->key.is_arc, nr);
}

/* The history has them. */
static void lose(struct sfile *sf, struct cpu_counts *cpu, uint64_t nr)
{
	enum loss_reason reason = sf->is_over_limit ? LOST_LIMIT : LOST_SAMPLE_FILE;

	cpu->lost[reason] += nr;
	sf->all->stats->unfiled[reason] += nr;
}

/* Count the samples [from, to) of the batch as recorded or lost, for their CPUs. */
static void account(struct sfile *sf, size_t from, size_t to, bool recorded)
{
	if (sf->is_derived) {
		add_losses(sf, recorded ? 0 : to - from);
		return;
	}
	for (size_t end; from < to; from = end) {
		struct cpu_counts *cpu = stats_cpu(sf->all->stats, sf->cpus[from]);

		for (end = from + 1; end < to && sf->cpus[end] == sf->cpus[from]; end++)
			;
		if (sf->key.is_arc)
			cpu->arcs_lost += recorded ? 0 : end - from;
		else if (recorded)
			cpu->recorded += end - from;
		else
			lose(sf, cpu, end - from);
		if (!recorded)
			add_losses(sf, end - from);
	}
}

/* On a full disk keys that are in the file are still counted, and only new ones are lost. */
static int add_batch(struct sfile *sf)
{
	size_t at = 0, done;
	int err = 0, first_err = 0;

	for (int skipped = 0; at < sf->nr_batch && skipped < SKIPPED_MAX; skipped++) {
		done = 0;
		err = odb_add_many(sf->odb, sf->batch + at, sf->nr_batch - at, &done);
		if (!err)
			done = sf->nr_batch - at;
		account(sf, at, at + done, true);
		at += done;
		if (!err)
			break;
		first_err = err;
		account(sf, at, at + 1, false);
		at++;
	}
	account(sf, at, sf->nr_batch, false);
	return first_err;
}

/* The same for a derived event. */
static int add_weights(struct sfile *sf)
{
	int first_err = 0;

	for (size_t at = 0; at < sf->nr_batch; at++) {
		int err = odb_add(sf->odb, sf->batch[at], sf->weights[at]);

		account(sf, at, at + 1, !err);
		if (err)
			first_err = err;
	}
	return first_err;
}

static void report_failure(struct sfile *sf, int err, struct op_error *e)
{
	struct strbuf path = STRBUF_INIT;
	bool is_new = !retry_has_failed(&sf->retry);

	if (sf->is_unnameable) {
		write_losses_report_name(&sf->all->losses, sf->key.is_arc, e);
		return;
	}
	retry_later(&sf->retry);
	if (sf->is_over_limit)
		return;
	if (!e->text[0]) {
		(void)sfile_key_path(&sf->all->config, &sf->key, sf->all->dir, &path);
		op_error_set(e, err, "cannot add to '%s': %s", path.text, strerror(-err));
		strbuf_free(&path);
	}
	write_losses_report(&sf->all->losses, sf->key.is_arc, is_new, err, e);
}

static void report_success(struct sfile *sf)
{
	if (!retry_has_failed(&sf->retry))
		return;
	sf->retry = (struct retry){ 0, 0 };
	write_losses_end(&sf->all->losses);
}

static void write_batch(struct sfile *sf)
{
	struct op_error e = { "" };
	int err = 0;

	if (!sf->nr_batch)
		return;
	list_del(&sf->dirty);
	if (sf->is_unnameable || !retry_is_due(&sf->retry)) {
		account(sf, 0, sf->nr_batch, false);
	} else {
		if (!sf->odb)
			err = open_file(sf, &e);
		if (err)
			account(sf, 0, sf->nr_batch, false);
		else
			err = sf->is_derived ? add_weights(sf) : add_batch(sf);
		if (err)
			report_failure(sf, err, &e);
		else
			report_success(sf);
	}
	sf->nr_batch = 0;
}

static void grow_batch(struct sfile *sf)
{
	if (sf->room == BATCH_MAX) {
		write_batch(sf);
		return;
	}
	sf->room = sf->room ? sf->room * 4 : BATCH_MIN;
	if (sf->room > BATCH_MAX)
		sf->room = BATCH_MAX;
	sf->batch = xrealloc_array(sf->batch, sf->room, sizeof(*sf->batch));
	sf->cpus = xrealloc_array(sf->cpus, sf->room, sizeof(*sf->cpus));
	if (sf->is_derived)
		sf->weights = xrealloc_array(sf->weights, sf->room, sizeof(*sf->weights));
}

void sfile_add(struct sfile *sf, uint32_t cpu, const uint64_t *addresses, size_t nr, uint64_t base)
{
	if (cpu >= COUNTS_MAX_CPUS)
		cpu = COUNTS_MAX_CPUS - 1;
	sf->referenced = true;
	while (nr) {
		size_t at, end;

		if (sf->nr_batch == sf->room)
			grow_batch(sf);
		at = sf->nr_batch;
		if (!at)
			list_add_tail(&sf->dirty, &sf->all->dirty);
		end = sf->room - at < nr ? sf->room : at + nr;
		sf->nr_batch = end;
		nr -= end - at;
		for (; at < end; at++) {
			sf->batch[at] = *addresses++ - base;
			sf->cpus[at] = cpu;
		}
	}
}

void sfile_add_weight(struct sfile *sf, uint32_t cpu, uint64_t key, uint32_t weight)
{
	sfile_add(sf, cpu, &key, 1, 0);
	sf->weights[sf->nr_batch - 1] = weight;
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

/* Change @key so that equal files have equal keys: by path, in a part of the session. [SS-61] */
static void normalize_key(struct sfiles *all, struct sfile_key *key)
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
	if (!key->part)
		key->cgroup = NULL;
}

struct sfile *sfile_get(struct sfiles *all, const struct sfile_key *wanted)
{
	struct sfile_key normalized;
	const struct sfile_key *key = memcpy(&normalized, wanted, sizeof(normalized));
	struct sfile *sf;
	uint64_t hash;

	normalize_key(all, &normalized);
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
	sf->is_derived = all->config.events[key->counter].derived;
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

void sfiles_flush(struct sfiles *all)
{
	while (!list_empty(&all->dirty))
		write_batch(list_entry(all->dirty.next, struct sfile, dirty));
}

void sfiles_keep_images(const struct sfiles *all)
{
	const struct sfile *sf;

	list_for_each_entry(sf, &all->in_use, in_use) {
		image_keep(sf->key.app);
		image_keep(sf->key.at.image);
		image_keep(sf->key.callee.image);
	}
}

void sfiles_close_all(struct sfiles *all)
{
	sfiles_flush(all);
	while (!list_empty(&all->in_use))
		drop(list_entry(all->in_use.next, struct sfile, in_use));
	all->losses.logged = 0;	/* log the next failure again */
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
	all->nr_made = 0;
	all->logged_limit = false;
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

const char *sfiles_trouble(const struct sfiles *all)
{
	const char *trouble = write_losses_trouble(&all->losses);

	return *trouble ? trouble : parts_trouble(all->parts);
}

uint64_t sfiles_unwritten(const struct sfiles *all, const char **ret_why)
{
	*ret_why = all->losses.why.text;
	return all->losses.samples;
}

uint64_t sfiles_arcs_unwritten(const struct sfiles *all, const char **ret_why)
{
	*ret_why = all->losses.why.text;
	return all->losses.arcs;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * anon.c - a cache of anonymous mappings by process
 *
 * A miss reads a whole maps file, so a process that runs in memory which it maps and unmaps all
 * the time could keep the daemon busy with nothing else: the number of reads is limited.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/collect/perf/proc_files.h"
#include "daemon/record/anon.h"
#include "libutil/clock.h"
#include "libutil/hash.h"
#include "libutil/list.h"
#include "libutil/xalloc.h"

#define NR_BUCKETS	1024
#define ENTRIES_MAX	8192
#define READS_MAX	100		/* per second */
#define MAPS_FILE_MAX	(8 << 20)	/* bytes */
#define NAME_LEN_MAX	20		/* of a mapping's name, which is cut */

struct entry {
	struct list_head in_bucket, by_age;
	uint32_t tgid;
	struct anon_map map;
};

struct anons {
	struct list_head buckets[NR_BUCKETS];
	struct list_head by_age;	/* youngest first */
	size_t nr;
	const char *proc;
	time_t second;
	unsigned int reads;		/* in @second */
};

struct anons *anons_new(const char *proc)
{
	struct anons *a = xcalloc(1, sizeof(*a));

	for (size_t i = 0; i < NR_BUCKETS; i++)
		list_init(&a->buckets[i]);
	list_init(&a->by_age);
	a->proc = proc ? proc : "/proc";
	return a;
}

static void drop(struct anons *a, struct entry *entry)
{
	list_del(&entry->in_bucket);
	list_del(&entry->by_age);
	free(entry);
	a->nr--;
}

void anons_free(struct anons *a)
{
	if (!a)
		return;
	while (!list_empty(&a->by_age))
		drop(a, list_entry(a->by_age.next, struct entry, by_age));
	free(a);
}

static struct list_head *bucket_of(struct anons *a, uint32_t tgid)
{
	return &a->buckets[hash_u64(tgid) % NR_BUCKETS];
}

static struct entry *find_cached(struct anons *a, uint32_t tgid, uint64_t pc)
{
	struct list_head *bucket = bucket_of(a, tgid);
	struct entry *entry;

	list_for_each_entry(entry, bucket, in_bucket)
		if (entry->tgid == tgid && pc >= entry->map.start && pc < entry->map.end) {
			list_move(&entry->in_bucket, bucket);
			list_move(&entry->by_age, &a->by_age);
			return entry;
		}
	return NULL;
}

static void forget_process(struct anons *a, uint32_t tgid)
{
	struct list_head *bucket = bucket_of(a, tgid);
	struct entry *entry, *next;

	list_for_each_entry_safe(entry, next, bucket, in_bucket)
		if (entry->tgid == tgid)
			drop(a, entry);
}

static void add(struct anons *a, uint32_t tgid, uint64_t start, uint64_t end, const char *name)
{
	struct entry *entry = xcalloc(1, sizeof(*entry));

	if (a->nr == ENTRIES_MAX)
		drop(a, list_entry(a->by_age.prev, struct entry, by_age));
	entry->tgid = tgid;
	entry->map.start = start;
	entry->map.end = end;
	snprintf(entry->map.name, sizeof(entry->map.name), "%.*s", NAME_LEN_MAX,
		 name[0] ? name : "anon");
	list_add(&entry->in_bucket, bucket_of(a, tgid));
	list_add(&entry->by_age, &a->by_age);
	a->nr++;
}

/* "start-end perms offset dev inode      name"; names of files start with '/'. */
static void add_line(struct anons *a, uint32_t tgid, const char *line)
{
	unsigned long long start, end;
	int name_at = 0;

	if (sscanf(line, "%llx-%llx %*s %*s %*s %*s %n", &start, &end, &name_at) < 2 ||
	    start >= end)
		return;
	if (name_at && line[name_at] == '/')
		return;
	add(a, tgid, start, end, name_at ? line + name_at : "");
}

static bool can_read(struct anons *a)
{
	time_t now = now_seconds();

	if (now != a->second) {
		a->second = now;
		a->reads = 0;
	}
	return a->reads++ < READS_MAX;
}

static void read_maps(struct anons *a, uint32_t tgid)
{
	char *text, *line, *rest;

	if (proc_files_read_maps(a->proc, tgid, MAPS_FILE_MAX, &text))
		return;
	forget_process(a, tgid);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		add_line(a, tgid, line);
	free(text);
}

const struct anon_map *anon_find(struct anons *a, uint32_t tgid, uint64_t pc)
{
	struct entry *entry = find_cached(a, tgid, pc);

	if (!entry && tgid && can_read(a)) {
		read_maps(a, tgid);
		entry = find_cached(a, tgid, pc);
	}
	return entry ? &entry->map : NULL;
}

void anon_copy_name(char *to, size_t size, const char *from)
{
	size_t i;

	for (i = 0; i < size && from[i]; i++)
		to[i] = strchr("/{}", from[i]) || (unsigned char)from[i] < ' ' ? '_' : from[i];
	if (!i)
		memcpy(to, "anon", 4);
}

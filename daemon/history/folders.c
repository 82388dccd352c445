// SPDX-License-Identifier: GPL-2.0-or-later
/* folders.c - see folders.h */
#include "daemon/history/folders.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "libdb/history/folder.h"
#include "libdb/history/segment.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define DAY_NS	(86400 * (int64_t)NS_PER_SECOND)
#define NR_AGES	2
static const struct {
	int64_t older_ns, slice_ns;	/* slices of that age become so long */
} ages[NR_AGES] = {
	{ 7 * DAY_NS, 3600 * (int64_t)NS_PER_SECOND },
	{ DAY_NS, 600 * (int64_t)NS_PER_SECOND },
};

/* Folders that are linked from elsewhere share their bytes with them. */
static uint64_t bytes_below(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	uint64_t sum = 0;

	while (dir && (entry = readdir(dir))) {
		char *at;
		struct stat st;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		at = path_join(path, entry->d_name);
		if (!lstat(at, &st))
			sum += S_ISDIR(st.st_mode)
			       ? bytes_below(at)
			       : (uint64_t)st.st_blocks * 512 / (st.st_nlink ? st.st_nlink : 1);
		free(at);
	}
	if (dir)
		closedir(dir);
	return sum;
}

static bool is_disk_full(const char *path)
{
	uint64_t bytes;

	return !file_free_bytes(path, &bytes) && bytes < HISTORY_KEEP_FREE;
}

static bool drop(const struct history_folder *f, const char *why)
{
	int err = file_remove_tree(f->path);

	if (err)
		log_line("cannot remove '%s': %s", f->path, strerror(-err));
	else
		log_about(LOG_MISC, "dropped '%s' from the history: %s", f->path, why);
	return !err;
}

/* --- slices of a folder --- */

struct times {
	int64_t last_end_ns, length_ns;	/* the latest end; the period of a merge, or 0 */
	int64_t last_period;
	bool can_merge;
};

static void look(void *context, int64_t begin_ns, int64_t end_ns)
{
	struct times *t = context;
	int64_t period = t->length_ns ? (begin_ns + (end_ns - begin_ns) / 2) / t->length_ns : 0;

	if (end_ns > t->last_end_ns)
		t->last_end_ns = end_ns;
	t->can_merge |= period == t->last_period;
	t->last_period = period;
}

/* A segment that cannot be read has no slices. */
static struct times times_of(const struct history_folder *f, int64_t length_ns)
{
	struct times t = { .length_ns = length_ns, .last_period = -1, .last_end_ns = f->begin_ns };
	char *path = path_join(f->path, HISTORY_SEGMENT);

	(void)history_segment_scan(path, look, &t, NULL);
	free(path);
	return t;
}

static bool is_current(const struct history_folder *f, const char *current)
{
	return current && !strcmp(f->path, current);
}

/* --- room --- */

static void drop_old(const struct history_folders *all, const struct history_config *c,
		     unsigned int current, int64_t now_ns)
{
	for (size_t i = 0; i < all->nr; i++) {
		const struct history_folder *f = &all->list[i];
		int64_t age_ns = (int64_t)(c->age_s * NS_PER_SECOND);

		if (f->number < current && f->begin_ns < now_ns - age_ns &&
		    times_of(f, 0).last_end_ns < now_ns - age_ns) {
			(void)drop(f, "too old");
			return;
		}
	}
}

bool history_make_room(const char *history, const struct history_config *c, unsigned int current,
		       int64_t now_ns)
{
	struct history_folders all = { NULL, 0, 0 };
	uint64_t used;
	bool is_full;

	if (history_folders_read(history, &all))
		return false;
	drop_old(&all, c, current, now_ns);
	used = bytes_below(history);
	is_full = is_disk_full(history);
	for (size_t i = 0; i < all.nr && (used > c->quota || is_full); i++) {
		if (all.list[i].number >= current || !file_is_dir(all.list[i].path))
			continue;
		if (!drop(&all.list[i], is_full ? "the disk is full" : "over the quota"))
			break;
		used = bytes_below(history);
		is_full = is_disk_full(history);
	}
	history_folders_free(&all);
	return !is_full;
}

/* --- roll-up --- */

static bool merge_if_due(const struct history_folder *f, int64_t now_ns)
{
	for (size_t i = 0; i < NR_AGES; i++) {
		struct times t;
		struct op_error e = { "" };
		char *path;
		int err;

		if (f->begin_ns > now_ns - ages[i].older_ns)
			continue;
		t = times_of(f, ages[i].slice_ns);
		if (t.last_end_ns > now_ns - ages[i].older_ns)
			continue;
		if (!t.can_merge)
			return false;
		path = path_join(f->path, HISTORY_SEGMENT);
		err = history_segment_merge(path, ages[i].slice_ns, &e);
		if (err)
			log_line("%s", e.text);
		free(path);
		return !err;
	}
	return false;
}

bool history_roll_up(const char *history, const char *current, int64_t now_ns)
{
	struct history_folders all = { NULL, 0, 0 };
	bool done = false;

	if (history_folders_read(history, &all))
		return false;
	for (size_t i = 0; i < all.nr && !done; i++)
		done = !is_current(&all.list[i], current) && merge_if_due(&all.list[i], now_ns);
	history_folders_free(&all);
	return done;
}

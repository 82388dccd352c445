// SPDX-License-Identifier: GPL-2.0-or-later
/* folders.c - see folders.h */
#include "daemon/history/folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libdb/history/folder.h"
#include "libdb/history/segment.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/log.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

/* --- the list --- */

static bool has_store(const char *folder)
{
	char *store = path_join(folder, HISTORY_STORE);
	bool exists = file_exists(store);

	free(store);
	return exists;
}

int kept_folders_open(struct kept_folders *k, const char *history)
{
	struct history_folders all = { NULL, 0, 0 };
	int err = history_folders_read(history, &all);

	*k = (struct kept_folders){ .history = xstrdup(history) };
	for (size_t i = 0; i < all.nr; i++) {
		xgrow(k->list, k->nr, k->room);
		k->list[k->nr++] = (struct kept_folder){
			.at = all.list[i], .is_open = has_store(all.list[i].path),
		};
	}
	free(all.list);			/* the paths are ours now */
	return err;
}

void kept_folders_free(struct kept_folders *k)
{
	for (size_t i = 0; i < k->nr; i++)
		free(k->list[i].at.path);
	free(k->list);
	free(k->history);
	*k = (struct kept_folders){ .nr = 0 };
}

void kept_folders_add(struct kept_folders *k, unsigned int number, int64_t begin_ns)
{
	char *name;

	if (k->nr && k->list[k->nr - 1].at.number == number)
		return;
	name = history_folder_name(number, begin_ns);
	xgrow(k->list, k->nr, k->room);
	k->list[k->nr++] = (struct kept_folder){
		.at = { number, begin_ns, path_join(k->history, name) }, .is_open = true,
	};
	free(name);
}

static void forget(struct kept_folders *k, size_t i)
{
	free(k->list[i].at.path);
	memmove(k->list + i, k->list + i + 1, (--k->nr - i) * sizeof(*k->list));
}

/* --- bytes --- */

bool history_has_room(const char *history)
{
	uint64_t bytes;

	return file_free_bytes(history, &bytes) || bytes >= HISTORY_KEEP_FREE;
}

static void count_all(struct kept_folders *k)
{
	k->used = history_bytes(k->history);
	k->nr_looked += k->nr;
}

/* The bytes of the folder being filled are counted with each slice, and all with each segment. */
static void count_bytes(struct kept_folders *k, const struct history_config *c,
			unsigned int current)
{
	const struct kept_folder *last = k->nr ? &k->list[k->nr - 1] : NULL;
	uint64_t bytes = last && last->at.number == current ? history_bytes(last->at.path) : 0;
	bool is_known = k->current && k->current == current;

	k->nr_looked++;
	k->used += bytes - k->current_bytes;
	k->current_bytes = bytes;
	k->current = current;
	if (is_known && k->used <= c->quota)
		return;
	count_all(k);
}

/* Remove symbols that no segment has a link to any more. */
static void sweep_symbols(const char *history)
{
	char *path = path_join(history, HISTORY_SYMBOLS);
	DIR *dir = opendir(path);
	struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    !fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode) && st.st_nlink == 1)
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	free(path);
}

/* It stays in the list if it cannot be removed. */
static bool drop(struct kept_folders *k, size_t i, const char *why)
{
	const struct history_folder *f = &k->list[i].at;
	int err = file_is_dir(f->path) ? file_remove_tree(f->path) : 0;

	if (err) {
		log_line("cannot remove '%s': %s", f->path, strerror(-err));
		return false;
	}
	log_about(LOG_MISC, "dropped '%s' from the history: %s", f->path, why);
	sweep_symbols(k->history);
	forget(k, i);
	count_all(k);
	return true;
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
static struct times times_of(struct kept_folders *k, struct kept_folder *f, int64_t length_ns)
{
	struct times t = { .length_ns = length_ns, .last_period = -1,
			   .last_end_ns = f->at.begin_ns };
	char *path = path_join(f->at.path, HISTORY_SEGMENT);

	(void)history_segment_scan(path, look, &t, NULL);
	free(path);
	f->end_ns = t.last_end_ns;
	k->nr_looked++;
	return t;
}

/* Whether its last slice ended before @ns. It is not being filled. */
static bool ended_before(struct kept_folders *k, struct kept_folder *f, int64_t ns)
{
	if (f->at.begin_ns >= ns)
		return false;
	if (!f->end_ns)
		(void)times_of(k, f, 0);
	return f->end_ns < ns;
}

/* --- room --- */

static void drop_old(struct kept_folders *k, const struct history_config *c, unsigned int current,
		     int64_t now_ns)
{
	int64_t from_ns = now_ns - (int64_t)(c->age_s * NS_PER_SECOND);

	for (size_t i = 0; i < k->nr && k->list[i].at.number < current; i++)
		if (ended_before(k, &k->list[i], from_ns)) {
			(void)drop(k, i, "too old");
			return;
		}
}

bool history_make_room(struct kept_folders *k, const struct history_config *c,
		       unsigned int current, int64_t now_ns)
{
	bool is_full = !history_has_room(k->history);

	drop_old(k, c, current, now_ns);
	count_bytes(k, c, current);
	while ((k->used > c->quota || is_full) && k->nr && k->list[0].at.number < current) {
		if (!drop(k, 0, is_full ? "the disk is full" : "over the quota"))
			break;
		is_full = !history_has_room(k->history);
	}
	return !is_full;
}

/* --- roll-up --- */

/* The ages that the folder has reached. */
static unsigned int age_of(struct kept_folders *k, const struct history_config *c,
			   struct kept_folder *f, int64_t now_ns)
{
	unsigned int n = f->nr_merged;

	while (n < c->nr_roll_ups && ended_before(k, f, now_ns - c->roll_ups[n].older_ns))
		n++;
	return n;
}

/*
 * One that cannot be merged stays as it is. @slice_ns 1: they are not to be. False: given up, to be
 * done later.
 */
static bool merge(struct kept_folders *k, struct kept_folder *f, int64_t slice_ns)
{
	struct op_error e = { "" };
	char *path;
	int err;

	if (!times_of(k, f, slice_ns).can_merge && !f->is_unordered)
		return true;
	path = path_join(f->at.path, HISTORY_SEGMENT);
	err = history_segment_merge(path, slice_ns, &k->stops_merging, &e);
	if (err && err != -ECANCELED)
		log_line("%s", e.text);
	free(path);
	return err != -ECANCELED;
}

bool history_roll_up(struct kept_folders *k, const struct history_config *c, unsigned int current,
		     int64_t now_ns)
{
	for (size_t i = 0; i < k->nr; i++) {
		struct kept_folder *f = &k->list[i];
		unsigned int due;

		if (f->at.number == current || f->is_open)
			continue;
		due = age_of(k, c, f, now_ns);
		if (due == f->nr_merged && !f->is_unordered)
			continue;
		if (merge(k, f, due > f->nr_merged ? c->roll_ups[due - 1].slice_ns : 1)) {
			f->nr_merged = due;
			f->is_unordered = false;
		}
		return true;
	}
	return false;
}

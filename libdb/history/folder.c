// SPDX-License-Identifier: GPL-2.0-or-later
/* folder.c - see folder.h */
#include "libdb/history/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "libdb/session/image_ids.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

#define SECONDS_MAX	(INT64_MAX / (int64_t)NS_PER_SECOND)

char *history_folder_name(unsigned int number, int64_t begin_ns)
{
	return xasprintf("%06u-%lld", number, (long long)(begin_ns / (int64_t)NS_PER_SECOND));
}

char *history_symbols_name(const char *build_id)
{
	size_t n = strlen(build_id);

	if (!n || n >= IMAGE_APART_TEXT || strspn(build_id, "0123456789abcdef") != n ||
	    image_id_is_apart(build_id))
		return NULL;
	return xasprintf("%s.zst", build_id);
}

static int parse_name(const char *name, struct history_folder *ret)
{
	char *end, *own;
	unsigned long number = strtoul(name, &end, 10);
	long long seconds = *end == '-' ? strtoll(end + 1, &end, 10) : -1;
	int same;

	if (*end || seconds < 0 || seconds > SECONDS_MAX || number > UINT32_MAX)
		return -EINVAL;
	ret->number = (unsigned int)number;
	ret->begin_ns = seconds * (int64_t)NS_PER_SECOND;
	own = history_folder_name(ret->number, ret->begin_ns);
	same = !strcmp(own, name);
	free(own);
	return same ? 0 : -EINVAL;
}

static int compare_folders(const void *a, const void *b)
{
	const struct history_folder *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

int history_folders_read(const char *history, struct history_folders *ret)
{
	struct history_folders all = { NULL, 0, 0 };
	struct dirent *entry;
	DIR *dir = opendir(history);

	if (!dir && errno != ENOENT)
		return -errno;
	while (dir && (entry = readdir(dir))) {
		struct history_folder f;

		if (parse_name(entry->d_name, &f))
			continue;
		f.path = path_join(history, entry->d_name);
		xgrow(all.list, all.nr, all.room);
		all.list[all.nr++] = f;
	}
	if (dir)
		closedir(dir);
	if (all.nr)
		qsort(all.list, all.nr, sizeof(*all.list), compare_folders);
	*ret = all;
	return 0;
}

void history_folders_free(struct history_folders *f)
{
	for (size_t i = 0; i < f->nr; i++)
		free(f->list[i].path);
	free(f->list);
	*f = (struct history_folders){ NULL, 0, 0 };
}

uint64_t history_bytes(const char *path)
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
			       ? history_bytes(at)
			       : (uint64_t)st.st_blocks * 512 / (st.st_nlink ? st.st_nlink : 1);
		free(at);
	}
	if (dir)
		closedir(dir);
	return sum;
}

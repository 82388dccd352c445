/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache_write.c - write a cache file in one step, and keep the folder's size in bounds */
#include "pp/binary/line/cache_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define ALIGN8(n)	(((n) + 7) & ~(uint64_t)7)
#define STALE_SECONDS	3600		/* what a writer that died has left */

static int compare_records(const void *a, const void *b)
{
	const struct line_cache_record *x = *(const struct line_cache_record *const *)a;
	const struct line_cache_record *y = *(const struct line_cache_record *const *)b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static void fill_header(struct cache_header *h, const char *build_id,
			const struct cache_entry *entries, size_t nr, uint64_t size)
{
	*h = (struct cache_header){
		.magic = CACHE_MAGIC,
		.format = CACHE_FORMAT,
		.nr_entries = nr,
		.size = size,
		.build_id_hash = hash_string(build_id),
		.index_hash = hash_bytes(entries, nr * sizeof(*entries)),
	};
	h->header_hash = hash_bytes(h, offsetof(struct cache_header, header_hash));
}

/* The whole file as bytes; *ret_size is 0 if that would be too many. */
static unsigned char *make_file(const char *build_id, const struct line_cache_record **records,
				size_t nr, size_t *ret_size)
{
	struct cache_entry *entries = xcalloc(nr + 1, sizeof(*entries));
	uint64_t size = ALIGN8(sizeof(struct cache_header) + nr * sizeof(*entries));
	unsigned char *file = NULL;
	struct cache_header header;

	for (size_t i = 0; i < nr; i++) {
		const struct line_record *r = &records[i]->record;

		entries[i] = (struct cache_entry){
			.kind = records[i]->kind,
			.unit = records[i]->unit,
			.offset = size,
			.size = r->size,
			.hash = hash_bytes(r->bytes, r->size),
		};
		size = ALIGN8(size + r->size);
	}
	*ret_size = 0;
	if (size <= LINE_CACHE_FILE_MAX) {
		file = xcalloc(1, size);
		fill_header(&header, build_id, entries, nr, size);
		memcpy(file, &header, sizeof(header));
		memcpy(file + sizeof(header), entries, nr * sizeof(*entries));
		for (size_t i = 0; i < nr; i++)
			memcpy(file + entries[i].offset, records[i]->record.bytes, entries[i].size);
		*ret_size = size;
	}
	free(entries);
	return file;
}

struct cached_file {
	char *name;
	struct timespec used;
	uint64_t size;
};

static int compare_used(const void *a, const void *b)
{
	const struct cached_file *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec > y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec > y->used.tv_nsec ? -1 : x->used.tv_nsec < y->used.tv_nsec;
}

/* Ours, by the name: "HEX.lines", or what becomes one of those: "HEX.lines.XXXXXX". */
static bool is_cache_name(const char *name, bool *ret_temporary)
{
	size_t hex = strspn(name, "0123456789abcdef");

	if (!hex || strncmp(name + hex, ".lines", 6))
		return false;
	*ret_temporary = name[hex + 6] == '.';
	return *ret_temporary || !name[hex + 6];
}

static void trim(const char *path, uint64_t limit)
{
	struct cached_file *files = NULL;
	size_t nr = 0, room = 0;
	DIR *dir = opendir(path);
	struct dirent *entry;
	uint64_t sum = 0;

	while (dir && (entry = readdir(dir)) != NULL) {
		bool temporary;
		struct stat st;

		if (!is_cache_name(entry->d_name, &temporary) ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (temporary) {
			if (st.st_mtime < time(NULL) - STALE_SECONDS)
				unlinkat(dirfd(dir), entry->d_name, 0);
			continue;
		}
		xgrow(files, nr, room);
		files[nr++] = (struct cached_file){xstrdup(entry->d_name), st.st_mtim, st.st_size};
	}
	if (nr)
		qsort(files, nr, sizeof(*files), compare_used);
	for (size_t i = 0; i < nr; i++) {
		sum += files[i].size;
		if (sum > limit)
			unlinkat(dirfd(dir), files[i].name, 0);
		free(files[i].name);
	}
	free(files);
	if (dir)
		closedir(dir);
}

int line_cache_write(const char *dir, const char *build_id,
		     const struct line_cache_record *records, size_t nr, uint64_t limit)
{
	const struct line_cache_record **sorted = xcalloc(nr + 1, sizeof(*sorted));
	char *path = line_cache_path(dir, build_id);
	unsigned char *file;
	size_t size;
	int err;

	for (size_t i = 0; i < nr; i++)
		sorted[i] = &records[i];
	qsort(sorted, nr, sizeof(*sorted), compare_records);
	file = make_file(build_id, sorted, nr, &size);
	err = size && size <= limit ? file_write_atomic(path, file, size, 0600) : -EFBIG;
	if (!err)
		trim(dir, limit);
	free(file);
	free(sorted);
	free(path);
	return err;
}

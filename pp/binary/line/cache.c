/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.c - the file's layout, and reading it
 *
 *	header, index (an entry per record, sorted by kind and unit), records
 *
 * in this machine's byte order; the header says which. The header covers the index with a checksum
 * and each entry its record, so that reading costs no more than what is used. Records are copied
 * out of the file, not mapped: a file cut short then costs a read, not a SIGBUS.
 */
#include "pp/binary/line/cache_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"

struct line_cache {
	int fd;
	uint64_t size;
	struct cache_entry *entries;
	size_t nr;
};

char *line_cache_path(const char *dir, const char *build_id)
{
	return xasprintf("%s/%s.lines", dir, build_id);
}

/* Only in a folder that nobody else writes to: its files are believed, and replaced by us. */
static bool is_own_dir(const char *dir)
{
	struct stat st;

	return !lstat(dir, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Of another user's home, as after sudo, no folder is made that would be root's. */
static bool is_own(const char *path)
{
	struct stat st;

	return path && *path == '/' && !stat(path, &st) && st.st_uid == geteuid();
}

static char *make_own_dir(char *dir)
{
	if (dir && !file_make_dirs(dir, 0700) && is_own_dir(dir))
		return dir;
	free(dir);
	return NULL;
}

char *line_cache_dir(void)
{
	const char *ours = getenv("OPROFILE_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (ours)
		return *ours ? make_own_dir(xstrdup(ours)) : NULL;
	if (xdg && *xdg)
		return is_own(xdg) ? make_own_dir(xasprintf("%s/oprofile", xdg)) : NULL;
	return is_own(home) ? make_own_dir(xasprintf("%s/.cache/oprofile", home)) : NULL;
}

static bool read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t n = pread(fd, bytes, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes = (char *)bytes + n;
		size -= n;
		offset += n;
	}
	return true;
}

static bool is_sound_entry(const struct line_cache *c, const struct cache_entry *e)
{
	return (e->kind == LINE_UNITS || e->kind == LINE_ROWS || e->kind == LINE_INLINES) &&
	       e->offset <= c->size && e->size <= c->size - e->offset;
}

static bool read_index(struct line_cache *c, const char *build_id)
{
	struct cache_header h;

	if (!read_at(c->fd, &h, sizeof(h), 0) || memcmp(h.magic, CACHE_MAGIC, sizeof(h.magic)) ||
	    h.format != CACHE_FORMAT || h.size != c->size ||
	    h.nr_entries > (c->size - sizeof(h)) / sizeof(*c->entries) ||
	    h.build_id_hash != hash_string(build_id) ||
	    h.header_hash != hash_bytes(&h, offsetof(struct cache_header, header_hash)))
		return false;
	c->nr = h.nr_entries;
	c->entries = xcalloc(c->nr + 1, sizeof(*c->entries));
	if (!read_at(c->fd, c->entries, c->nr * sizeof(*c->entries), sizeof(h)) ||
	    h.index_hash != hash_bytes(c->entries, c->nr * sizeof(*c->entries)))
		return false;
	for (size_t i = 0; i < c->nr; i++)
		if (!is_sound_entry(c, &c->entries[i]))
			return false;
	return true;
}

struct line_cache *line_cache_open(const char *dir, const char *build_id)
{
	struct line_cache *c = xcalloc(1, sizeof(*c));
	char *path = line_cache_path(dir, build_id);
	struct stat st;

	c->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	free(path);
	if (c->fd >= 0 && !fstat(c->fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    st.st_size >= (off_t)sizeof(struct cache_header) && st.st_size <= LINE_CACHE_FILE_MAX) {
		c->size = st.st_size;
		if (read_index(c, build_id)) {
			futimens(c->fd, NULL);	/* used just now [LC-7] */
			return c;
		}
	}
	line_cache_close(c);
	return NULL;
}

void line_cache_close(struct line_cache *c)
{
	if (!c)
		return;
	if (c->fd >= 0)
		close(c->fd);
	free(c->entries);
	free(c);
}

static bool read_record(const struct line_cache *c, const struct cache_entry *e,
			struct line_record *ret)
{
	struct line_record record = { malloc(e->size + !e->size), e->size };

	if (record.bytes && read_at(c->fd, record.bytes, e->size, e->offset) &&
	    hash_bytes(record.bytes, e->size) == e->hash &&
	    line_record_check(e->kind, record.bytes, e->size)) {
		*ret = record;
		return true;
	}
	free(record.bytes);
	return false;
}

static int compare_key(const struct cache_entry *e, uint32_t kind, uint64_t unit)
{
	if (e->kind != kind)
		return e->kind < kind ? -1 : 1;
	return e->unit < unit ? -1 : e->unit > unit;
}

bool line_cache_read(struct line_cache *c, enum line_record_kind kind, uint64_t unit,
		     struct line_record *ret)
{
	size_t low = 0, high = c->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_key(&c->entries[middle], kind, unit) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->nr && !compare_key(&c->entries[low], kind, unit) &&
	       read_record(c, &c->entries[low], ret);
}

struct line_cache_record *line_cache_read_all(struct line_cache *c, size_t *ret_nr)
{
	struct line_cache_record *records = xcalloc(c->nr + 1, sizeof(*records));
	size_t nr = 0;

	for (size_t i = 0; i < c->nr; i++) {
		const struct cache_entry *e = &c->entries[i];

		if (i && !compare_key(&c->entries[i - 1], e->kind, e->unit))
			continue;
		records[nr].kind = e->kind;
		records[nr].unit = e->unit;
		nr += read_record(c, e, &records[nr].record);
	}
	*ret_nr = nr;
	return records;
}

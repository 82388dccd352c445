/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.c - read cache files, replace them in one step, and bound the size of their folder
 *
 * A file is a header, an index (an entry per record, sorted by kind and unit) and the records, in
 * the byte order of the machine that wrote it. The header has a checksum of the index and each
 * entry one of its record, so a reader checks only what it uses. Records are read, not mapped: a
 * truncated file is a failed read and not a SIGBUS.
 */
#include "pp/binary/line/cache.h"

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
#include "libutil/sorted.h"
#include "libutil/strbuf.h"
#include "libutil/xalloc.h"

#define ALIGN8(n)	(((n) + 7) & ~(uint64_t)7)
#define STALE_SECONDS	3600		/* age at which a temporary file has lost its writer */

#define CACHE_MAGIC	"OPLINES"	/* with its NUL: eight bytes */
#define CACHE_FORMAT	0x00010002u	/* the version; in the other byte order it is another one */

struct cache_header {
	char magic[8];
	uint32_t format;
	uint32_t nr_entries;
	uint64_t size;			/* of the file */
	uint64_t name_hash;		/* so that a renamed file is not used */
	uint64_t index_hash;
	uint64_t header_hash;		/* of the fields before it */
};

struct cache_entry {
	uint32_t kind, reserved;
	uint64_t unit;
	uint64_t offset, size;		/* of the record */
	uint64_t hash;
};

struct line_cache {
	int fd;
	uint64_t size;
	struct cache_entry *entries;
	size_t nr;
};

static char *cache_path(const char *dir, const char *name)
{
	return xasprintf("%s/%s.lines", dir, name);
}

/* The cache trusts and replaces the files of its folder, so nobody else may write there. */
static bool is_own_dir(const char *dir)
{
	struct stat st;

	return !lstat(dir, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* After sudo, $HOME may be another user's: make no folder there that root owns. */
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
	return e->kind >= LINE_UNITS && e->kind <= LINE_NAMES &&
	       e->offset <= c->size && e->size <= c->size - e->offset;
}

static bool read_index(struct line_cache *c, const char *name)
{
	struct cache_header h;

	if (!read_at(c->fd, &h, sizeof(h), 0) || memcmp(h.magic, CACHE_MAGIC, sizeof(h.magic)) ||
	    h.format != CACHE_FORMAT || h.size != c->size ||
	    h.nr_entries > (c->size - sizeof(h)) / sizeof(*c->entries) ||
	    h.name_hash != hash_string(name) ||
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

struct line_cache *line_cache_open(const char *dir, const char *name)
{
	struct line_cache *c = xcalloc(1, sizeof(*c));
	char *path = cache_path(dir, name);
	struct stat st;

	c->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	free(path);
	if (c->fd >= 0 && !fstat(c->fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    st.st_size >= (off_t)sizeof(struct cache_header) && st.st_size <= LINE_CACHE_FILE_MAX) {
		c->size = st.st_size;
		if (read_index(c, name)) {
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
	size_t low = first_not(c->nr, i, compare_key(&c->entries[i], kind, unit) < 0);

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

/* --- writing --- */

static int compare_records(const void *a, const void *b)
{
	const struct line_cache_record *x = *(const struct line_cache_record *const *)a;
	const struct line_cache_record *y = *(const struct line_cache_record *const *)b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static void fill_header(struct cache_header *h, const char *name,
			const struct cache_entry *entries, size_t nr, uint64_t size)
{
	*h = (struct cache_header){
		.magic = CACHE_MAGIC,
		.format = CACHE_FORMAT,
		.nr_entries = nr,
		.size = size,
		.name_hash = hash_string(name),
		.index_hash = hash_bytes(entries, nr * sizeof(*entries)),
	};
	h->header_hash = hash_bytes(h, offsetof(struct cache_header, header_hash));
}

/* The file's bytes, malloc'd; NULL and *ret_size 0 if they exceed LINE_CACHE_FILE_MAX. */
static unsigned char *make_file(const char *name, const struct line_cache_record **records,
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
		fill_header(&header, name, entries, nr, size);
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

/* "NAME.lines", or the temporary file "NAME.lines.XXXXXX". */
static bool is_cache_name(const char *name, bool *ret_temporary)
{
	static const char suffix[] = ".lines";
	const char *at = strstr(name, suffix);

	if (!at || (size_t)(at - name) > strspn(name, "0123456789abcdef-."))
		return false;
	at += strlen(suffix);
	*ret_temporary = *at == '.';
	return *ret_temporary || !*at;
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

int line_cache_write(const char *dir, const char *name,
		     const struct line_cache_record *records, size_t nr, uint64_t limit)
{
	const struct line_cache_record **sorted = xcalloc(nr + 1, sizeof(*sorted));
	char *path = cache_path(dir, name);
	unsigned char *file;
	size_t size;
	int err;

	for (size_t i = 0; i < nr; i++)
		sorted[i] = &records[i];
	qsort(sorted, nr, sizeof(*sorted), compare_records);
	file = make_file(name, sorted, nr, &size);
	err = size && size <= limit ? file_write_atomic(path, file, size, 0600) : -EFBIG;
	if (!err)
		trim(dir, limit);
	free(file);
	free(sorted);
	free(path);
	return err;
}

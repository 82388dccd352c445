// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cookie.c - the cache of cookies: path, build-id and time of the very file
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "daemon/record/binaries.h"
#include "daemon/record/cookie.h"
#include "libutil/build_id.h"
#include "libutil/hash.h"
#include "libutil/log.h"
#include "libutil/quiet_path.h"
#include "libutil/xalloc.h"

struct entry {
	op_word cookie;			/* OP_NO_COOKIE: free */
	struct image *image;		/* NULL: could not be resolved */
};

struct cookies {
	struct collector *collector;
	struct images *images;
	struct binaries *binaries;
	void (*file)(void *context, op_word cookie, int fd);	/* NULL: nobody is told */
	void *context;
	struct entry *table;		/* open addressing, never more than half full */
	size_t size, used;
};

struct cookies *cookies_new(struct collector *collector, struct images *images,
			    struct binaries *binaries)
{
	struct cookies *c = xcalloc(1, sizeof(*c));

	c->collector = collector;
	c->images = images;
	c->binaries = binaries;
	c->size = 1024;
	c->table = xcalloc(c->size, sizeof(*c->table));
	return c;
}

void cookies_free(struct cookies *c)
{
	if (!c)
		return;
	free(c->table);
	free(c);
}

void cookies_tell_files(struct cookies *c, void (*file)(void *context, op_word cookie, int fd),
			void *context)
{
	c->file = file;
	c->context = context;
}

static struct entry *find(struct entry *table, size_t size, op_word cookie)
{
	size_t i = hash_u64(cookie) & (size - 1);

	while (table[i].cookie != OP_NO_COOKIE && table[i].cookie != cookie)
		i = (i + 1) & (size - 1);
	return &table[i];
}

static void grow(struct cookies *c)
{
	size_t size = c->size * 2;
	struct entry *table = xcalloc(size, sizeof(*table));

	for (size_t i = 0; i < c->size; i++)
		if (c->table[i].cookie != OP_NO_COOKIE)
			*find(table, size, c->table[i].cookie) = c->table[i];
	free(c->table);
	c->table = table;
	c->size = size;
}

/* As far as the kernel knows it: no server of a file system is asked. */
static uint64_t time_at_path(const char *path)
{
	struct statx st = { .stx_mask = 0 };
	int fd = quiet_open(AT_FDCWD, path);

	if (fd < 0)
		return 0;
	(void)statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MTIME, &st);
	close(fd);
	return st.stx_mask & STATX_MTIME ? st.stx_mtime.tv_sec : 0;
}

/* The file itself tells its build and time, whatever now lies at its path. */
static void look_at_file(int fd, struct build_id *id, uint64_t *ret_mtime)
{
	struct stat st;

	if (!fstat(fd, &st))
		*ret_mtime = st.st_mtime;
	if (!id->len && build_id_read_fd(fd, id))
		id->len = 0;
}

static struct image *describe(struct cookies *c, op_word cookie, const char *path)
{
	int fd = c->collector->cookie_fd(c->collector, cookie);
	char text[BUILD_ID_TEXT] = "";
	struct build_id id = { .len = 0 };
	size_t len = sizeof(id.bytes);
	struct image *image;
	uint64_t mtime = 0;

	if (!c->collector->cookie_build_id(c->collector, cookie, id.bytes, &len) &&
	    len <= sizeof(id.bytes))
		id.len = len;
	if (fd >= 0)
		look_at_file(fd, &id, &mtime);
	if (id.len)
		build_id_text(&id, text);
	image = image_get(c->images, IMAGE_FILE, path, text);
	if (fd >= 0 && c->file)
		c->file(c->context, cookie, fd);
	if (fd < 0 && !image->mtime)
		mtime = time_at_path(path);
	if (mtime)
		image->mtime = mtime;
	binaries_saw(c->binaries, image, cookie, fd);
	return image;
}

static struct image *resolve(struct cookies *c, op_word cookie)
{
	struct image *image;
	char *path;
	int err;

	err = c->collector->cookie_path(c->collector, cookie, &path);
	if (err) {
		log_about(LOG_MISC, "cookie %llx has no path: %s", (unsigned long long)cookie,
			  strerror(-err));
		return NULL;
	}
	if (path[0] != '/') {
		log_about(LOG_MISC, "cookie %llx: '%s' is no path", (unsigned long long)cookie,
			  path);
		free(path);
		return NULL;
	}
	image = describe(c, cookie, path);
	log_about(LOG_MISC, "cookie %llx is '%s'", (unsigned long long)cookie, path);
	free(path);
	return image;
}

struct image *cookie_image(struct cookies *c, op_word cookie)
{
	struct entry *e;

	if (cookie == OP_NO_COOKIE || cookie == OP_INVALID_COOKIE)
		return NULL;
	e = find(c->table, c->size, cookie);
	if (e->cookie == cookie)
		return e->image;

	if (++c->used * 2 > c->size)
		grow(c);
	e = find(c->table, c->size, cookie);
	e->cookie = cookie;
	e->image = resolve(c, cookie);
	return e->image;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cookie.c - resolve cookies to images: path, build ID and time of the very file, kept in a table
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "daemon/collect/perf/mounts.h"
#include "daemon/record/binaries.h"
#include "daemon/record/cookie.h"
#include "libdb/session/image_ids.h"
#include "libutil/build_id.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/list.h"
#include "libutil/log.h"
#include "libutil/quiet_path.h"
#include "libutil/xalloc.h"

#define NR_BUCKETS	4096
#define CACHE_TRIES	4
#define PATH_LENGTH_MAX	1024		/* bytes [SS-8] */
#define PATH_DEPTH_MAX	64		/* folders */

struct resolved {
	struct list_head node;		/* in its bucket */
	op_word cookie;
	struct image *image;		/* NULL: could not be resolved */
};

struct cookies {
	struct collector *collector;
	struct images *images;
	struct binaries *binaries;
	void (*handle_file)(void *context, op_word cookie, int fd);	/* may be NULL */
	void *context;
	struct list_head buckets[NR_BUCKETS];	/* of struct resolved */
};

struct cookies *cookies_new(struct collector *collector, struct images *images,
			    struct binaries *binaries)
{
	struct cookies *c = xcalloc(1, sizeof(*c));

	c->collector = collector;
	c->images = images;
	c->binaries = binaries;
	for (size_t i = 0; i < NR_BUCKETS; i++)
		list_init(&c->buckets[i]);
	return c;
}

static void forget(struct resolved *r)
{
	list_del(&r->node);
	free(r);
}

void cookies_free(struct cookies *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < NR_BUCKETS; i++)
		while (!list_empty(&c->buckets[i]))
			forget(list_entry(c->buckets[i].next, struct resolved, node));
	free(c);
}

void cookies_set_file_handler(struct cookies *c,
			      void (*handle_file)(void *context, op_word cookie, int fd),
			      void *context)
{
	c->handle_file = handle_file;
	c->context = context;
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

static bool is_at_path(const struct stat *st, const char *path)
{
	struct statx there;
	bool same;
	int fd;

	for (int tries = 0; tries < CACHE_TRIES; tries++) {	/* a rename may disturb it */
		fd = quiet_open(AT_FDCWD, path);
		if (fd != -EAGAIN)
			break;
	}
	if (fd < 0)
		return false;
	same = !statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &there) &&
	       there.stx_ino == st->st_ino && there.stx_size == (uint64_t)st->st_size &&
	       there.stx_mtime.tv_sec == st->st_mtim.tv_sec &&
	       ((there.stx_dev_major == major(st->st_dev) &&
		 there.stx_dev_minor == minor(st->st_dev)) || perf_devices_differ(fd));
	close(fd);
	return same;
}

/* Read build ID and time from the file itself, because another may be at its path now. */
static void inspect_file(int fd, const char *path, struct build_id *id, uint64_t *ret_mtime,
			 char text[BUILD_ID_TEXT])
{
	struct stat st = { 0 };

	if (!quiet_stat(fd, &st))
		*ret_mtime = st.st_mtime;
	if (!id->len && quiet_build_id(fd, id))
		id->len = 0;
	if (!id->len && !is_at_path(&st, path))
		image_apart_id(st.st_dev, st.st_ino, text);
}

/*
 * A sample file's path has an image's path twice, and a folder for each of its folders. So that no
 * user can make files that cannot be opened, or very many folders, a path that is too long or too
 * deep is replaced by its hash, in a folder that does not exist, and its last part.
 */
static char *name_of(const char *path)
{
	size_t len = strlen(path), depth = 0;

	for (const char *p = path; *p; p++)
		depth += *p == '/';
	if (len <= PATH_LENGTH_MAX && depth <= PATH_DEPTH_MAX)
		return xstrdup(path);
	return xasprintf("/[long path]/%016" PRIx64 "/%.255s", hash_bytes(path, len),
			 path_base(path));
}

static struct image *make_image(struct cookies *c, op_word cookie, const char *path)
{
	int fd = c->collector->cookie_fd(c->collector, cookie);
	char text[BUILD_ID_TEXT] = "";
	struct build_id id = { .len = 0 };
	size_t len = sizeof(id.bytes);
	struct image *image;
	uint64_t mtime = 0;
	char *name;

	if (!c->collector->cookie_build_id(c->collector, cookie, id.bytes, &len) &&
	    len <= sizeof(id.bytes))
		id.len = len;
	if (fd >= 0)
		inspect_file(fd, path, &id, &mtime, text);
	if (id.len)
		build_id_text(&id, text);
	name = name_of(path);
	image = image_get(c->images, IMAGE_FILE, name, text);
	free(name);
	if (!image) {
		log_about(LOG_MISC, "cannot tell which build of '%s' cookie %llx is", path,
			  (unsigned long long)cookie);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	if (fd >= 0 && c->handle_file)
		c->handle_file(c->context, cookie, fd);
	if (fd < 0 && !image->mtime)
		mtime = time_at_path(path);
	if (mtime)
		image->mtime = mtime;
	binaries_add(c->binaries, image, cookie, fd);
	return image;
}

static struct image *resolve(struct cookies *c, op_word cookie)
{
	struct image *image;
	char *path;
	int err;

	err = c->collector->cookie_path(c->collector, cookie, &path);
	if (err) {
		log_about(LOG_MISC, "cannot resolve cookie %llx: %s", (unsigned long long)cookie,
			  strerror(-err));
		return NULL;
	}
	if (path[0] != '/') {
		log_about(LOG_MISC, "cannot resolve cookie %llx: '%s' is not an absolute path",
			  (unsigned long long)cookie, path);
		free(path);
		return NULL;
	}
	image = make_image(c, cookie, path);
	if (image)
		log_about(LOG_MISC, "cookie %llx is '%s'", (unsigned long long)cookie, path);
	free(path);
	return image;
}

static struct list_head *bucket_of(struct cookies *c, op_word cookie)
{
	return &c->buckets[hash_u64(cookie) % NR_BUCKETS];
}

static struct resolved *find(struct cookies *c, op_word cookie)
{
	struct list_head *bucket = bucket_of(c, cookie);
	struct resolved *r;

	list_for_each_entry(r, bucket, node)
		if (r->cookie == cookie)
			return r;
	return NULL;
}

struct image *cookie_image(struct cookies *c, op_word cookie)
{
	struct resolved *r;

	if (cookie == OP_NO_COOKIE || cookie == OP_INVALID_COOKIE)
		return NULL;
	r = find(c, cookie);
	if (!r) {
		r = xcalloc(1, sizeof(*r));
		r->cookie = cookie;
		r->image = resolve(c, cookie);
		list_add(&r->node, bucket_of(c, cookie));
	}
	return r->image;
}

void cookies_forget(struct cookies *c, op_word cookie)
{
	struct resolved *r = find(c, cookie);

	if (r)
		forget(r);
}

void cookies_keep_images(const struct cookies *c)
{
	const struct resolved *r;

	for (size_t i = 0; i < NR_BUCKETS; i++)
		list_for_each_entry(r, &c->buckets[i], node)
			image_keep(r->image);
}

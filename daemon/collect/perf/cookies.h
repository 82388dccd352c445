/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cookies.h - the files and anonymous memory that code runs from, and their cookies
 *
 * An image is one build of one file by the name through which it was mapped: its key is path and
 * build-id or, if the kernel gave no build-id, path, device, inode and generation [PC-20]. The path
 * stands for mount and folder, which the kernel does not report. Mappings hold references. Without
 * any, an image that has no cookie is freed; of those that have one, the last ones are kept,
 * because most programs run again.
 */
#ifndef DAEMON_COLLECT_PERF_COOKIES_H
#define DAEMON_COLLECT_PERF_COOKIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "libutil/build_id.h"
#include "libutil/list.h"
#include "oprofilefs/op_abi.h"
#include "unwind/cache.h"

struct perf_image_key {
	const char *path;		/* as the kernel wrote it */
	uint32_t major, minor;
	uint64_t inode, generation;	/* inode 0: unknown */
	struct build_id build_id;
};

/* State of tables.c for an image. */
struct perf_image_unwind {
	uint64_t drain;			/* the last one in which the table was wanted */
	uint64_t retry_at;		/* do not open the file again before */
	const struct unwind_table *table;	/* NULL: none, or not in this drain */
	struct unwind_key key;
	bool has_key;
	bool pending;			/* being built in this drain */
};

/* State of pushed.c for an image. */
struct perf_image_pushed {
	uint64_t epoch;			/* in which the rest is true */
	uint32_t place;			/* in the array of images */
	bool is_done, has_table;	/* whether it has a table is known there, and has */
};

struct perf_image {
	char *path;			/* absolute, without " (deleted)"; or the anonymous name */
	bool anonymous;
	uint32_t major, minor;
	uint64_t inode, generation;
	struct build_id build_id;

	/* Where cookie_fd looks first: a process that mapped it, and its parent. */
	uint32_t tgid, parent_tgid;
	uint64_t start, end;

	struct perf_image_unwind unwind;
	struct perf_image_pushed pushed;
	op_word cookie;			/* OP_NO_COOKIE until sampled, and if anonymous */
	unsigned int refs;
	uint64_t hash;
	struct perf_image *next;	/* in its bucket */
	struct list_head idle;		/* in the table's list: without references */
};

/* Memory without a file: perhaps the process has registered the code there. */
static inline bool perf_image_is_made(const struct perf_image *image)
{
	return image->anonymous && strcmp(image->path, "[vdso]");
}

#define PERF_COOKIES_IDLE_MAX	4096

struct perf_cookies;

struct perf_cookies *perf_cookies_new(void);
void perf_cookies_free(struct perf_cookies *t);

/* The image of @key, created if new; the caller holds a reference until perf_image_put(). */
struct perf_image *perf_image_get(struct perf_cookies *t, const struct perf_image_key *key);
struct perf_image *perf_image_ref(struct perf_image *image);	/* one more; NULL stays NULL */
void perf_image_put(struct perf_cookies *t, struct perf_image *image);	/* NULL is fine */

/*
 * The image's cookie, assigned now if it had none; OP_NO_COOKIE for anonymous memory. A cookie is a
 * slot of a table and how often that was used before, so none is ever used again.
 */
op_word perf_image_cookie(struct perf_cookies *t, struct perf_image *image);
/* NULL: unknown. */
struct perf_image *perf_cookies_find(const struct perf_cookies *t, op_word cookie);

/*
 * The name under which memory mapped as @path is reported if it is not a file: "anon", "[heap]",
 * "[vdso]", ...; NULL if it is a file [PC-22].
 */
const char *perf_anonymous_name(const char *path);

/*
 * Free the images with cookies that have been without references for longest, but for
 * PERF_COOKIES_IDLE_MAX; @end is called for each cookie. No pointer to an image without a reference
 * may be kept.
 */
void perf_cookies_recycle(struct perf_cookies *t, void (*end)(void *context, op_word cookie),
			  void *context);

/* Of images, and of the tables that maps.c charges here. */
uint64_t *perf_cookies_bytes(struct perf_cookies *t);

size_t perf_cookies_count(const struct perf_cookies *t);	/* images alive */

#endif

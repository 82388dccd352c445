// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * push_tables.c - keep track of cookies that want an unwind table, and push the tables
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "daemon/collect/module/push_tables.h"
#include "daemon/collect/registered/registered.h"
#include "libutil/clock.h"
#include "libutil/hash.h"
#include "libutil/list.h"
#include "libutil/log.h"
#include "libutil/xalloc.h"

#define NR_BUCKETS	1024
#define REMOVED_MAX	1024
#define REMOVE_NS	NS_PER_SECOND	/* between attempts */
#define HELD_MAX	64		/* files kept open until the cache takes them */

struct binary {
	struct list_head by_cookie, by_key;
	struct list_head waiting;	/* while wanted */
	op_word cookie;
	struct unwind_key key;
	bool wanted, pushed;
	int fd;				/* -1: not held */
};

struct unwind_push {
	struct collector *collector;
	struct unwind_cache *cache;
	struct registered *registered;	/* or NULL */
	op_word removed[REMOVED_MAX];	/* of made code, which the collector still uses */
	size_t nr_removed;
	uint64_t removed_at;		/* when that was last tried */
	struct list_head by_cookie[NR_BUCKETS], by_key[NR_BUCKETS];
	struct list_head waiting;
	unsigned int nr_held;
	bool vdso_done;
	struct unwind_push_stats stats;
};

struct unwind_push *unwind_push_new(struct collector *collector, struct unwind_cache *cache,
				    struct registered *registered)
{
	struct unwind_push *p = xcalloc(1, sizeof(*p));

	p->collector = collector;
	p->cache = cache;
	p->registered = registered;
	for (size_t i = 0; i < NR_BUCKETS; i++) {
		list_init(&p->by_cookie[i]);
		list_init(&p->by_key[i]);
	}
	list_init(&p->waiting);
	return p;
}

static void close_file(struct unwind_push *p, struct binary *b)
{
	if (b->fd < 0)
		return;
	close(b->fd);
	b->fd = -1;
	p->nr_held--;
}

static void forget(struct unwind_push *p, struct binary *b)
{
	close_file(p, b);
	list_del(&b->by_cookie);
	list_del(&b->by_key);
	list_del(&b->waiting);
	free(b);
}

void unwind_push_free(struct unwind_push *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < NR_BUCKETS; i++)
		while (!list_empty(&p->by_cookie[i]))
			forget(p, list_entry(p->by_cookie[i].next, struct binary, by_cookie));
	free(p);
}

static struct list_head *cookie_bucket(struct unwind_push *p, op_word cookie)
{
	return &p->by_cookie[hash_u64(cookie) % NR_BUCKETS];
}

static struct list_head *key_bucket(struct unwind_push *p, const struct unwind_key *key)
{
	return &p->by_key[hash_bytes(key->bytes, sizeof(key->bytes)) % NR_BUCKETS];
}

static struct binary *find(struct unwind_push *p, op_word cookie)
{
	struct list_head *bucket = cookie_bucket(p, cookie);
	struct binary *b;

	list_for_each_entry(b, bucket, by_cookie)
		if (b->cookie == cookie)
			return b;
	return NULL;
}

/* Another cookie of the same binary whose table was pushed. */
static struct binary *find_twin(struct unwind_push *p, const struct binary *of)
{
	struct list_head *bucket = key_bucket(p, &of->key);
	struct binary *b;

	list_for_each_entry(b, bucket, by_key)
		if (b->pushed && b != of &&
		    !memcmp(b->key.bytes, of->key.bytes, sizeof(b->key.bytes)))
			return b;
	return NULL;
}

static void hold(struct unwind_push *p, struct binary *b, int fd)
{
	if (b->fd >= 0 || p->nr_held == HELD_MAX)
		return;
	b->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	p->nr_held += b->fd >= 0;
}

/* Start building the table before it is wanted, because more samples are likely to follow. */
static void begin(struct unwind_push *p, struct binary *b, int fd)
{
	const struct unwind_table *table;

	switch (unwind_cache_get(p->cache, &b->key, fd, &table, NULL)) {
	case UNWIND_READY:
		unwind_cache_put(p->cache, table);
		break;
	case UNWIND_ABSENT:
		hold(p, b, fd);
		break;
	default:
		break;
	}
}

void unwind_push_file(void *push, op_word cookie, int fd)
{
	struct unwind_push *p = push;
	struct binary *b;

	if (find(p, cookie))
		return;
	b = xcalloc(1, sizeof(*b));
	b->cookie = cookie;
	b->fd = -1;
	if (unwind_key_of_fd(fd, &b->key)) {
		free(b);
		return;
	}
	list_add(&b->by_cookie, cookie_bucket(p, cookie));
	list_add(&b->by_key, key_bucket(p, &b->key));
	list_init(&b->waiting);
	begin(p, b, fd);
}

/* @b is done: its table was pushed, or there is none. */
static void settle(struct unwind_push *p, struct binary *b, bool pushed, const char *why)
{
	close_file(p, b);
	list_del(&b->waiting);
	list_init(&b->waiting);
	b->wanted = false;
	b->pushed = pushed;
	p->stats.waiting--;
	p->stats.pushed += pushed;
	p->stats.without += !pushed;
	log_about(LOG_MISC, "cookie %llx: unwind table: %s", (unsigned long long)b->cookie, why);
}

static int push_table(struct unwind_push *p, struct binary *b, const struct unwind_table *table)
{
	struct binary *twin = find_twin(p, b);
	int err = twin ? p->collector->unwind_table(p->collector, b->cookie, twin->cookie, NULL,
						    0) : -ENOENT;

	if (err == -ENOENT)
		err = p->collector->unwind_table(p->collector, b->cookie, OP_NO_COOKIE,
						 table->blob, table->len);
	return err;
}

static void try_push(struct unwind_push *p, struct binary *b)
{
	const struct unwind_table *table;
	const char *why = "";
	int err;

	switch (unwind_cache_get(p->cache, &b->key, b->fd, &table, &why)) {
	case UNWIND_READY:
		err = push_table(p, b, table);
		unwind_cache_put(p->cache, table);
		settle(p, b, !err, err ? strerror(-err) : "pushed");
		break;
	case UNWIND_REFUSED:
		settle(p, b, false, why);
		break;
	case UNWIND_ABSENT:
		if (b->fd < 0)
			settle(p, b, false, "evicted from the cache, and its file is closed");
		break;
	case UNWIND_PENDING:
		close_file(p, b);
		break;
	}
}

static void push_vdso(struct unwind_push *p)
{
	const struct unwind_table *table = unwind_cache_vdso(p->cache);
	int err = table ? p->collector->unwind_table(p->collector, OP_COOKIE_VDSO, OP_NO_COOKIE,
						     table->blob, table->len) : -ENOENT;

	p->vdso_done = true;
	p->stats.pushed += !err;
	log_about(LOG_MISC, "vdso: unwind table: %s", err ? strerror(-err) : "pushed");
}

void unwind_push_want(struct unwind_push *p, op_word cookie)
{
	struct binary *b;

	if (cookie == OP_COOKIE_VDSO) {
		push_vdso(p);
		return;
	}
	b = find(p, cookie);
	if (!b) {
		p->stats.without++;
		return;
	}
	if (b->wanted)
		return;
	b->wanted = true;
	b->pushed = false;		/* or the collector would not ask */
	p->stats.waiting++;
	list_add_tail(&b->waiting, &p->waiting);
	try_push(p, b);
}

void unwind_push_forget(struct unwind_push *p, op_word cookie)
{
	struct binary *b = find(p, cookie);

	if (!b)
		return;
	if (b->wanted)
		settle(p, b, false, "its cookie ended");
	forget(p, b);
}

static void remove_made(struct unwind_push *p, op_word cookie)
{
	int err = p->collector->unwind_table(p->collector, cookie, OP_NO_COOKIE, NULL, 0);

	if (err == -EBUSY && p->nr_removed < REMOVED_MAX)
		p->removed[p->nr_removed++] = cookie;
}

static void remove_again(struct unwind_push *p)
{
	size_t nr = p->nr_removed;

	if (!nr || now_ns() - p->removed_at < REMOVE_NS)
		return;
	p->removed_at = now_ns();
	p->nr_removed = 0;
	for (size_t i = 0; i < nr; i++)
		remove_made(p, p->removed[i]);	/* appends to those before it */
}

static void push_made(struct unwind_push *p)
{
	const struct unwind_table *table;
	uint32_t tgid, number;
	int err;

	remove_again(p);
	while (registered_next_gone(p->registered, &tgid, &number))
		remove_made(p, OP_COOKIE_MADE(tgid, number));
	while ((table = registered_next_new(p->registered, &tgid, &number))) {
		err = p->collector->unwind_table(p->collector, OP_COOKIE_MADE(tgid, number),
						 OP_NO_COOKIE, table->blob, table->len);
		unwind_cache_put(p->cache, table);
		p->stats.pushed += !err;
		p->stats.without += err != 0;
		log_about(LOG_MISC, "process %u: unwind table of code that it registered: %s", tgid,
			  err ? strerror(-err) : "pushed");
	}
}

void unwind_push_turn(struct unwind_push *p)
{
	struct binary *b, *next;

	if (!p->vdso_done)
		push_vdso(p);
	if (p->registered)
		push_made(p);
	if (list_empty(&p->waiting))
		return;
	unwind_cache_seen(p->cache);
	list_for_each_entry_safe(b, next, &p->waiting, waiting)
		try_push(p, b);
}

int unwind_push_fd(const struct unwind_push *p)
{
	return list_empty(&p->waiting) ? -1 : unwind_cache_fd(p->cache);
}

void unwind_push_stats(const struct unwind_push *p, struct unwind_push_stats *ret)
{
	*ret = p->stats;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cache.c - look up tables, build them, and evict the least recently used ones
 *
 * One mutex guards everything; a builder releases it while a process reads a binary. READY and
 * REFUSED entries are in the list by last use (lru); PENDING ones wait in a queue and own a
 * descriptor.
 *
 * A hostile binary may take all the time that one is given. So several are read at a time, but only
 * one of a user's own files, and of these only some may wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libutil/clock.h"
#include "libutil/hash.h"
#include "libutil/list.h"
#include "libutil/quiet_path.h"
#include "libutil/sandbox/worker.h"
#include "libutil/thread.h"
#include "unwind/apart.h"
#include "unwind/build.h"
#include "unwind/cache.h"
#include "unwind/vdso.h"

#define ENTRIES_MAX	16384	/* binaries, with a table or without */
#define PENDING_MAX	256	/* each holds a descriptor */
#define BUCKETS		4096
#define BUILDERS	4	/* tables being built at a time, */
#define OF_USER_MAX	1	/* of them of files of one user, */
#define WAIT_OF_USER_MAX 64	/* and of PENDING ones, unless it is root */

struct entry {
	struct unwind_table table;	/* first: callers' pointers point here */
	struct unwind_key key;
	enum unwind_state state;
	int err;			/* the reason if REFUSED */
	int fd;				/* if PENDING, else -1 */
	uid_t owner;			/* of the file */
	unsigned int nr_users;
	unsigned int nr_asked;		/* while PENDING */
	uint64_t used_ns;
	struct entry *next;		/* in the bucket */
	struct list_head order;		/* in queue or lru */
};

struct unwind_cache {
	pthread_mutex_t lock;
	pthread_cond_t work;
	pthread_t builders[BUILDERS];
	unsigned int nr_started, nr_working;
	const struct entry *building[BUILDERS];	/* NULL: idle */
	bool stopping;
	int event_fd, stop_fd;
	size_t limit, bytes;
	uint64_t keep_ns;
	size_t nr_entries, nr_pending;
	uint64_t built, evicted, build_ns;
	struct list_head queue;		/* PENDING, in the order of first requests */
	struct list_head lru;		/* READY and REFUSED, most recently used first */
	struct entry *bucket[BUCKETS];
	struct unwind_table vdso;
};

/* --- entries; called under the lock --- */

static struct entry **bucket_of(struct unwind_cache *c, const struct unwind_key *key)
{
	return &c->bucket[hash_bytes(key, sizeof(*key)) % BUCKETS];
}

static struct entry *find(struct unwind_cache *c, const struct unwind_key *key)
{
	struct entry *e = *bucket_of(c, key);

	while (e && memcmp(&e->key, key, sizeof(*key)))	/* no padding */
		e = e->next;
	return e;
}

/* Table and entry both count towards the limit. */
static size_t cost(size_t len)
{
	return len + sizeof(struct entry);
}

static void remove_entry(struct unwind_cache *c, struct entry *e)
{
	struct entry **p = bucket_of(c, &e->key);

	while (*p != e)
		p = &(*p)->next;
	*p = e->next;
	list_del(&e->order);
	if (e->state == UNWIND_READY)
		c->bytes -= cost(e->table.len);
	if (e->state == UNWIND_PENDING) {
		c->nr_pending--;
		close(e->fd);
	}
	c->nr_entries--;
	free((void *)e->table.blob);
	free(e);
}

/* The least recently used entry without users; @tables: only of those with a table. */
static struct entry *find_oldest(struct unwind_cache *c, bool tables)
{
	for (struct list_head *p = c->lru.prev; p != &c->lru; p = p->prev) {
		struct entry *e = list_entry(p, struct entry, order);

		if (!e->nr_users && (!tables || e->state == UNWIND_READY))
			return e;
	}
	return NULL;
}

/* Evict older tables until there is room for @len more bytes; false: impossible. [UT-60] */
static bool make_room(struct unwind_cache *c, size_t len)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);
	struct entry *e;

	if (cost(len) > c->limit)
		return false;
	while (c->bytes + cost(len) > c->limit) {
		e = find_oldest(c, true);
		if (!e || now - e->used_ns < c->keep_ns)
			return false;
		remove_entry(c, e);
		c->evicted++;
	}
	return true;
}

/* Whether another attempt may succeed now. */
static bool is_retry_due(const struct unwind_cache *c, const struct entry *e)
{
	return (e->err == -ENOSPC || e->err == -ENOMEM || e->err == -EIO) &&
	       clock_ns(CLOCK_MONOTONIC_COARSE) - e->used_ns >= c->keep_ns;
}

static bool is_of(const struct entry *e, uid_t owner)
{
	return e && e->owner == owner;
}

static unsigned int nr_building(const struct unwind_cache *c, uid_t owner)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < BUILDERS; i++)
		nr += is_of(c->building[i], owner);
	return nr;
}

static bool may_wait(const struct unwind_cache *c, uid_t owner)
{
	unsigned int nr = 0;
	struct entry *e;

	list_for_each_entry(e, &c->queue, order)
		nr += is_of(e, owner);
	return !owner || nr < WAIT_OF_USER_MAX;
}

/*
 * The one whose turn it is, or NULL: that which was asked for most often, because samples are still
 * taken there, while much of a long queue is of programs that have ended.
 */
static struct entry *next_due(struct unwind_cache *c)
{
	struct entry *e, *best = NULL;

	list_for_each_entry(e, &c->queue, order)
		if ((!best || e->nr_asked > best->nr_asked) &&
		    (!e->owner || nr_building(c, e->owner) < OF_USER_MAX))
			best = e;
	return best;
}

/* Add a new entry to the queue. NULL: not now. */
static struct entry *enqueue(struct unwind_cache *c, const struct unwind_key *key, int fd)
{
	struct entry *e, **bucket = bucket_of(c, key);
	struct stat st;

	if (quiet_stat(fd, &st) || c->nr_pending >= PENDING_MAX || !may_wait(c, st.st_uid))
		return NULL;
	if (c->nr_entries >= ENTRIES_MAX) {
		e = find_oldest(c, false);
		if (!e)
			return NULL;
		remove_entry(c, e);
	}
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (e->fd < 0) {
		free(e);
		return NULL;
	}
	e->owner = st.st_uid;
	e->key = *key;
	e->state = UNWIND_PENDING;
	e->next = *bucket;
	*bucket = e;
	list_add_tail(&e->order, &c->queue);
	c->nr_entries++;
	c->nr_pending++;
	pthread_cond_signal(&c->work);
	return e;
}

/* Called by a builder after building. */
static void finish(struct unwind_cache *c, struct entry *e, int err,
		   const struct unwind_table *table)
{
	if (!err && !make_room(c, table->len)) {
		free((void *)table->blob);
		err = cost(table->len) > c->limit ? -EFBIG : -ENOSPC;
	}
	c->nr_pending--;
	e->used_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
	e->state = err ? UNWIND_REFUSED : UNWIND_READY;
	e->err = err;
	if (!err) {
		e->table = *table;
		c->bytes += cost(table->len);
		c->built++;
	}
	list_add(&e->order, &c->lru);
	(void)!eventfd_write(c->event_fd, 1);	/* if it is full, it is readable already */
}

/* [task] With the lock; releases it meanwhile. @turn: this thread's place in building[]. */
static void build(struct unwind_cache *c, struct entry *e, unsigned int turn)
{
	struct unwind_table table;
	uint64_t cpu_ns = 0;
	int err;

	/* PENDING and out of the queue: no other thread uses it */
	list_del(&e->order);
	c->building[turn] = e;
	pthread_mutex_unlock(&c->lock);
	err = unwind_build_apart(e->fd, e->key.window, c->limit, c->stop_fd, &table,
				 &cpu_ns);
	close(e->fd);	/* not under the lock: it may be the end of a removed file */
	e->fd = -1;
	pthread_mutex_lock(&c->lock);
	c->building[turn] = NULL;
	c->build_ns += cpu_ns;
	finish(c, e, err, &table);
	pthread_cond_broadcast(&c->work);	/* it may be the turn of its user's next */
}

static void *work(void *arg)
{
	struct unwind_cache *c = arg;
	unsigned int turn;

	pthread_mutex_lock(&c->lock);
	turn = c->nr_working++;
	while (!c->stopping) {
		struct entry *e = next_due(c);

		if (e)
			build(c, e, turn);
		else
			pthread_cond_wait(&c->work, &c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* --- interface --- */

int unwind_cache_create(size_t limit, struct unwind_cache **ret)
{
	struct unwind_cache *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	c->limit = limit;
	c->keep_ns = UNWIND_KEEP_SECONDS * 1000000000ull;
	list_init(&c->queue);
	list_init(&c->lru);
	lock_init(&c->lock);
	pthread_cond_init(&c->work, NULL);
	c->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = c->event_fd < 0 || c->stop_fd < 0 ? -errno : worker_start(NULL);
	if (!err)
		err = unwind_vdso_table(&c->vdso);
	if (err == -ENOENT)
		err = 0;
	while (!err && c->nr_started < BUILDERS) {
		err = thread_start(&c->builders[c->nr_started], work, c);
		c->nr_started += !err;
	}
	if (err)
		unwind_cache_destroy(c);
	else
		*ret = c;
	return err;
}

struct unwind_cache *unwind_cache_destroy(struct unwind_cache *c)
{
	struct entry *e, *n;

	if (!c)
		return NULL;
	pthread_mutex_lock(&c->lock);
	c->stopping = true;
	pthread_cond_broadcast(&c->work);
	pthread_mutex_unlock(&c->lock);
	/* a malicious binary does not delay the end */
	if (c->stop_fd >= 0)
		(void)!eventfd_write(c->stop_fd, 1);
	while (c->nr_started)
		pthread_join(c->builders[--c->nr_started], NULL);
	list_for_each_entry_safe(e, n, &c->queue, order)
		remove_entry(c, e);
	list_for_each_entry_safe(e, n, &c->lru, order)
		remove_entry(c, e);
	pthread_cond_destroy(&c->work);
	pthread_mutex_destroy(&c->lock);
	if (c->event_fd >= 0)
		close(c->event_fd);
	if (c->stop_fd >= 0)
		close(c->stop_fd);
	free((void *)c->vdso.blob);
	free(c);
	return NULL;
}

enum unwind_state unwind_cache_get(struct unwind_cache *c, const struct unwind_key *key, int fd,
				   const struct unwind_table **ret, const char **ret_reason)
{
	enum unwind_state state = UNWIND_ABSENT;
	struct entry *e;

	pthread_mutex_lock(&c->lock);
	e = find(c, key);
	if (e && e->state == UNWIND_REFUSED && is_retry_due(c, e)) {
		remove_entry(c, e);
		e = NULL;
	}
	if (!e && fd >= 0)
		e = enqueue(c, key, fd);
	if (e)
		state = e->state;
	if (state == UNWIND_PENDING)
		e->nr_asked++;
	if (state == UNWIND_READY) {
		e->nr_users++;
		e->used_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
		list_move(&e->order, &c->lru);
		*ret = &e->table;
	}
	if (state == UNWIND_REFUSED && ret_reason)
		*ret_reason = unwind_refusal(e->err);
	pthread_mutex_unlock(&c->lock);
	return state;
}

void unwind_cache_put(struct unwind_cache *c, const struct unwind_table *table)
{
	struct entry *e = container_of(table, struct entry, table);

	pthread_mutex_lock(&c->lock);
	e->nr_users--;
	e->used_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
	pthread_mutex_unlock(&c->lock);
}

const struct unwind_table *unwind_cache_vdso(const struct unwind_cache *c)
{
	return c->vdso.blob ? &c->vdso : NULL;
}

int unwind_cache_fd(const struct unwind_cache *c)
{
	return c->event_fd;
}

void unwind_cache_seen(struct unwind_cache *c)
{
	eventfd_t ignored;

	(void)!eventfd_read(c->event_fd, &ignored);
}

void unwind_cache_keep(struct unwind_cache *c, unsigned int seconds)
{
	pthread_mutex_lock(&c->lock);
	c->keep_ns = seconds * 1000000000ull;
	pthread_mutex_unlock(&c->lock);
}

static void count_refused(const struct unwind_cache *c, struct unwind_cache_stats *s)
{
	static const int reasons[UNWIND_REASONS] = {
		-ENOEXEC, -ENOTSUP, -ENODATA, -EPROTONOSUPPORT, -EPROTO, -EFBIG, -ENOMEM, -ENOSPC,
		-ECANCELED,
		0,	/* any other */
	};
	struct entry *e;

	for (int i = 0; i < UNWIND_REASONS; i++)
		s->refused_for[i].reason = unwind_refusal(reasons[i]);
	list_for_each_entry(e, &c->lru, order) {
		int i = 0;

		if (e->state != UNWIND_REFUSED)
			continue;
		while (reasons[i] && reasons[i] != e->err)
			i++;
		s->refused_for[i].count++;
		s->refused++;
	}
}

void unwind_cache_stats(struct unwind_cache *c, struct unwind_cache_stats *ret)
{
	struct unwind_cache_stats s = { .limit = c->limit };

	pthread_mutex_lock(&c->lock);
	count_refused(c, &s);
	s.pending = c->nr_pending;
	s.tables = c->nr_entries - c->nr_pending - s.refused;
	s.bytes = c->bytes;
	s.built = c->built;
	s.evicted = c->evicted;
	s.build_ns = c->build_ns;
	*ret = s;
	pthread_mutex_unlock(&c->lock);
}

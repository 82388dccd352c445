// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * registered.c - which processes are looked at when, and their last copies
 *
 * One mutex guards everything; the thread releases it while it looks. A process whose copy takes
 * long is looked at less often, and so are the others of its user.
 */
#include "daemon/collect/registered/registered.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/collect/registered/look.h"
#include "libutil/clock.h"
#include "libutil/file.h"
#include "libutil/hash.h"
#include "libutil/list.h"
#include "libutil/log.h"
#include "libutil/opener/objects.h"
#include "libutil/opener/registered.h"
#include "libutil/proc_stat.h"
#include "libutil/table.h"
#include "libutil/thread.h"
#include "libutil/xalloc.h"
#include "unwind/build.h"

#define PROCESSES_MAX	256		/* those not sampled for the longest time are forgotten */
#define PAUSE_MIN_NS	(100 * NS_PER_MS)	/* between looks at a process: as long as it is */
#define PAUSE_MAX_NS	(5 * NS_PER_SECOND)	/* known, from here to there, */
#define PAUSE_FACTOR	100		/* or this many times what the last one took; */
#define USER_FACTOR	10		/* and for other processes of its user, unless it is root */
#define WAIT_NS		(5 * NS_PER_SECOND)	/* of samples for the next look, at most */
#define USERS		64		/* slots; users who share one share their time */
#define WINDOWS_MAX	4		/* of a process, for a collector that is given tables */
#define GONE_MAX	1024
#define NAMED_MAX	65536		/* code objects of a process */
#define WANTED_BYTES	(8 + 4 * sizeof(struct hash_slot))	/* for each, at most */
#define USER_BYTES	(UINT64_C(128) << 20)	/* of the copies of a user, and of what is wanted */
#define ALL_BYTES	(UINT64_C(512) << 20)

/* The code objects of an interpreter. */
struct objects {
	uint64_t *wanted;
	size_t nr, room, nr_read;	/* those after nr_read are to be read */
	struct hash_table known;	/* indices in wanted */
	uint32_t number;		/* of the runtime */
	uint64_t not_before;		/* ns */
	int fd;				/* what was read, or -1 */
	uint64_t size;
	bool is_full;			/* no room for more */
};

struct process {
	struct list_head order;		/* most recently sampled first */
	uint32_t tgid;
	uid_t uid;
	uint64_t start_time;		/* of the process, in ticks; 0: not looked at yet */
	bool wanted, looking, has_ended;
	bool is_changing;		/* the last look found something new, or is to come */
	uint64_t known_at, not_before;	/* ns */
	uint64_t soonest;		/* not before that if code is missing; ns */
	uint64_t looked_at;		/* when the last look began; ns, 0: there was none */
	int fd;				/* the last copy, or -1 */
	uint64_t size, copied_at;	/* of it; when that look began */
	uint64_t version;		/* of it, unique in this program; 0: none */
	uint64_t built;			/* the last version that a table was built of, */
	uint64_t refused;		/* and that one could not be built of */
	uint32_t missing;		/* was logged */
	struct objects objects;
	struct window {
		uint32_t number;	/* unwind_window() of samples; 0: unused */
		uint64_t version;	/* of the table that was given away; 0: none */
	} windows[WINDOWS_MAX];
};

struct registered {
	struct unwind_cache *cache;
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	pthread_t thread;
	bool has_thread, stopping;
	struct list_head processes;
	size_t nr;
	uint64_t last_version;
	uint64_t user_not_before[USERS];
	struct { uint32_t tgid, number; } gone[GONE_MAX];	/* not returned yet */
	size_t nr_gone;
};

/* ---- processes; under the lock ---- */

static struct process *find(struct registered *r, uint32_t tgid)
{
	struct process *p;

	list_for_each_entry(p, &r->processes, order)
		if (p->tgid == tgid)
			return p;
	return NULL;
}

static void drop_wanted(struct objects *o)
{
	hash_table_free(&o->known);
	free(o->wanted);
	o->wanted = NULL;
	o->nr = o->room = o->nr_read = 0;
}

static void drop_objects(struct process *p)
{
	if (p->objects.fd >= 0)
		close(p->objects.fd);
	drop_wanted(&p->objects);
	p->objects = (struct objects){ .fd = -1 };
}

/* Its process has ended, or its copy is dropped: so are the tables that were given away. */
static void end_windows(struct registered *r, struct process *p)
{
	for (size_t i = 0; i < WINDOWS_MAX; i++) {
		struct window *w = &p->windows[i];

		if (w->version && r->nr_gone < GONE_MAX) {
			r->gone[r->nr_gone].tgid = p->tgid;
			r->gone[r->nr_gone++].number = w->number - 1;
		}
		*w = (struct window){ 0, 0 };
	}
}

static void drop_copy(struct registered *r, struct process *p)
{
	end_windows(r, p);
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	p->size = p->version = p->built = 0;
}

static void drop(struct registered *r, struct process *p)
{
	drop_copy(r, p);
	drop_objects(p);
	list_del(&p->order);
	free(p);
	r->nr--;
}

static bool make_room(struct registered *r)
{
	struct process *p;

	if (r->nr < PROCESSES_MAX)
		return true;
	for (struct list_head *at = r->processes.prev; at != &r->processes; at = at->prev) {
		p = list_entry(at, struct process, order);
		if (!p->looking) {
			drop(r, p);
			return true;
		}
	}
	return false;
}

static struct process *add(struct registered *r, uint32_t tgid)
{
	struct process *p = make_room(r) ? calloc(1, sizeof(*p)) : NULL;

	if (!p)
		return NULL;
	p->tgid = tgid;
	p->fd = p->objects.fd = -1;
	p->known_at = now_ns();
	p->is_changing = true;
	list_add(&p->order, &r->processes);
	r->nr++;
	return p;
}

/* The process, or NULL; it is looked at again soon. */
static struct process *want(struct registered *r, uint32_t tgid)
{
	struct process *p = find(r, tgid);

	if (!p)
		p = add(r, tgid);
	if (!p)
		return NULL;
	list_move(&p->order, &r->processes);
	if (!p->wanted) {
		p->wanted = true;
		pthread_cond_signal(&r->work);
	}
	return p;
}

static void add_window(struct process *p, uint32_t number)
{
	for (size_t i = 0; i < WINDOWS_MAX; i++) {
		struct window *w = &p->windows[i];

		if (!w->number)
			w->number = number;
		if (w->number == number)
			return;
	}
}

static uint64_t *user_of(struct registered *r, uid_t uid)
{
	return &r->user_not_before[hash_u64(uid) % USERS];
}

static bool has_unread(const struct process *p)
{
	return p->objects.nr_read < p->objects.nr;
}

/* When to look at it, if at all. Objects are read more often, because each is read once. */
static uint64_t due_at(struct registered *r, const struct process *p)
{
	uint64_t of_user = p->start_time && p->uid ? *user_of(r, p->uid) : 0, at = UINT64_MAX;

	if (p->wanted)
		at = p->not_before;
	if (has_unread(p) && p->objects.not_before < at)
		at = p->objects.not_before;
	return at > of_user ? at : of_user;
}

/* The first one that is due, or NULL; then *ret_at is when one will be. */
static struct process *next_due(struct registered *r, uint64_t *ret_at)
{
	uint64_t now = now_ns();
	struct process *p;

	*ret_at = now + PAUSE_MAX_NS;
	for (struct list_head *e = r->processes.prev; e != &r->processes; e = e->prev) {
		uint64_t at;

		p = list_entry(e, struct process, order);
		at = due_at(r, p);
		if (at <= now)
			return p;
		if (at < *ret_at)
			*ret_at = at;
	}
	return NULL;
}

static uint64_t bytes_of(const struct process *p)
{
	return p->size + p->objects.size + p->objects.room * WANTED_BYTES;
}

/* Those that were not looked at yet share what one user has. */
static bool is_same_user(const struct process *a, const struct process *b)
{
	return a->uid == b->uid && !a->start_time == !b->start_time;
}

/* For @more bytes of @of (as a difference, which may wrap), beside all that there are. */
static bool has_room(struct registered *r, const struct process *of, uint64_t more)
{
	uint64_t of_user = more, all = more;
	struct process *p;

	list_for_each_entry(p, &r->processes, order) {
		all += bytes_of(p);
		of_user += is_same_user(p, of) ? bytes_of(p) : 0;
	}
	return of_user <= USER_BYTES && all <= ALL_BYTES;
}

/* ---- copies ---- */

static bool is_same(int a, int b, size_t size)
{
	void *x = mmap(NULL, size, PROT_READ, MAP_SHARED, a, 0);
	void *y = mmap(NULL, size, PROT_READ, MAP_SHARED, b, 0);
	bool is = x != MAP_FAILED && y != MAP_FAILED && !memcmp(x, y, size);

	if (x != MAP_FAILED)
		munmap(x, size);
	if (y != MAP_FAILED)
		munmap(y, size);
	return is;
}

/* Whether @fd is the same as the last copy. Without the lock: only the thread changes that. */
static bool is_last_copy(const struct process *p, int fd)
{
	struct stat st;

	return p->fd >= 0 && !fstat(fd, &st) && p->size == (uint64_t)st.st_size &&
	       is_same(p->fd, fd, p->size);
}

static void log_missing(struct process *p, uint32_t missing)
{
	static const char *const why[REGISTERED_REASONS] = {
		[REGISTERED_LOOP] = "the list has a loop",
		[REGISTERED_MANY] = "too many images",
		[REGISTERED_LARGE] = "an image is too large",
		[REGISTERED_FULL] = "the images are too large together",
		[REGISTERED_UNREADABLE] = "an image or the list is not mapped",
		[REGISTERED_NO_ELF] = "an image is not an ELF file",
		[REGISTERED_OTHER] = "an unknown version of HotSpot",
	};

	for (unsigned int i = 0; i < REGISTERED_REASONS; i++)
		if (missing & ~p->missing & 1u << i)
			log_about(LOG_MISC, "process %" PRIu32 ": ignored code that it registered: "
				  "%s", p->tgid, why[i]);
	p->missing |= missing;
}

/* Takes over @fd. @is_new: it differs from the last copy. */
static void keep_copy(struct registered *r, struct process *p, int fd, bool is_new)
{
	struct registered_head head;
	struct stat st;

	p->copied_at = p->looked_at;
	if (fstat(fd, &st) || file_read_at(fd, &head, sizeof(head), 0)) {
		close(fd);
		return;
	}
	log_missing(p, head.missing);
	if (!is_new && p->fd >= 0) {
		close(fd);
		return;
	}
	if (!has_room(r, p, (uint64_t)st.st_size - p->size)) {
		log_about(LOG_MISC, "process %" PRIu32 ": ignored code that it registered: no room "
			  "beside that of others", p->tgid);
		close(fd);
		return;
	}
	if (p->fd >= 0)
		close(p->fd);
	p->fd = fd;
	p->size = (uint64_t)st.st_size;
	p->version = ++r->last_version;
}

/* ---- the thread ---- */

struct owner {
	uid_t uid;
	uint64_t start_time;
};

static bool find_owner(uint32_t tgid, struct owner *ret)
{
	struct proc_stat stat;
	char path[40], *text, *line;
	bool is_found;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", tgid);
	if (proc_stat_read(path, &stat))
		return false;
	ret->start_time = stat.start_time;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", tgid);
	if (file_read_all(path, 65536, &text, NULL))
		return false;
	line = strstr(text, "\nUid:");
	is_found = line && sscanf(line, "\nUid: %u", &ret->uid) == 1;
	free(text);
	return is_found;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* No more of them are read. What is read says so: the process is counted in jit.damaged. */
static void end_objects(struct process *p)
{
	static const struct object_head none = { 0 };
	struct objects *o = &p->objects;

	log_about(LOG_MISC, "process %" PRIu32 ": ignored names of interpreted functions: "
		  "no room beside those of others", p->tgid);
	drop_wanted(o);
	o->is_full = true;
	if (o->fd < 0)
		o->fd = memfd_create("objects", MFD_CLOEXEC);
	if (o->fd >= 0 && !file_write_fd(o->fd, &none, sizeof(none)))
		o->size += sizeof(none);
}

/* Append @fd, which it takes over, to what was read before. */
static void keep_objects(struct registered *r, struct process *p, int fd)
{
	struct objects *o = &p->objects;
	struct stat st;
	size_t size = fstat(fd, &st) ? 0 : (size_t)st.st_size;
	char *bytes;

	if (!o->is_full && !has_room(r, p, size))
		end_objects(p);
	if (!o->is_full && o->fd < 0) {		/* they may be since the look began */
		o->fd = fd;
		o->size = size;
		return;
	}
	bytes = o->is_full ? NULL : malloc(size);
	if (bytes && !file_read_at(fd, bytes, size, 0))
		o->size += file_write_fd(o->fd, bytes, size) ? 0 : size;
	free(bytes);
	close(fd);
}

/* [task] With the lock; releases it meanwhile. Some of the objects that were not read yet. */
static void look_objects(struct registered *r, struct process *p)
{
	struct objects *o = &p->objects;
	const uint32_t tgid = p->tgid, number = o->number;
	size_t left = o->nr - o->nr_read, nr = left < OBJECTS_MAX ? left : OBJECTS_MAX;
	uint64_t begin = now_ns(), now, batch[OBJECTS_MAX];
	const uid_t uid = p->uid;
	bool is_given_up;
	int fd;

	memcpy(batch, o->wanted + o->nr_read, nr * sizeof(*batch));
	pthread_mutex_unlock(&r->lock);
	fd = registered_look_objects(tgid, uid, number, batch, nr);
	pthread_mutex_lock(&r->lock);
	/* it, or another look of its user, takes too long now: later it may not */
	is_given_up = fd == -ETIMEDOUT || fd == -EAGAIN;
	/* unless they were dropped meanwhile */
	if (!is_given_up && o->nr - o->nr_read >= nr &&
	    !memcmp(o->wanted + o->nr_read, batch, nr * sizeof(*batch)))
		o->nr_read += nr;
	if (fd >= 0)
		keep_objects(r, p, fd);
	now = now_ns();
	o->not_before = now + larger(is_given_up ? PAUSE_MIN_NS : 0, USER_FACTOR * (now - begin));
	*user_of(r, uid) = now + (now - begin);	/* others have half of the time */
}

/* [task] With the lock; releases it meanwhile. */
static void look_copy(struct registered *r, struct process *p)
{
	uint64_t begin = now_ns(), now, took, age;
	const uint32_t tgid = p->tgid;
	const uid_t uid = p->uid;
	bool is_new, is_given_up;
	uint64_t factor;
	int fd;

	p->wanted = false;
	pthread_mutex_unlock(&r->lock);
	fd = registered_look(tgid, uid);
	is_new = fd >= 0 && !is_last_copy(p, fd);	/* takes a while if it is large */
	pthread_mutex_lock(&r->lock);
	now = now_ns();
	took = now - begin;
	age = now - p->known_at;
	is_given_up = fd == -ETIMEDOUT;		/* on a busy machine the next one may not be */
	factor = is_given_up ? USER_FACTOR : PAUSE_FACTOR;
	p->looked_at = begin;
	if (fd >= 0)
		keep_copy(r, p, fd, is_new);
	else if (fd == -ENOENT)
		drop_copy(r, p);
	age = age > PAUSE_MAX_NS ? PAUSE_MAX_NS : age;
	p->not_before = now + larger(larger(PAUSE_MIN_NS, age), factor * took);
	p->is_changing = is_new || is_given_up;
	p->soonest = p->not_before;
	if (p->is_changing)
		p->soonest = now + larger(PAUSE_MIN_NS, USER_FACTOR * took);
	*user_of(r, uid) = now + USER_FACTOR * took;
}

/* [task] With the lock; releases it meanwhile. */
static void look(struct registered *r, struct process *p)
{
	struct owner owner = { 0 };
	bool is_turn;

	p->looking = true;
	pthread_mutex_unlock(&r->lock);
	(void)find_owner(p->tgid, &owner);
	pthread_mutex_lock(&r->lock);
	if (!owner.start_time) {		/* it has ended: what was read stays */
		end_windows(r, p);
		p->has_ended = true;
		p->wanted = p->is_changing = false;
		p->looked_at = now_ns();
		p->not_before = p->looked_at + PAUSE_MIN_NS;
		drop_wanted(&p->objects);
	} else {
		if (p->start_time && owner.start_time != p->start_time) {
			drop_copy(r, p);	/* its number was used again */
			drop_objects(p);
			p->known_at = now_ns();
			p->is_changing = true;
			p->missing = 0;
		}
		p->start_time = owner.start_time;
		p->uid = owner.uid;
		p->has_ended = false;
		is_turn = due_at(r, p) <= now_ns();	/* of its user, who is known only now */
		if (is_turn && has_unread(p))
			look_objects(r, p);
		if (is_turn && p->wanted && now_ns() >= p->not_before)
			look_copy(r, p);
	}
	p->looking = false;
	pthread_cond_broadcast(&r->done);
}

static void *work(void *arg)
{
	struct registered *r = arg;
	uint64_t until;

	pthread_mutex_lock(&r->lock);
	while (!r->stopping) {
		struct process *p = next_due(r, &until);

		if (p)
			look(r, p);
		else
			(void)lock_wait(&r->work, &r->lock, until);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* ---- interface ---- */

int registered_create(struct unwind_cache *cache, struct registered **ret)
{
	struct registered *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->cache = cache;
	list_init(&r->processes);
	lock_init(&r->lock);
	pthread_cond_init(&r->work, NULL);
	pthread_cond_init(&r->done, NULL);
	err = thread_start(&r->thread, work, r);
	r->has_thread = !err;
	if (err)
		registered_destroy(r);
	else
		*ret = r;
	return err;
}

struct registered *registered_destroy(struct registered *r)
{
	struct process *p, *next;

	if (!r)
		return NULL;
	pthread_mutex_lock(&r->lock);
	r->stopping = true;
	pthread_cond_signal(&r->work);
	pthread_mutex_unlock(&r->lock);
	if (r->has_thread)
		pthread_join(r->thread, NULL);
	list_for_each_entry_safe(p, next, &r->processes, order)
		drop(r, p);
	pthread_cond_destroy(&r->work);
	pthread_cond_destroy(&r->done);
	pthread_mutex_destroy(&r->lock);
	free(r);
	return NULL;
}

void registered_want(struct registered *r, uint32_t tgid, uint64_t start, uint64_t end)
{
	uint32_t first = unwind_window(start);
	struct process *p;

	pthread_mutex_lock(&r->lock);
	p = want(r, tgid);
	for (uint32_t n = first; p && start < end && n <= unwind_window(end - 1) &&
				 n - first < WINDOWS_MAX; n++)
		add_window(p, n);
	pthread_mutex_unlock(&r->lock);
}

bool registered_missed(struct registered *r, uint32_t tgid, uint64_t time)
{
	struct process *p;
	bool is_to_come = false;

	pthread_mutex_lock(&r->lock);
	p = want(r, tgid);
	if (p && p->looked_at <= time && p->is_changing) {
		p->not_before = smaller(p->not_before, p->soonest);
		pthread_cond_signal(&r->work);
		is_to_come = due_at(r, p) < now_ns() + WAIT_NS;
	} else if (p && p->looked_at > time) {
		is_to_come = p->version && p->version != p->built && p->version != p->refused;
	}
	pthread_mutex_unlock(&r->lock);
	return is_to_come;
}

static bool is_object(const void *objects, uint32_t id, const void *key)
{
	return ((const struct objects *)objects)->wanted[id] == *(const uint64_t *)key;
}

static void add_object(struct registered *r, struct process *p, uint64_t object, uint32_t number)
{
	uint64_t hash = hash_mix(hash_seed(), object);
	struct objects *o = &p->objects;
	uint64_t not_before = o->not_before;

	if (o->number && o->number != number) {
		drop_objects(p);		/* after exec */
		o->not_before = not_before;
	}
	if (o->nr == NAMED_MAX || o->is_full ||
	    hash_table_find(&o->known, hash, is_object, o, &object) != HASH_NONE)
		return;
	/* a few are nobody's: so is, at first, the process */
	if (o->nr && o->nr == o->room && !has_room(r, p, o->room * WANTED_BYTES)) {
		end_objects(p);
		return;
	}
	if (!has_unread(p))
		pthread_cond_signal(&r->work);
	o->number = number;
	xgrow(o->wanted, o->nr, o->room);
	o->wanted[o->nr] = object;
	hash_table_add(&o->known, hash, (uint32_t)o->nr++);
}

void registered_want_object(struct registered *r, uint32_t tgid, uint64_t object, uint32_t number)
{
	struct process *p;

	pthread_mutex_lock(&r->lock);
	p = find(r, tgid);
	if (!p)
		p = add(r, tgid);
	if (p) {
		list_move(&p->order, &r->processes);
		add_object(r, p, object, number);
	}
	pthread_mutex_unlock(&r->lock);
}

int registered_objects(struct registered *r, uint32_t tgid)
{
	struct process *p;
	int fd = -1;

	pthread_mutex_lock(&r->lock);
	p = find(r, tgid);
	if (p && p->objects.fd >= 0)
		fd = fcntl(p->objects.fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&r->lock);
	return fd;
}

int registered_copy(struct registered *r, uint32_t tgid)
{
	struct process *p;
	int fd = -1;

	pthread_mutex_lock(&r->lock);
	p = find(r, tgid);
	if (p && p->fd >= 0)
		fd = fcntl(p->fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&r->lock);
	return fd;
}

void registered_wait(struct registered *r, uint64_t ns)
{
	uint64_t until = now_ns() + ns, at;
	struct process *p;
	bool is_busy;

	pthread_mutex_lock(&r->lock);
	do {
		is_busy = next_due(r, &at);
		list_for_each_entry(p, &r->processes, order)
			is_busy |= p->looking ||
				   (has_unread(p) && p->objects.not_before < until);
	} while (is_busy && lock_wait(&r->done, &r->lock, until));
	pthread_mutex_unlock(&r->lock);
}

/* The table of @version of the process, as far as it is built. */
static const struct unwind_table *table_of(const struct registered *r, struct process *p,
					   uint64_t version, uint32_t window)
{
	const uint64_t words[] = { p->tgid, p->start_time, version };
	struct unwind_key key = { .window = window };
	const struct unwind_table *table = NULL;
	enum unwind_state state;

	memcpy(key.bytes, words, sizeof(words));
	state = unwind_cache_get(r->cache, &key, version == p->version ? p->fd : -1, &table, NULL);
	if (state == UNWIND_READY)
		p->built = version;
	else if (state == UNWIND_REFUSED && version == p->built)
		p->built = 0;
	else if (state == UNWIND_REFUSED)
		p->refused = version;
	return table;
}

const struct unwind_table *registered_table(struct registered *r, uint32_t tgid, uint64_t address,
					    uint64_t since)
{
	const uint32_t window = unwind_window(address);
	const struct unwind_table *table = NULL;
	struct process *p;

	if (!r->cache)
		return NULL;
	pthread_mutex_lock(&r->lock);
	p = want(r, tgid);
	if (p && p->version && p->copied_at >= since)
		table = table_of(r, p, p->version, window);
	/* while that is being built, most of the last one still holds */
	if (p && !table && p->built && p->copied_at >= since)
		table = table_of(r, p, p->built, window);
	pthread_mutex_unlock(&r->lock);
	return table;
}

/* The table of the last copy for @w, if that is built and was not given away. */
static const struct unwind_table *new_of(const struct registered *r, struct process *p,
					 struct window *w)
{
	const struct unwind_table *table;

	if (!w->number || !p->version || w->version == p->version || p->has_ended)
		return NULL;
	table = table_of(r, p, p->version, w->number);
	if (table)
		w->version = p->version;
	return table;
}

const struct unwind_table *registered_next_new(struct registered *r, uint32_t *ret_tgid,
					       uint32_t *ret_number)
{
	const struct unwind_table *table = NULL;
	struct process *p;

	if (!r->cache)
		return NULL;
	pthread_mutex_lock(&r->lock);
	list_for_each_entry(p, &r->processes, order)
		for (size_t i = 0; i < WINDOWS_MAX && !table && !r->nr_gone; i++) {
			table = new_of(r, p, &p->windows[i]);
			if (table) {
				*ret_tgid = p->tgid;
				*ret_number = p->windows[i].number - 1;
			}
		}
	pthread_mutex_unlock(&r->lock);
	return table;
}

bool registered_next_gone(struct registered *r, uint32_t *ret_tgid, uint32_t *ret_number)
{
	bool is = false;

	pthread_mutex_lock(&r->lock);
	if (r->nr_gone) {
		is = true;
		*ret_tgid = r->gone[--r->nr_gone].tgid;
		*ret_number = r->gone[r->nr_gone].number;
	}
	pthread_mutex_unlock(&r->lock);
	return is;
}

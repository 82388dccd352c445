// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metadata.c - the program's metadata at the time when a stack is copied
 *
 * Written by any thread, read in the signal handler. Writers exclude each other with a lock that
 * they hold with all signals blocked, so that handlers may write, too. Readers take no lock because
 * its holder might not be running: they skip items that change meanwhile [SM-51].
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "libsampler/copy/copy.h"
#include "libsampler/profiler.h"

#define NAMES_MAX	1000		/* per process, never freed [SM-52] */

/*
 * Items keep their slots, in use or not, until the room is needed, so that one that comes and goes
 * finds its slot again. The fields that identify an item change together, while the slot is unused.
 */
struct slot {
	_Atomic uint32_t turn;		/* odd: in use; grows with each change but the value's */
	_Atomic(const char *) name;	/* NULL: never used */
	_Atomic bool has_key, has_tid;
	_Atomic int64_t key;
	_Atomic pid_t tid;
	_Atomic int64_t value;
};

/* Names are never freed: samples point to them, and handlers must not allocate. */
struct name {
	struct name *next;
	char text[];
};

static struct slot slots[SAMPLER_METADATA_MAX];
static _Atomic(struct name *) names;
static unsigned int nr_names;
static atomic_uint_least64_t nr_lost;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void write_lock(sigset_t *saved)
{
	static const struct timespec moment = { .tv_nsec = 1000 };
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, saved);
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		nanosleep(&moment, NULL);	/* yielding is not enough for real-time threads */
}

static void write_unlock(const sigset_t *saved)
{
	atomic_flag_clear_explicit(&lock, memory_order_release);
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

static const char *known_name(const char *text)
{
	const struct name *n = atomic_load_explicit(&names, memory_order_acquire);

	while (n && strcmp(n->text, text))
		n = n->next;
	return n ? n->text : NULL;
}

static const char *add_name(struct name *n)
{
	if (nr_names == NAMES_MAX)
		return NULL;
	nr_names++;
	n->next = atomic_load_explicit(&names, memory_order_relaxed);
	atomic_store_explicit(&names, n, memory_order_release);
	return n->text;
}

static void after_fork(void)
{
	atomic_flag_clear(&lock);
}

const char *metadata_name(const char *text)
{
	static struct fork_hook hook = { .child = after_fork };
	size_t size = strlen(text) + 1;
	const char *known = known_name(text);
	struct name *n;
	sigset_t saved;

	if (known)
		return known;
	n = fork_watch(&hook) ? NULL : malloc(sizeof(*n) + size);
	if (!n)
		return NULL;
	memcpy(n->text, text, size);
	write_lock(&saved);
	known = known_name(text);	/* another thread may have added it meanwhile */
	if (!known && (known = add_name(n)))
		n = NULL;
	write_unlock(&saved);
	free(n);
	return known;
}

/* A reader that sees a stored field also sees the @turn stored before it. */
#define get(field)	atomic_load_explicit(&(field), memory_order_acquire)
#define put(field, v)	atomic_store_explicit(&(field), v, memory_order_release)

static bool is_in_use(const struct slot *s)
{
	return get(s->turn) & 1;
}

/* Names are compared by address: both are from metadata_name(). */
static bool is_slot_of(const struct slot *s, const struct sampler_metadata *item)
{
	return get(s->name) == item->name && get(s->has_key) == item->has_key &&
	       get(s->has_tid) == item->has_tid && (!item->has_key || get(s->key) == item->key) &&
	       (!item->has_tid || get(s->tid) == item->tid);
}

static struct slot *find(const struct sampler_metadata *item)
{
	for (size_t i = 0; i < SAMPLER_METADATA_MAX; i++)
		if (is_slot_of(&slots[i], item))
			return &slots[i];
	return NULL;
}

static bool has_thread_ended(pid_t tid)
{
	int saved = errno;
	bool ended = syscall(SYS_tgkill, getpid(), tid, 0) && errno == ESRCH;

	errno = saved;
	return ended;
}

/* A free slot: a new one, else an unused one, else one of a thread that has ended. */
static struct slot *find_room(void)
{
	struct slot *unused = NULL, *ended = NULL;

	for (struct slot *s = slots; s < slots + SAMPLER_METADATA_MAX; s++) {
		if (!get(s->name))
			return s;
		if (!is_in_use(s))
			unused = unused ? unused : s;
		else if (!unused && !ended && get(s->has_tid) && has_thread_ended(get(s->tid)))
			ended = s;
	}
	return unused ? unused : ended;
}

static void toggle_use(struct slot *s)
{
	put(s->turn, get(s->turn) + 1);		/* one writer at a time */
}

/* Give the slot to @item: name, key and thread change. */
static void fill(struct slot *s, const struct sampler_metadata *item)
{
	if (is_in_use(s))
		toggle_use(s);
	put(s->name, item->name);
	put(s->has_key, item->has_key);
	put(s->has_tid, item->has_tid);
	put(s->key, item->key);
	put(s->tid, item->tid);
}

static int set_known(const struct sampler_metadata *item)
{
	struct slot *s = find(item);

	if (!s) {
		s = find_room();
		if (!s)
			return -ENOSPC;
		fill(s, item);
	}
	put(s->value, item->value);
	if (!is_in_use(s))
		toggle_use(s);
	return 0;
}

int sampler_metadata_set(const struct sampler_metadata *item)
{
	struct sampler_metadata known = *item;
	sigset_t saved;
	int err = -ENOSPC;

	known.name = metadata_name(item->name);
	if (known.name) {
		write_lock(&saved);
		err = set_known(&known);
		write_unlock(&saved);
	}
	if (err)
		atomic_fetch_add(&nr_lost, 1);
	return err;
}

int sampler_metadata_remove(const struct sampler_metadata *item)
{
	struct sampler_metadata known = *item;
	struct slot *s = NULL;
	sigset_t saved;

	known.name = known_name(item->name);
	if (!known.name)
		return -ENOENT;
	write_lock(&saved);
	s = find(&known);
	if (s && is_in_use(s))
		toggle_use(s);
	else
		s = NULL;
	write_unlock(&saved);
	return s ? 0 : -ENOENT;
}

/* False: not in use, of another thread, or changed meanwhile. */
SHARED_IN_HANDLER static bool read_slot(struct slot *s, pid_t tid, struct sampler_metadata *ret)
{
	uint32_t before = get(s->turn);

	if (!(before & 1))
		return false;
	ret->name = get(s->name);
	ret->has_key = get(s->has_key);
	ret->has_tid = get(s->has_tid);
	ret->key = ret->has_key ? get(s->key) : 0;
	ret->tid = ret->has_tid ? get(s->tid) : 0;
	ret->value = get(s->value);
	return get(s->turn) == before && (!ret->has_tid || ret->tid == tid);
}

SHARED_IN_HANDLER void metadata_take(pid_t tid, struct metadata_snapshot *ret)
{
	ret->nr = 0;
	for (size_t i = 0; i < SAMPLER_METADATA_MAX; i++)
		if (read_slot(&slots[i], tid, &ret->items[ret->nr]))
			ret->nr++;
}

uint64_t metadata_lost(void)
{
	return atomic_load(&nr_lost);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module_list.c - the modules of addresses: the program, its libraries, and added ones
 *
 * Native modules are compared with the loader's list when its counters have changed. Unchanged ones
 * stay the same module, so only new ones cost anything. Unloaded ones are kept for the frames in
 * them as long as anybody holds modules, and are revived when the same file is loaded at the same
 * address again, so that dlopen() and dlclose() in a loop do not fill the memory. [SM-41]
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsampler/sampling.h"
#include "libsampler/unwind/module.h"
#include "libutil/sorted.h"

/* Sorted by start; they do not overlap. */
struct table {
	struct module **list;
	size_t nr, room;
};

#define LOADER_WAIT_S	1

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Held during calls of the loader; taken before @lock. */
static pthread_mutex_t loader_lock = PTHREAD_MUTEX_INITIALIZER;
static struct table native, added;
static struct module *gone;
static unsigned long holders;
static unsigned long long changes_seen;
static uint64_t last_serial;
static atomic_ulong generation;

/* The first that ends above @address. */
static size_t find(const struct table *t, uintptr_t address)
{
	return first_not(t->nr, i, t->list[i]->public.limit <= address);
}

static struct module *find_at(const struct table *t, uintptr_t address)
{
	size_t i = find(t, address);

	return i < t->nr && t->list[i]->public.start <= address ? t->list[i] : NULL;
}

static int make_room(struct table *t, size_t nr)
{
	size_t room = t->room ? t->room : 16;
	struct module **list;

	while (room < nr)
		room *= 2;
	if (room == t->room)
		return 0;
	list = realloc(t->list, room * sizeof(*list));
	if (!list)
		return -ENOMEM;
	t->list = list;
	t->room = room;
	return 0;
}

static void module_free(struct module *m)
{
	free((char *)m->public.path);
	free((char *)m->public.build_id);
	free(m->name);
	free(m);
}

/* Free or keep a module that was removed from its table. */
static void drop(struct module *m)
{
	if (!m->was_returned || !holders) {
		module_free(m);
		return;
	}
	atomic_store(&m->is_gone, true);
	m->next = gone;
	gone = m;
}

static struct module *module_new(const struct sampler_module *public, char *path, const char *id)
{
	struct module *m = calloc(1, sizeof(*m));
	char *build_id = strdup(id);

	if (!m || !path || !build_id) {
		free(m);
		free(path);
		free(build_id);
		return NULL;
	}
	m->public = *public;
	m->public.path = path;
	m->public.build_id = build_id;
	m->serial = ++last_serial;
	return m;
}

/* --- native ones --- */

static bool is_same(const struct module *m, const struct module_object *o)
{
	char id[BUILD_ID_TEXT];

	return m->public.is_native && m->public.base == o->base && m->public.start == o->start &&
	       m->public.limit == o->limit && m->headers_hash == o->headers_hash &&
	       !strcmp(m->name, o->name) &&
	       !strcmp(m->public.build_id, build_id_text(&o->build_id, id));
}

static struct module *revive(const struct module_object *o)
{
	for (struct module **at = &gone; *at; at = &(*at)->next)
		if (is_same(*at, o)) {
			struct module *m = *at;

			*at = m->next;
			atomic_store(&m->is_gone, false);
			return m;
		}
	return NULL;
}

static struct module *native_new(struct module_object *o)
{
	struct sampler_module public = { .start = o->start, .limit = o->limit, .base = o->base,
					 .is_native = true };
	char id[BUILD_ID_TEXT];
	struct module *m = module_new(&public, module_path(o), build_id_text(&o->build_id, id));

	if (!m)
		return NULL;
	m->load_start = o->load_start;
	m->load_limit = o->load_limit;
	m->headers_hash = o->headers_hash;
	m->is_main = o->is_main;
	m->is_vdso = !strcmp(o->name, "[vdso]");
	m->name = o->name;
	o->name = NULL;
	return m;
}

static int by_start(const void *a, const void *b)
{
	const struct module *const *x = a, *const *y = b;

	return (*x)->public.start < (*y)->public.start ? -1 :
	       (*x)->public.start > (*y)->public.start;
}

static struct module *find_unchanged(const struct module_object *o)
{
	struct module *m = find_at(&native, o->start);

	return m && is_same(m, o) ? m : NULL;
}

/* Replace the table by @next, and drop the old modules that are not marked in @keep. */
static void replace(struct table *next, const bool *keep)
{
	struct table old = native;

	for (size_t i = 0; i < old.nr; i++)
		if (!keep[i])
			drop(old.list[i]);
	qsort(next->list, next->nr, sizeof(next->list[0]), by_start);
	native = *next;
	free(old.list);
}

/* Without memory nothing changes, and the next call tries again. */
static void merge(struct module_objects *objects)
{
	struct table next = { 0 };
	bool *keep = calloc(native.nr + 1, sizeof(*keep));

	if (!keep || make_room(&next, objects->nr + 1)) {
		free(keep);
		free(next.list);
		return;
	}
	changes_seen = objects->changes;
	for (size_t i = 0; i < objects->nr; i++) {
		struct module_object *o = &objects->list[i];
		struct module *m = find_unchanged(o);

		if (m)
			keep[find(&native, o->start)] = true;
		else if (!(m = revive(o)) && !(m = native_new(o)))
			changes_seen = 0;
		if (m)
			next.list[next.nr++] = m;
	}
	replace(&next, keep);
	free(keep);
	atomic_fetch_add(&generation, 1);
}

static bool is_old(unsigned long long changes)
{
	bool old;

	pthread_mutex_lock(&lock);
	old = changes > changes_seen || !native.nr;
	pthread_mutex_unlock(&lock);
	return old;
}

/* False: nothing has changed. */
static bool read_changes(struct module_objects *ret)
{
	bool has_new;

	pthread_mutex_lock(&loader_lock);
	has_new = is_old(module_changes()) && !module_objects_read(ret);
	pthread_mutex_unlock(&loader_lock);
	return has_new;
}

uintptr_t modules_symbol(const char *name)
{
	void *found;

	pthread_mutex_lock(&loader_lock);
	found = dlsym(RTLD_DEFAULT, name);
	pthread_mutex_unlock(&loader_lock);
	return (uintptr_t)found;
}

void modules_update(void)
{
	struct module_objects objects;

	if (!read_changes(&objects))
		return;
	pthread_mutex_lock(&lock);
	/* another thread may have a newer list by now */
	if (objects.changes > changes_seen || !native.nr)
		merge(&objects);
	pthread_mutex_unlock(&lock);
	module_objects_free(&objects);
}

/* --- added ones --- */

static int add(struct module *m)
{
	size_t i = find(&added, m->public.start);
	int err;

	if (i < added.nr && added.list[i]->public.start < m->public.limit)
		return -EEXIST;
	err = make_room(&added, added.nr + 1);
	if (err)
		return err;
	memmove(added.list + i + 1, added.list + i, (added.nr - i) * sizeof(added.list[0]));
	added.list[i] = m;
	added.nr++;
	atomic_fetch_add(&generation, 1);
	return 0;
}

int sampler_module_add(const struct sampler_module *module)
{
	struct sampler_module public = *module;
	struct module *m;
	int err;

	if (module->start >= module->limit)
		return -EINVAL;
	public.is_native = false;
	pthread_mutex_lock(&lock);
	m = module_new(&public, strdup(module->path ? module->path : ""),
		       module->build_id ? module->build_id : "");
	err = m ? add(m) : -ENOMEM;
	pthread_mutex_unlock(&lock);
	if (err && m)
		module_free(m);
	return err;
}

int sampler_module_remove(uintptr_t start)
{
	struct module *m;
	size_t i;

	pthread_mutex_lock(&lock);
	i = find(&added, start);
	m = i < added.nr && added.list[i]->public.start == start ? added.list[i] : NULL;
	if (m) {
		added.nr--;
		memmove(added.list + i, added.list + i + 1, (added.nr - i) * sizeof(added.list[0]));
		atomic_fetch_add(&generation, 1);
		drop(m);
	}
	pthread_mutex_unlock(&lock);
	return m ? 0 : -ENOENT;
}

/* --- both --- */

unsigned long modules_generation(void)
{
	return atomic_load(&generation);
}

const struct sampler_module *module_at(uintptr_t address)
{
	struct module *m;

	pthread_mutex_lock(&lock);
	m = find_at(&added, address);
	if (!m)
		m = find_at(&native, address);
	if (m)
		m->was_returned = true;
	pthread_mutex_unlock(&lock);
	return m ? &m->public : NULL;
}

void modules_each(void (*each)(void *context, const struct sampler_module *m), void *context)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < native.nr; i++)
		each(context, &native.list[i]->public);
	pthread_mutex_unlock(&lock);
}

void modules_hold(void)
{
	pthread_mutex_lock(&lock);
	holders++;
	pthread_mutex_unlock(&lock);
}

static void free_gone(void)
{
	while (gone) {
		struct module *m = gone;

		gone = m->next;
		module_free(m);
	}
}

static void empty(struct table *t)
{
	for (size_t i = 0; i < t->nr; i++)
		module_free(t->list[i]);
	free(t->list);
	*t = (struct table){ 0 };
}

/* Added modules stay; native ones can be read from the loader again. */
void modules_release(void)
{
	pthread_mutex_lock(&lock);
	if (!--holders) {
		free_gone();
		empty(&native);
	}
	pthread_mutex_unlock(&lock);
}

/*
 * A program may fork while it holds the loader's lock, in a callback of dl_iterate_phdr(). The
 * thread with our lock waits for that, so this function must not wait for our lock forever.
 */
bool modules_loader_pause(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += LOADER_WAIT_S;
	return !pthread_mutex_clocklock(&loader_lock, CLOCK_MONOTONIC, &until);
}

void modules_loader_resume(void)
{
	pthread_mutex_unlock(&loader_lock);
}

void modules_loader_after_fork(void)
{
	pthread_mutex_init(&loader_lock, NULL);
}

void modules_before_fork(void)
{
	pthread_mutex_lock(&lock);
}

void modules_after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

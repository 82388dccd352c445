// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tables.c - find the unwind table of an image
 *
 * A file is opened once to identify the binary, and again if its table must be built. That is a
 * slow search through /proc, so the number per drain is limited: further images wait for the next
 * drain [PC-85].
 */
#include "daemon/collect/perf/tables.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/image_fd.h"
#include "daemon/collect/registered/registered.h"
#include "libutil/hash.h"
#include "libutil/xalloc.h"
#include "unwind/build.h"

#define OPENS_PER_DRAIN	64
#define RETRY_NS	(10 * NS_PER_SECOND)	/* for a file that could not be opened */

void perf_tables_init(struct perf_tables *t, struct unwind_cache *cache,
		      struct registered *registered, const struct perf_processes *processes)
{
	*t = (struct perf_tables){ .cache = cache, .registered = registered,
				   .processes = processes, .drain = 1,
				   .opens_left = OPENS_PER_DRAIN };
}

void perf_tables_end_drain(struct perf_tables *t)
{
	for (size_t i = 0; i < t->nr_held; i++) {
		struct perf_image *image = t->held[i];

		if (image->unwind.table)
			unwind_cache_put(t->cache, image->unwind.table);
		image->unwind.table = NULL;
	}
	for (size_t i = 0; i < t->nr_made; i++)
		if (t->made[i].table)
			unwind_cache_put(t->cache, t->made[i].table);
	t->nr_held = t->nr_made = t->last_made = 0;
	memset(t->interpreted, 0, sizeof(t->interpreted));
	t->opens_left = OPENS_PER_DRAIN;
	t->drain++;
}

void perf_tables_free(struct perf_tables *t)
{
	perf_tables_end_drain(t);
	free(t->held);
	free(t->made);
	*t = (struct perf_tables){ 0 };
}

/* -1: not found. */
static int open_file(struct perf_tables *t, struct perf_image *image, uint64_t now)
{
	int fd;

	t->opens_left--;
	fd = perf_image_open(t->processes, image);
	if (fd >= 0 && !image->unwind.has_key && !unwind_key_of_fd(fd, &image->unwind.key))
		image->unwind.has_key = true;
	if (fd < 0 || !image->unwind.has_key)
		image->unwind.retry_at = now + RETRY_NS;
	return fd < 0 ? -1 : fd;
}

/* Look up the table; start building it if it is absent. PENDING: also if that cannot start yet. */
static enum unwind_state ask(struct perf_tables *t, struct perf_image *image,
			     const struct unwind_table **table)
{
	enum unwind_state state = UNWIND_ABSENT;
	uint64_t now;
	int fd;

	if (image->unwind.has_key)
		state = unwind_cache_get(t->cache, &image->unwind.key, -1, table, NULL);
	if (state != UNWIND_ABSENT)
		return state;
	now = perf_now();
	if (now < image->unwind.retry_at)
		return UNWIND_REFUSED;
	if (!t->opens_left)
		return UNWIND_PENDING;
	fd = open_file(t, image, now);
	if (fd < 0)
		return UNWIND_REFUSED;
	state = UNWIND_REFUSED;
	if (image->unwind.has_key)
		state = unwind_cache_get(t->cache, &image->unwind.key, fd, table, NULL);
	close(fd);
	return state == UNWIND_ABSENT ? UNWIND_PENDING : state;
}

static const struct op_unwind_table *vdso(const struct perf_tables *t)
{
	const struct unwind_table *table = unwind_cache_vdso(t->cache);

	return table ? table->blob : NULL;
}

bool perf_tables_get(struct perf_tables *t, struct perf_image *image,
		     const struct op_unwind_table **ret)
{
	struct perf_image_unwind *u = &image->unwind;

	if (image->anonymous) {
		*ret = strcmp(image->path, "[vdso]") ? NULL : vdso(t);
		return true;
	}
	if (u->drain != t->drain) {
		u->drain = t->drain;
		u->table = NULL;
		u->pending = ask(t, image, &u->table) == UNWIND_PENDING;
		xgrow(t->held, t->nr_held, t->room_held);
		t->held[t->nr_held++] = image;
	}
	*ret = u->table ? u->table->blob : NULL;
	return !u->pending;
}

static struct perf_made_table *find_made(struct perf_tables *t, uint32_t tgid, uint32_t window,
					 uint64_t since)
{
	for (size_t n = 0; n < t->nr_made; n++) {
		size_t i = (t->last_made + n) % t->nr_made;

		if (t->made[i].tgid == tgid && t->made[i].window == window &&
		    t->made[i].since == since) {
			t->last_made = i;
			return &t->made[i];
		}
	}
	return NULL;
}

static bool has_code(const struct op_unwind_table *table, uint32_t offset)
{
	const struct op_unwind_rule *rule = op_unwind_lookup(table, offset);

	return rule && rule->cfa != OP_CFA_NONE;
}

bool perf_tables_made(struct perf_tables *t, uint32_t tgid, uint64_t address, uint64_t since,
		      uint64_t time, const struct op_unwind_table **ret)
{
	const uint32_t window = unwind_window(address);
	struct perf_made_table *m = t->registered ? find_made(t, tgid, window, since) : NULL;

	if (t->registered && !m) {
		xgrow(t->made, t->nr_made, t->room_made);
		m = &t->made[t->nr_made++];
		*m = (struct perf_made_table){ tgid, window, since,
					       registered_table(t->registered, tgid, address,
								since) };
	}
	*ret = m && m->table ? m->table->blob : NULL;
	return !m || (*ret && has_code(*ret, (uint32_t)address)) ||
	       !registered_missed(t->registered, tgid, time);
}

void perf_tables_interpreted(struct perf_tables *t, uint32_t tgid, uint64_t object,
			     uint32_t number)
{
	uint64_t hash = hash_mix(hash_mix(hash_seed(), object), tgid);
	uint64_t *slot = &t->interpreted[hash % PERF_INTERPRETED];

	if (!t->registered || *slot == hash)
		return;
	*slot = hash;
	registered_want_object(t->registered, tgid, object, number);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tables.c - find the unwind table of an image
 *
 * A file is opened once to identify the binary, and again if its table must be built. That is a
 * slow search through /proc, so the number per drain is limited: further images use frame pointers
 * until the next drain [PC-85].
 */
#include "daemon/collect/perf/tables.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/image_fd.h"
#include "libutil/xalloc.h"

#define OPENS_PER_DRAIN	64
#define WAIT_NS		(40 * NS_PER_MS)	/* the rings have room for more than that */
#define RETRY_NS	(10 * NS_PER_SECOND)	/* for a file that could not be opened */

void perf_tables_init(struct perf_tables *t, struct unwind_cache *cache,
		      const struct perf_processes *processes)
{
	*t = (struct perf_tables){ .cache = cache, .processes = processes, .drain = 1,
				   .opens_left = OPENS_PER_DRAIN, .wait_left_ns = WAIT_NS };
}

void perf_tables_end_drain(struct perf_tables *t)
{
	for (size_t i = 0; i < t->nr_held; i++) {
		struct perf_image *image = t->held[i];

		if (image->unwind.table)
			unwind_cache_put(t->cache, image->unwind.table);
		image->unwind.table = NULL;
	}
	t->nr_held = 0;
	t->opens_left = OPENS_PER_DRAIN;
	t->wait_left_ns = WAIT_NS;
	t->drain++;
}

void perf_tables_free(struct perf_tables *t)
{
	perf_tables_end_drain(t);
	free(t->held);
	*t = (struct perf_tables){ 0 };
}

/* -1: not found, or not now. */
static int open_file(struct perf_tables *t, struct perf_image *image)
{
	uint64_t now = perf_now();
	int fd;

	if (!t->opens_left || now < image->unwind.retry_at)
		return -1;
	t->opens_left--;
	fd = perf_image_open(t->processes, image);
	if (fd >= 0 && !image->unwind.has_key && !unwind_key_of_fd(fd, &image->unwind.key))
		image->unwind.has_key = true;
	if (fd < 0 || !image->unwind.has_key)
		image->unwind.retry_at = now + RETRY_NS;
	return fd < 0 ? -1 : fd;
}

/* Look up the table; start building it if it is absent. */
static enum unwind_state ask(struct perf_tables *t, struct perf_image *image,
			     const struct unwind_table **table)
{
	enum unwind_state state = UNWIND_ABSENT;
	int fd;

	if (image->unwind.has_key)
		state = unwind_cache_get(t->cache, &image->unwind.key, -1, table, NULL);
	if (state != UNWIND_ABSENT)
		return state;
	fd = open_file(t, image);
	if (fd < 0)
		return state;
	if (image->unwind.has_key)
		state = unwind_cache_get(t->cache, &image->unwind.key, fd, table, NULL);
	close(fd);
	return state;
}

/* Most tables are built in less time than samples may wait, and a stack is walked only once. */
static void wait_for_any(struct perf_tables *t)
{
	struct pollfd made = { .fd = unwind_cache_fd(t->cache), .events = POLLIN };
	uint64_t before = perf_now(), waited;

	(void)poll(&made, 1, (int)(t->wait_left_ns / NS_PER_MS));
	unwind_cache_seen(t->cache);
	waited = perf_now() - before + NS_PER_MS / 2;
	t->wait_left_ns = waited < t->wait_left_ns ? t->wait_left_ns - waited : 0;
}

static const struct unwind_table *ask_and_wait(struct perf_tables *t, struct perf_image *image)
{
	const struct unwind_table *table = NULL;
	enum unwind_state state = ask(t, image, &table);

	while (state == UNWIND_PENDING && t->wait_left_ns >= NS_PER_MS) {
		wait_for_any(t);
		state = ask(t, image, &table);
	}
	return state == UNWIND_READY ? table : NULL;
}

static const struct op_unwind_table *vdso(const struct perf_tables *t)
{
	const struct unwind_table *table = unwind_cache_vdso(t->cache);

	return table ? table->blob : NULL;
}

const struct op_unwind_table *perf_tables_get(struct perf_tables *t, struct perf_image *image)
{
	if (image->anonymous)
		return strcmp(image->path, "[vdso]") ? NULL : vdso(t);
	if (image->unwind.drain != t->drain) {
		image->unwind.drain = t->drain;
		image->unwind.table = ask_and_wait(t, image);
		xgrow(t->held, t->nr_held, t->room_held);
		t->held[t->nr_held++] = image;
	}
	return image->unwind.table ? image->unwind.table->blob : NULL;
}

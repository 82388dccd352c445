/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h - the unwind tables of sampled images
 *
 * A table is held until the end of the drain, so that most lookups only read the image, and the
 * cache's bounded memory is pinned only by tables in use.
 */
#ifndef DAEMON_COLLECT_PERF_TABLES_H
#define DAEMON_COLLECT_PERF_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/perf/cookies.h"
#include "daemon/collect/perf/process.h"
#include "unwind/cache.h"
#include "unwind/table.h"

struct registered;

/* The table for code that a process made, in 4 GiB of its addresses. */
struct perf_made_table {
	uint32_t tgid, window;
	uint64_t since;				/* memory_since */
	const struct unwind_table *table;	/* NULL: none in this drain */
};

#define PERF_INTERPRETED	1024

struct perf_tables {
	struct unwind_cache *cache;		/* not owned */
	struct registered *registered;		/* not owned; NULL: such code has no tables */
	const struct perf_processes *processes;	/* not owned: to find the files */
	uint64_t drain;				/* number of the current one */
	unsigned int opens_left;		/* of files in this drain */
	struct perf_image **held;		/* images looked up in this drain */
	size_t nr_held, room_held;
	struct perf_made_table *made;		/* looked up in this drain */
	size_t nr_made, room_made, last_made;
	uint64_t interpreted[PERF_INTERPRETED];	/* hashes of objects wanted in this drain */
};

void perf_tables_init(struct perf_tables *t, struct unwind_cache *cache,
		      struct registered *registered, const struct perf_processes *processes);
void perf_tables_free(struct perf_tables *t);		/* all zero is fine */

/*
 * The table of @image, which has a cookie or is anonymous, or NULL: there is none. Valid until
 * perf_tables_end_drain(). False: it is being built, or will be; *ret is NULL.
 */
bool perf_tables_get(struct perf_tables *t, struct perf_image *image,
		     const struct op_unwind_table **ret);

/*
 * The table for code that the process @tgid has made at @address since the time @since, by the
 * lower 32 bits of addresses; or NULL. Valid until perf_tables_end_drain(). False: it lacks that
 * code, which ran at @time, but may soon have it.
 */
bool perf_tables_made(struct perf_tables *t, uint32_t tgid, uint64_t address, uint64_t since,
		      uint64_t time, const struct op_unwind_table **ret);

/* The code object @object, with its mark, is to be named by the runtime of that @number. */
void perf_tables_interpreted(struct perf_tables *t, uint32_t tgid, uint64_t object,
			     uint32_t number);

void perf_tables_end_drain(struct perf_tables *t);

#endif

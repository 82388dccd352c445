/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.h - a cache of the unwind tables of binaries, built in confined processes (apart.h)
 *
 * One table for each build ID, however many files, processes and cookies have it. The total size is
 * bounded; the least recently used tables are evicted. Binaries without a table are kept, too, with
 * the reason. Functions may be called from any thread, and never wait for a table. From [UT-60] on.
 */
#ifndef UNWIND_CACHE_H
#define UNWIND_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/runtime.h"
#include "unwind/table.h"

#define UNWIND_MEMORY_MB	64	/* default limit of all tables */
#define UNWIND_KEEP_SECONDS	30	/* a table used within that time is not evicted */

struct unwind_cache;

/* Identifies a binary, by its build ID if that can be trusted, else by the file. [UT-61] */
struct unwind_key {
	uint8_t bytes[32];
	uint32_t by_build_id;	/* bool; without padding, to be compared as a whole */
	uint32_t window;	/* of code made at run time: build.h; else 0 */
};

enum unwind_state {
	UNWIND_ABSENT,		/* never requested, evicted, or too many are pending: try again */
	UNWIND_PENDING,		/* being built */
	UNWIND_READY,
	UNWIND_REFUSED,		/* cannot be built; the next attempt is only after a while */
};

/* A table, which stays until unwind_cache_put(). */
struct unwind_table {
	const struct op_unwind_table *blob;
	size_t len;		/* bytes */
	struct op_runtime runtime;	/* the interpreter in the binary */
};

#define UNWIND_REASONS	10

struct unwind_cache_stats {
	uint64_t tables, bytes, limit;		/* ready ones; limit of bytes */
	uint64_t pending, built, evicted;
	uint64_t refused;			/* binaries without a table, by reason: */
	struct { const char *reason; uint64_t count; } refused_for[UNWIND_REASONS];
	uint64_t build_ns;			/* CPU time of building them */
};

/*
 * For at most @limit bytes of tables. Starts threads with all signals blocked; a child of fork()
 * does not have them.
 */
int unwind_cache_create(size_t limit, struct unwind_cache **ret);
/* All tables must have been put. NULL is fine; returns NULL. */
struct unwind_cache *unwind_cache_destroy(struct unwind_cache *cache);

/* The key of the file open at @fd, whose position does not change. 0 or -errno; -ETIMEDOUT: its
 * file system hangs. */
int unwind_key_of_fd(int fd, struct unwind_key *ret);

/*
 * Get the table of @key. If it is absent and @fd is not -1, building it from that file begins (@fd
 * stays the caller's). READY: *ret is the table, to be put. REFUSED: *ret_reason, unless NULL, is
 * the reason (static text).
 */
enum unwind_state unwind_cache_get(struct unwind_cache *cache, const struct unwind_key *key,
				   int fd, const struct unwind_table **ret,
				   const char **ret_reason);
void unwind_cache_put(struct unwind_cache *cache, const struct unwind_table *table);

/* The table of the running kernel's vdso, or NULL. Valid as long as the cache. */
const struct unwind_table *unwind_cache_vdso(const struct unwind_cache *cache);

/* Readable (poll) after a PENDING table becomes READY or REFUSED, until unwind_cache_seen(). */
int unwind_cache_fd(const struct unwind_cache *cache);
void unwind_cache_seen(struct unwind_cache *cache);

void unwind_cache_stats(struct unwind_cache *cache, struct unwind_cache_stats *ret);

/* Replace UNWIND_KEEP_SECONDS, for tests. */
void unwind_cache_keep(struct unwind_cache *cache, unsigned int seconds);

#endif

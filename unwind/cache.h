/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.h - the unwind tables of all binaries seen, made in a thread of their own
 *
 * One table for each build-id, however many files, processes and cookies have it. All tables
 * together stay below a bound; the ones not used for longest go. Binaries without a table are
 * remembered too, and why. Calls may come from any thread; none waits for a table. [UT-60]...
 */
#ifndef UNWIND_CACHE_H
#define UNWIND_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "unwind/table.h"

#define UNWIND_MEMORY_MB	64	/* of tables, unless told */
#define UNWIND_KEEP_SECONDS	30	/* a table used that lately is not given up for another */

struct unwind_cache;

/* Which binary: by its build-id if that can be trusted, else by the file's identity. [UT-61] */
struct unwind_key {
	uint8_t bytes[32];
	bool by_build_id;
};

enum unwind_state {
	UNWIND_ABSENT,		/* never asked for, gone since, or too many wait: ask again */
	UNWIND_PENDING,		/* being made */
	UNWIND_READY,
	UNWIND_REFUSED,		/* there is none; asking again makes no difference for a while */
};

/* A table that is held, and so stays, until unwind_cache_put(). */
struct unwind_table {
	const struct op_unwind_table *blob;
	size_t len;		/* bytes */
};

#define UNWIND_REASONS	9

struct unwind_cache_stats {
	uint64_t tables, bytes, limit;		/* ready ones; limit of bytes */
	uint64_t pending, built, evicted;
	uint64_t refused;			/* binaries without a table, by reason: */
	struct { const char *reason; uint64_t count; } refused_for[UNWIND_REASONS];
	uint64_t build_ns;			/* CPU time spent on making them */
};

/*
 * At most @limit bytes of tables. -errno; on success *ret is the caller's to destroy. Starts a
 * thread with all signals blocked: after fork() in a child there is none.
 */
int unwind_cache_create(size_t limit, struct unwind_cache **ret);
/* Nothing may be held any more. NULL is fine; returns NULL. */
struct unwind_cache *unwind_cache_destroy(struct unwind_cache *cache);

/* Key of the file open at @fd, which keeps its position. 0 or -errno of fstat(). */
int unwind_key_of_fd(int fd, struct unwind_key *ret);

/*
 * The table of @key. If it is absent and @fd is not -1, it is begun from that file (@fd remains
 * the caller's). READY: *ret is held. REFUSED: *ret_reason, if wanted, says why (static text).
 */
enum unwind_state unwind_cache_get(struct unwind_cache *cache, const struct unwind_key *key,
				   int fd, const struct unwind_table **ret,
				   const char **ret_reason);
void unwind_cache_put(struct unwind_cache *cache, const struct unwind_table *table);

/* The running kernel's vdso; NULL if there is none. Lives as long as the cache. */
const struct unwind_table *unwind_cache_vdso(const struct unwind_cache *cache);

/* Readable (poll) since something PENDING became READY or REFUSED; unwind_cache_seen() ends it. */
int unwind_cache_fd(const struct unwind_cache *cache);
void unwind_cache_seen(struct unwind_cache *cache);

void unwind_cache_stats(struct unwind_cache *cache, struct unwind_cache_stats *ret);

/* Another time than UNWIND_KEEP_SECONDS, for tests. */
void unwind_cache_keep(struct unwind_cache *cache, unsigned int seconds);

#endif

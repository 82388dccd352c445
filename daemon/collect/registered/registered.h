/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registered.h - code made at run time, as its processes registered it for debuggers
 *
 * A process that is sampled in such code is looked at now and then by a thread of this, which keeps
 * a copy of what it has registered by GDB's JIT interface: ELF images with symbols, which name the
 * code (daemon/jit/), and call frame information, from which unwind tables are built. All of it is
 * bounded: doc/jit.md [JT-60] ff. Functions may be called from any thread, and wait for nothing.
 */
#ifndef DAEMON_COLLECT_REGISTERED_REGISTERED_H
#define DAEMON_COLLECT_REGISTERED_REGISTERED_H

#include <stdbool.h>
#include <stdint.h>
#include "unwind/cache.h"

struct registered;

/*
 * @cache: for tables, must outlive it; NULL: none are wanted. Starts a thread with all signals
 * blocked; a child of fork() does not have it. 0 or -errno.
 */
int registered_create(struct unwind_cache *cache, struct registered **ret);
/* NULL is fine; returns NULL. */
struct registered *registered_destroy(struct registered *r);

/*
 * The process is sampled in code that it made, in memory from @start up to @end (both 0: unknown):
 * look at it, unless that was just done.
 */
void registered_want(struct registered *r, uint32_t tgid, uint64_t start, uint64_t end);

/*
 * There is no table for code that was sampled at @time, by now_ns(): look at the process as soon as
 * its time allows. True: that is to come, or the table is being built.
 */
bool registered_missed(struct registered *r, uint32_t tgid, uint64_t time);

/* A descriptor of the last copy, the caller's; or -1: none. */
int registered_copy(struct registered *r, uint32_t tgid);

/*
 * The process is sampled in the interpreted code @object (address and mark) of the runtime of that
 * @number: read its name, once.
 */
void registered_want_object(struct registered *r, uint32_t tgid, uint64_t object, uint32_t number);

/* A descriptor of all such objects that were read (libutil/opener/objects.h), or -1. */
int registered_objects(struct registered *r, uint32_t tgid);

/* Wait until everything wanted and due was looked at, and all code objects, for at most @ns. */
void registered_wait(struct registered *r, uint64_t ns);

/*
 * The table for the code at @address, by its lower 32 bits, to be put back to the cache; or NULL.
 * It is of memory that the process has had since the time @since, by now_ns(). Includes
 * registered_want().
 */
const struct unwind_table *registered_table(struct registered *r, uint32_t tgid, uint64_t address,
					    uint64_t since);

/*
 * For a collector that is given tables: the next one that is new, to be put back to the cache, and
 * the number of its 4 GiB of addresses; or NULL. Each is returned once, those that are gone first.
 */
const struct unwind_table *registered_next_new(struct registered *r, uint32_t *ret_tgid,
					       uint32_t *ret_number);
/* The next one of those whose process has ended or was forgotten, or that it no longer has. False:
 * none. */
bool registered_next_gone(struct registered *r, uint32_t *ret_tgid, uint32_t *ret_number);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * push_tables.h - push unwind tables to a collector for the cookies that it wants them for
 *
 * The file of a cookie is available only once (OP_IOC_COOKIE_FD), when the cookie is resolved
 * (daemon/record/cookie.h): then its key is stored and its table started. A table that is wanted
 * before it is ready is pushed by a later unwind_push_turn(). A table that several cookies share is
 * pushed once. [CC-51]
 */
#ifndef DAEMON_COLLECT_MODULE_PUSH_TABLES_H
#define DAEMON_COLLECT_MODULE_PUSH_TABLES_H

#include "daemon/collect/collector.h"
#include "unwind/cache.h"

struct unwind_push;

struct registered;

/*
 * For a collector with unwind_table(); all must outlive it. @registered: tables of code that
 * processes made are pushed, too; or NULL.
 */
struct unwind_push *unwind_push_new(struct collector *collector, struct unwind_cache *cache,
				    struct registered *registered);
void unwind_push_free(struct unwind_push *p);	/* NULL is fine */

/* @fd is the file of @cookie; the caller keeps it. */
void unwind_push_file(void *p, op_word cookie, int fd);

/* The collector wants the table of @cookie. unwind_push_file() came before if there is a file. */
void unwind_push_want(struct unwind_push *p, op_word cookie);

/* The cookie ended: nothing is pushed for it any more. */
void unwind_push_forget(struct unwind_push *p, op_word cookie);

/* Push tables that became ready, the vdso's first. Call after every drain. */
void unwind_push_turn(struct unwind_push *p);

/* Readable (poll) when a turn can push a table that is waited for; -1: none is. */
int unwind_push_fd(const struct unwind_push *p);

struct unwind_push_stats {
	uint64_t pushed;		/* tables, shared ones once per cookie */
	uint64_t waiting;		/* cookies */
	uint64_t without;		/* cookies that got no table */
};
void unwind_push_stats(const struct unwind_push *p, struct unwind_push_stats *ret);

#endif

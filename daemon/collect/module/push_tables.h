/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * push_tables.h - from the cookies that a collector wants unwind tables for to pushing them there
 *
 * The file of a cookie can be had once (OP_IOC_COOKIE_FD), when it is resolved
 * (daemon/record/cookie.h): then its key is kept and its table begun. A table that is wanted
 * before it is ready is pushed by a later unwind_push_turn(). A table that another cookie's image
 * has, too, is pushed once. [CC-51]
 */
#ifndef DAEMON_COLLECT_MODULE_PUSH_TABLES_H
#define DAEMON_COLLECT_MODULE_PUSH_TABLES_H

#include "daemon/collect/collector.h"
#include "unwind/cache.h"

struct unwind_push;

/* For a collector with unwind_table(); both must outlive it. */
struct unwind_push *unwind_push_new(struct collector *collector, struct unwind_cache *cache);
void unwind_push_free(struct unwind_push *p);	/* NULL is fine */

/* @fd is the file of @cookie; it stays the caller's. */
void unwind_push_file(void *p, op_word cookie, int fd);

/* The collector wants the table of @cookie, whose file was told if it could be had. */
void unwind_push_want(struct unwind_push *p, op_word cookie);

/* Push what became ready: after every drain. The first time the vdso's. */
void unwind_push_turn(struct unwind_push *p);

struct unwind_push_stats {
	uint64_t pushed;		/* tables, and shares in one */
	uint64_t waiting;		/* cookies */
	uint64_t without;		/* cookies that were wanted and got none */
};
void unwind_push_stats(const struct unwind_push *p, struct unwind_push_stats *ret);

#endif

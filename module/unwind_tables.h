/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_tables.h - the tables that user stacks are walked by, as the daemon pushed them
 *
 * An image is what a cookie stands for, as far as walks go: it may have a table, which it may share
 * with others. Images stay until the buffer is closed; a table that is taken away is freed once no
 * walk can be using it (RCU). An image that a walk came through without a table is asked for, once.
 */
#ifndef MODULE_UNWIND_TABLES_H
#define MODULE_UNWIND_TABLES_H

#include <linux/llist.h>
#include <linux/rcupdate.h>
#include "oprofilefs/op_abi.h"
#include "unwind/table.h"

struct op_shared_table;

struct op_image {
	struct hlist_node node;
	op_word cookie;
	const struct op_unwind_table __rcu *table;
	struct op_shared_table *shared;		/* what table is part of */
	unsigned long asked;			/* bit 0: is on the list or has been */
	struct llist_node asking;
};

/* [task] 0 or -ENOMEM. @limit: bytes for all that walks need, as op_unwind_memory_take() counts. */
int op_unwind_tables_alloc(u64 limit);
void op_unwind_tables_free(void);			/* [task] nothing samples, no maps */
bool op_unwind_tables_wanted(void);			/* limit is not 0; any context */

/* The image of @cookie, made the first time; NULL: no memory.			[task] */
struct op_image *op_image_get(op_word cookie);

/* Under rcu_read_lock(). NULL: none.						[nmi] */
static inline const struct op_unwind_table *op_image_table(const struct op_image *image)
{
	return rcu_dereference(image->table);
}

/* A walk came through it, and it has no table.					[nmi] */
void op_image_missed(struct op_image *image);

/*
 * Have @say tell of each image missed and not told of; what it returns false for stays to be told.
 * How many were told.								[task] the sync
 */
unsigned int op_images_tell_missed(bool (*say)(op_word cookie));

/* OP_IOC_UNWIND_TABLE (op_abi.h).						[task] */
int op_unwind_push(const struct op_unwind_push __user *arg);

/*
 * Memory for walks: tables may take all of the limit, maps a quarter. false: too much. [task]
 */
enum op_unwind_use { OP_UNWIND_FOR_TABLES, OP_UNWIND_FOR_MAPS, OP_NR_UNWIND_USES };
bool op_unwind_memory_take(enum op_unwind_use use, size_t bytes);
void op_unwind_memory_give(enum op_unwind_use use, size_t bytes);	/* [softirq] */

/* Of the last time the buffer was open; also by files of oprofilefs. */
u64 op_unwind_nr_tables(void);
u64 op_unwind_bytes(void);
u64 op_unwind_nr_refused(void);

#endif

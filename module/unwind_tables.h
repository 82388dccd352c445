/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_tables.h - unwind tables for user stacks, pushed by the daemon
 *
 * An image is what a cookie stands for. It may have a table, which it may share with others. It
 * stays while maps (maps.h) use it and until its cookie ends; that of code which a process made in
 * 4 GiB of its memory until the daemon removes it. A replaced table is freed once no walk can be
 * using it (RCU). If a walk comes through a file's image without a table, the table is requested
 * once.
 */
#ifndef MODULE_UNWIND_TABLES_H
#define MODULE_UNWIND_TABLES_H

#include <linux/llist.h>
#include <linux/rcupdate.h>
#include "oprofilefs/op_abi.h"
#include "unwind/table.h"

struct mm_struct;
struct op_shared_table;

struct op_image {
	struct hlist_node node;
	op_word cookie;
	const struct mm_struct *mm;		/* whose made code it is, compared only; or NULL */
	atomic_t users;				/* maps, and the list */
	const struct op_unwind_table __rcu *table;
	struct op_shared_table *shared;		/* contains table */
	unsigned long asked;			/* bit 0: is or has been on the list */
	struct llist_node asking;
};

/* [task] 0 or -ENOMEM. @limit: bytes, see op_unwind_memory_take(). */
int op_unwind_tables_alloc(u64 limit);
void op_unwind_tables_free(void);			/* [task] nothing samples, no maps */
bool op_unwind_tables_wanted(void);			/* limit is not 0; any context */

/* The image of @cookie, created if new, with one more user; NULL: no memory.	[task] */
struct op_image *op_image_get(op_word cookie);
/* That of OP_COOKIE_MADE, if it was pushed for @mm; or NULL.			[task] */
struct op_image *op_image_get_made(op_word cookie, const struct mm_struct *mm);
void op_image_put(struct op_image *image);	/* NULL is fine	[softirq] */

/* @cookie ends: free its image. false: it has users.				[task] */
bool op_image_release(op_word cookie);

/* Under rcu_read_lock(). NULL: none.						[nmi] */
static inline const struct op_unwind_table *op_image_table(const struct op_image *image)
{
	return rcu_dereference(image->table);
}

/* A walk came through @image, which has no table: request it.			[nmi] */
void op_image_missed(struct op_image *image);

/*
 * Call @report for each missed image not yet reported; those for which it fails are tried again
 * next time. The number reported.						[task] the sync
 */
unsigned int op_images_report_missed(bool (*report)(op_word cookie));

/* OP_IOC_UNWIND_TABLE (op_abi.h).						[task] */
int op_unwind_push(const struct op_unwind_push __user *arg);

/*
 * Account for memory: tables may use all of the limit, maps a quarter. false: too much. [task]
 */
enum op_unwind_use { OP_UNWIND_FOR_TABLES, OP_UNWIND_FOR_MAPS, OP_NR_UNWIND_USES };
bool op_unwind_memory_take(enum op_unwind_use use, size_t bytes);
void op_unwind_memory_give(enum op_unwind_use use, size_t bytes);	/* [softirq] */

/* Since the buffer was last opened; for files of oprofilefs. */
u64 op_unwind_nr_tables(void);
u64 op_unwind_bytes(void);
u64 op_unwind_nr_refused(void);

#endif

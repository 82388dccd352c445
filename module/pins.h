/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pins.h - keep what samples point at alive until they have been translated
 *
 * A sample in a ring names its process by the number mm. Between the interrupt and the sync the
 * process may exit, exec or unmap, so:
 *
 *  - The first sample of a process on a CPU in a generation pins its mm: the struct stays
 *    (mmgrab), the address space does not, and the reference keeps the number from being given
 *    to another process. The pin also keeps the file it runs, for the application's name.
 *  - A mapping of a pinned process that goes away is logged with its file before it does
 *    (hooks.c), under a running number. A sample carries the number current when it was taken: it
 *    lay in the first such mapping logged under that number or later, else in what is still
 *    mapped.
 *  - Pins and log entries belong to a generation. The sync drops them once every ring has been
 *    read past that generation.
 *
 * Where mappings can't be watched (no kprobes), the whole address space is kept instead until the
 * sync: exited processes still resolve, addresses used again in between do not.
 *
 * Both tables are fixed in size: when full, the samples concerned are counted lost.
 */
#ifndef MODULE_PINS_H
#define MODULE_PINS_H

#include <linux/list.h>
#include <linux/types.h>
#include "oprofilefs/op_abi.h"

struct file;
struct irq_work;
struct mm_struct;
struct op_cpu_buffer;
struct vm_area_struct;

struct op_pin {
	struct hlist_node node;		/* in the table, or on the free list */
	struct mm_struct *mm;
	struct file *exe;		/* what it runs; may be NULL */
	op_word app;			/* cookie of exe once asked for; the sync's */
	bool app_known;
	bool holds_users;		/* mmget(), not mmgrab() */
	u32 generation;			/* the last one it was used in */

	struct list_head unmaps;	/* oldest first */
	u32 nr_unmaps;
};

/* 0 or -ENOMEM. @hold_users: keep address spaces whole, mappings are not watched. */
int op_pins_alloc(void);						/* [task] */
void op_pins_free(void);						/* [task] all dropped */
void op_pins_hold_users(bool hold);					/* [task] before sampling */

/* Pin the running process for @generation. false: the table is full.	[irq] */
bool op_pin_current(struct op_cpu_buffer *b, u32 generation);
void op_pin_work(struct irq_work *work);				/* [irq] */

u32 op_unmap_sequence(void);						/* [nmi] */

/* [@start, @end) of @vma, executable and of a file, is about to go.	[preemption off] */
void op_unmap_log(struct vm_area_struct *vma, unsigned long start, unsigned long end);

/* What is pinned under the number @mm, until op_pins_drop().		[task] the sync */
struct op_pin *op_pin_find(u64 mm);

/*
 * The file that was mapped at @pc of a pinned process when sequence was @sequence, if that mapping
 * went away since; with its reference and the offset of @pc in *ret_offset. @any: also one logged
 * before @sequence, for samples taken while it went.			[task] the sync
 */
struct file *op_unmap_find(struct op_pin *p, unsigned long pc, u32 sequence, bool any,
			   u64 *ret_offset);

/* Let go of what only generations up to @upto needed.			[task] the sync */
void op_pins_drop(u32 upto);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pins.h - keep processes known until their samples have been translated
 *
 * A sample in a ring identifies its process by the number mm. Between the interrupt and the sync
 * the process may exit, exec or unmap, so:
 *
 *  - The first sample of a process on a CPU in a generation pins its mm. The struct stays (mmgrab),
 *    the address space does not; the reference prevents another process from getting the same
 *    number. The pin also holds the executable, for the application's name.
 *  - Before a mapping of a pinned process is removed, it is logged with its file (hooks.c), under a
 *    sequence number. A sample has the number current when it was taken: it lies in the first
 *    matching mapping logged under that number or later, else in a current mapping.
 *  - Pins and log entries belong to a generation. The sync drops them once every ring has been
 *    read past that generation.
 *
 * If mappings cannot be watched (no kprobes), the whole address space is kept until the sync: the
 * samples of exited processes still resolve, those in address ranges reused meanwhile do not.
 *
 * Both tables have a fixed size: when they are full, the samples concerned are counted lost.
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
	struct file *exe;		/* the executable; may be NULL */
	op_word app;			/* cookie of exe in pass app_pass; private to the sync */
	u32 app_pass;			/* 0: none */
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

/* [@start, @end) of @vma, executable and of a file, is being removed.	[preemption off] */
void op_unmap_log(struct vm_area_struct *vma, unsigned long start, unsigned long end);

/* What is pinned under the number @mm, until op_pins_drop().		[task] the sync */
struct op_pin *op_pin_find(u64 mm);

/*
 * The file that was mapped at @pc of a pinned process when the sequence was @sequence, if it has
 * been unmapped since; with a reference, and the offset of @pc in *ret_offset. @any: also one
 * logged before @sequence, for samples taken during the unmap.		[task] the sync
 */
struct file *op_unmap_find(struct op_pin *p, unsigned long pc, u32 sequence, bool any,
			   u64 *ret_offset);

/* Release what only generations up to @upto needed.			[task] the sync */
void op_pins_drop(u32 upto);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_buffer.h - one ring of samples per CPU, written by the interrupt
 *
 * The interrupt is the only writer of its CPU's ring and buffer_sync the only reader (ring.h), so
 * neither side takes a lock.
 *
 * Order of calls:  alloc, then any number of samples and drains, then free.
 * Contexts:        [nmi]   any, NMI included: no locks, no allocation, no printk, no faults
 *                  [irq]   hard interrupt, interrupts off
 *                  [task]  may sleep
 */
#ifndef MODULE_CPU_BUFFER_H
#define MODULE_CPU_BUFFER_H

#include <linux/irq_work.h>
#include <linux/percpu.h>
#include "module/ring.h"

struct mm_struct;
struct pt_regs;

struct op_cpu_buffer {
	struct op_ring ring;
	u64 *callers;			/* the interrupt's, of the sample it takes; or NULL */

	/* The process this CPU pinned last, and in which generation; of this CPU alone. */
	struct mm_struct *pinned_mm;
	u32 pinned_generation;		/* 0: none */
	struct irq_work pin_work;	/* pins after an NMI, which can't */

	/* The sync's: whose samples come next in the ring, and since when it can't go on there. */
	struct op_owner reader;
	unsigned long stuck_since;	/* jiffies; 0: is not stuck */
};
DECLARE_PER_CPU(struct op_cpu_buffer, op_cpu_buffers);

/*
 * Make one ring for every possible CPU, of at least @entries entries and two samples with @depth
 * callers, which samples are to have from now on (0: none).			[task]
 * 0 or -ENOMEM; on error nothing is left allocated.
 */
int op_cpu_buffers_alloc(unsigned long entries, unsigned long depth);
void op_cpu_buffers_free(void);							/* [task] */

/*
 * Log a sample of counter @event at @regs on this CPU, or count it lost.	[nmi]
 * To be called with interrupts off, or from an NMI.
 */
void op_sample(struct pt_regs *regs, unsigned int event);

/*
 * As op_sample(), of instruction-based sampling, with the address @pc and the @nr registers (at
 * most OP_RING_DATA) that the CPU wrote down: to become a note of @code.	[nmi]
 */
void op_sample_ibs(struct pt_regs *regs, unsigned long pc, unsigned int code, const u64 *data,
		   unsigned int nr);

#endif

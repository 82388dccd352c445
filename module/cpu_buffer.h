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
	u64 *callers;			/* of the sample being taken; or NULL */

	/* The process this CPU pinned last, and the generation; used by this CPU only. */
	struct mm_struct *pinned_mm;
	u32 pinned_generation;		/* 0: none */
	struct irq_work pin_work;	/* pins on behalf of an NMI */

	/*
	 * Private to the sync: the owner of the next samples, and samples that are tried again in
	 * the next pass, with the owner of the next of those.
	 */
	struct op_owner reader, aside_reader;
	struct op_ring aside;
};
DECLARE_PER_CPU(struct op_cpu_buffer, op_cpu_buffers);

/*
 * Allocate two rings for every possible CPU, with room for at least @entries entries and two
 * samples with @depth callers. From now on samples have up to @depth callers (0: none), and those
 * of the idle task are only counted unless @idle.				[task]
 * 0 or -ENOMEM; on error nothing is left allocated.
 */
int op_cpu_buffers_alloc(unsigned long entries, unsigned long depth, bool idle);
void op_cpu_buffers_free(void);							/* [task] */

/* Others use the counters that make the samples: those from now on are counted as disturbed. */
extern bool op_disturbed;

/*
 * Log a sample of counter @event at @regs on this CPU, or count it lost.	[nmi]
 * Call with interrupts off or from an NMI.
 */
void op_sample(struct pt_regs *regs, unsigned int event);

/*
 * As op_sample(), for instruction-based sampling: with the address @pc and the @nr registers (at
 * most OP_RING_DATA) that the CPU recorded, for a note of @code.		[nmi]
 */
void op_sample_ibs(struct pt_regs *regs, unsigned long pc, unsigned int code, const u64 *data,
		   unsigned int nr);

#endif

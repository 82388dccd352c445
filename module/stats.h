/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h - how many samples were delivered or lost, per CPU
 *
 * Once the rings are drained, on each CPU exactly [FS-20]:
 *
 *	received = delivered + every other *_lost_*, invalid_eip and idle
 *
 * Each counter has one writer: the CPU's interrupt, or the sync (under its mutex).
 */
#ifndef MODULE_STATS_H
#define MODULE_STATS_H

#include <linux/percpu.h>

enum op_stat {
	/* counted by the CPU's interrupt */
	OP_STAT_RECEIVED,
	OP_STAT_LOST_OVERFLOW,		/* no room in the CPU's ring */
	OP_STAT_INVALID_EIP,		/* the address was the escape value */
	OP_STAT_IDLE,			/* of the idle task, and left out */
	OP_STAT_DISTURBED,		/* received while others used the counters, too */
	OP_STAT_THROTTLED,		/* periods that passed without a sample: not received */
	OP_STAT_BACKTRACE_ABORTED,	/* stacks cut short by a failed check; samples stay */
	OP_STAT_BY_TIMER,		/* received by a timer, if the others come by NMI */
	OP_STAT_SWITCHES,		/* from one set of counters to the next: not samples */
	/* counted by an NMI that hits that interrupt: received, and lost to overflow */
	OP_STAT_NESTED,
	/* counted by the sync */
	OP_STAT_LOST_EVENT_OVERFLOW,	/* no room in the event buffer */
	OP_STAT_LOST_NO_MM,		/* the process could not be pinned */
	OP_STAT_LOST_NO_MAPPING,	/* no mapping at the address */
	OP_STAT_LOST_NO_IMAGE,		/* its image has no path, or there was no room for it */
	OP_STAT_DELIVERED,
	OP_STAT_CALLER_NO_MAPPING,	/* stacks cut short at a caller without a mapping */
	/* counted by the model's watch */
	OP_STAT_EVENT_ERRORS,		/* seconds that an event had no counter in: not samples */
	OP_NR_STATS
};

struct op_stats {
	unsigned long n[OP_NR_STATS];
};
DECLARE_PER_CPU(struct op_stats, op_stats);

static inline void op_count_here(enum op_stat s, unsigned long n)	/* [nmi] */
{
	this_cpu_add(op_stats.n[s], n);		/* atomic even if an NMI counts the same */
}

static inline void op_count(unsigned int cpu, enum op_stat s)		/* [task] the sync */
{
	unsigned long *p = &per_cpu(op_stats, cpu).n[s];

	WRITE_ONCE(*p, *p + 1);
}

static inline void op_count_many(unsigned int cpu, enum op_stat s, unsigned long n)	/* [task] */
{
	unsigned long *p = &per_cpu(op_stats, cpu).n[s];

	/* of a counter whose own writer is idle on that CPU */
	WRITE_ONCE(*p, *p + n);
}

void op_stats_reset(void);				/* [task] nothing samples */
unsigned long op_stat_read(unsigned int cpu, unsigned int stat);	/* any context */
unsigned long op_stat_sum(unsigned int stat);		/* over all CPUs */

#endif

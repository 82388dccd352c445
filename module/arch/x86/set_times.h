/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * set_times.h - how long a CPU sampled, and how long each set of counters counted
 *
 * Counts are scaled by the ratio of the two. Written by the CPU itself with interrupts off; may be
 * read from anywhere meanwhile. All times are ktime_get_ns().
 */
#ifndef MODULE_ARCH_X86_SET_TIMES_H
#define MODULE_ARCH_X86_SET_TIMES_H

#include <linux/seqlock.h>
#include "module/counter.h"

struct op_set_times {
	seqcount_t seq;
	u64 enabled, ran[OP_MAX_VIRTUAL];	/* completed spans */
	bool sampling;
	u64 began;				/* when sampling did */
	unsigned int set;			/* the one that counts, */
	u64 since;				/* since then */
};

void op_set_times_reset(struct op_set_times *t);
void op_set_times_start(struct op_set_times *t, unsigned int set, u64 now);
void op_set_times_stop(struct op_set_times *t, u64 now);

/* The current set counted until @halted; @set counts from @now on. */
void op_set_times_switch(struct op_set_times *t, unsigned int set, u64 halted, u64 now);

/* Add this CPU's times to both. */
void op_set_times_add(const struct op_set_times *t, unsigned int set, u64 *enabled, u64 *running);

#endif

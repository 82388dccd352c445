/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * set_times.h - for how long a CPU sampled, and for how much of it each set of counters counted
 *
 * What a counter found is scaled by the two. Written by the CPU itself, its interrupts off, and
 * read from anywhere while it goes on. All times are ktime's, in ns.
 */
#ifndef MODULE_ARCH_X86_SET_TIMES_H
#define MODULE_ARCH_X86_SET_TIMES_H

#include <linux/seqlock.h>
#include "module/counter.h"

struct op_set_times {
	seqcount_t seq;
	u64 enabled, ran[OP_MAX_VIRTUAL];	/* what is over */
	bool sampling;
	u64 began;				/* sampling, */
	unsigned int set;			/* and this set counts */
	u64 since;
};

void op_set_times_reset(struct op_set_times *t);
void op_set_times_start(struct op_set_times *t, unsigned int set, u64 now);
void op_set_times_stop(struct op_set_times *t, u64 now);

/* The set that counted did so until @halted, and @set does from @now on. */
void op_set_times_switch(struct op_set_times *t, unsigned int set, u64 halted, u64 now);

/* Adds to both. */
void op_set_times_add(const struct op_set_times *t, unsigned int set, u64 *enabled, u64 *running);

#endif

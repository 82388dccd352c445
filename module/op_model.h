/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * op_model.h - what makes samples: a family of counters, or a timer
 *
 * Everything above asks only this table. Order of calls: start and stop alternate, all in task
 * context under the state mutex; between them op_sample() is called on the online CPUs, also on
 * those that come online in between. When stop returns none is called any more.
 */
#ifndef OP_MODEL_H
#define OP_MODEL_H

#include <linux/types.h>

struct op_model {
	const char *cpu_type;		/* file "cpu_type"; names a folder in events/ */
	int (*start)(void);		/* 0 or -errno; on error nothing samples */
	void (*stop)(void);
};

extern const struct op_model op_model_timer;

/* The timer's set-up. Counts are in cycles of the nominal clock. */
extern unsigned long op_timer_count;
unsigned long op_timer_clock_khz(void);
unsigned long op_timer_min_count(void);		/* of OP_TIMER_MIN_PERIOD_NS, rounded up */
unsigned long op_timer_max_count(void);
u64 op_timer_period_ns(void);			/* of op_timer_count */
int op_timer_init(void);			/* at load: 0, or -EINVAL for a bad clock_khz */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * op_model.h - a model makes samples: a family of counters, or a timer
 *
 * Everything above uses only this table. One model is chosen at load and stays (models.c). All
 * calls are in task context, after the first probe under the state mutex, in this order:
 *
 *	probe, then any number of  setup, { start, stop }..., shutdown
 *
 * Between start and stop the model calls op_sample() on all online CPUs, including those that come
 * online meanwhile. After stop returns, it calls it no more.
 */
#ifndef MODULE_OP_MODEL_H
#define MODULE_OP_MODEL_H

#include <linux/types.h>
#include "module/counter.h"
#include "module/op_ibs.h"

struct op_model {
	const char *name;		/* module parameter "model", files "model" and "models" */

	/* 0, or -errno and why this machine cannot; the answer may change. NULL: 0 */
	int (*probe)(struct op_reason *why);
	const char *(*cpu_type)(void);	/* file "cpu_type"; a folder in events/. NULL: "timer" */
	unsigned int (*nr_counters)(void); /* at most OP_MAX_COUNTERS. NULL: 0, samples by time */

	/*
	 * Since setup, over all CPUs: how long counter @n was enabled, and how long of that it
	 * counted, in ns. Outputs stay untouched for an unused counter. NULL: has no counters.
	 */
	void (*times)(unsigned int n, u64 *ret_enabled, u64 *ret_running);

	/*
	 * Claim what is needed and apply op_counters. 0; -EDOM and why: a counter cannot count what
	 * it is asked to; else -errno and why. NULL: nothing to do.
	 */
	int (*setup)(struct op_reason *why);
	void (*shutdown)(void);		/* undoes setup */

	int (*start)(void);		/* 0 or -errno; on error nothing samples */
	void (*stop)(void);
	/* Between start and stop, each second: check that nobody interferes. NULL: nobody can. */
	void (*watch)(void);
};

extern const struct op_model op_model_intel, op_model_amd, op_model_perf, op_model_nmi_ipi;
extern const struct op_model op_model_timer;
extern const struct op_model op_model_ibs;	/* alone, or beside a model with counters */

/* What the tools call this CPU; a folder in events/. */
const char *op_x86_cpu_type(void);

/* The OP_EXTRA_* bits that this CPU's select registers have. */
unsigned long op_x86_extra_mask(void);

/* Set through oprofilefs, only while idle; the first op_model_nr_virtual() exist. */
extern struct op_counter op_counters[OP_MAX_VIRTUAL];

/* Likewise: how long, in ms, a set of counters counts before the next one. */
extern unsigned long op_time_slice;

/*
 * Choose the model. -EINVAL: unknown name. A named model that cannot work here is no error yet:
 * op_model_setup() then fails, and "models" gives the reason.
 */
int op_models_init(void);

/* Of the chosen model. */
const char *op_model_cpu_type(void);
unsigned int op_model_nr_counters(void);
unsigned int op_model_nr_virtual(void);		/* whole sets of counters */

/* The model that samples or will: the chosen one or, if no counter is enabled, IBS or the timer. */
const char *op_model_name(void);
/* "NAME: chosen", "NAME: possible" or "NAME: impossible: WHY", a line each, into @buf. */
void op_models_print(char *buf, size_t size);

/*
 * The calls of the model that samples. setup: 0; -ENODEV: it cannot at present; -EDOM: a counter
 * cannot count what it is asked to ("models" gives the reason); or -ENOMEM.
 */
int op_model_setup(void);
void op_model_shutdown(void);
int op_model_start(void);
void op_model_stop(void);

/* Of the model that samples or did last; 0 for unused counters. Under the state mutex. */
void op_model_times(unsigned int n, u64 *ret_enabled, u64 *ret_running);

/* The timer's settings. Counts are in cycles of the nominal clock. */
extern unsigned long op_timer_count;
unsigned long op_timer_clock_khz(void);
unsigned long op_timer_min_count(void);		/* of OP_TIMER_MIN_PERIOD_NS, rounded up */
unsigned long op_timer_max_count(void);
u64 op_timer_period_ns(void);			/* of op_timer_count */
int op_timer_init(void);			/* at load: 0, or -EINVAL for a bad clock_khz */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - from the events asked for to what oprofiled is told, for what will sample
 *
 * Which counter holds which event is found here, and nobody need ask for it: Intel's fixed counters
 * are used, counters take turns where there are more events, each kind of a hybrid machine's CPUs
 * has its own codes, and IBS events need no counter.
 */
#ifndef CONTROL_PLAN_PLAN_H
#define CONTROL_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "control/machine/collector_choice.h"
#include "control/opcontrol/setup.h"
#include "daemon/event_option.h"
#include "libutil/error.h"
#include "libutil/strbuf.h"

struct event_plan {
	char *cpu_type;			/* --cpu-type=; NULL: by time */
	struct event_option events[EVENTS_MAX];	/* --events= */
	unsigned int nr_events;		/* 0: IBS's only */
	char *ibs;			/* --ext-feature=; NULL: none */
	struct strbuf notes;		/* lines for the user: what is not as one might think */
	/* As they will be sampled: with the unit masks that the set-up left to the table. */
	struct event_request settled[SETUP_MAX_EVENTS];
	size_t nr;			/* at least 1: the default event if none was chosen */
	bool is_default;
};

/*
 * -ENOENT: no such event, or by time any but cycles. -ERANGE: a count below the least, which is
 * told. -EINVAL, -ENOTUNIQ: a unit mask. -ENOSPC: they do not fit on the counters. Else an error
 * of the CPU's table.
 */
int event_plan_make(const struct collector_choice *c, const struct setup *s,
		    struct event_plan *ret, struct op_error *e);
void event_plan_free(struct event_plan *p);

/* The argument of --events=, malloc'd; NULL if there are none. */
char *event_plan_format(const struct event_plan *p);

/* What is sampled if nothing is asked for. */
int event_plan_default(const struct collector_choice *c, struct event_request *ret,
		       struct op_error *e);

/* Put the settled events into @s, if it asked for any. */
void event_plan_settle(const struct event_plan *p, struct setup *s);

/* The least count of cycles by time, which keeps the machine usable (OP_TIMER_MIN_PERIOD_NS). */
uint64_t timer_min_count(uint64_t clock_khz);

#endif

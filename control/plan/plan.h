/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - make oprofiled's event options from the requested events, for the chosen collector
 *
 * Counters are assigned here: Intel's fixed counters are used, events take turns if there are more
 * of them than counters, each kind of CPU of a hybrid machine has its own codes, and IBS events
 * need no counter.
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
	unsigned int nr_events;		/* 0: IBS events only */
	char *ibs;			/* --ext-feature=; NULL: none */
	struct strbuf notes;		/* lines for the user, such as on events that take turns */
	/* as they will be sampled: with unit masks written out */
	struct event_request settled[SETUP_MAX_EVENTS];
	size_t nr;			/* at least 1: the default event if none was requested */
	bool is_default;
};

/*
 * -ENOENT: unknown event, or not cycles although sampling is by time. -ERANGE: count below the
 * minimum. -EINVAL, -ENOTUNIQ: unit mask. -ENOSPC: the events do not fit on the counters. Else an
 * error of the CPU's table.
 */
int event_plan_make(const struct collector_choice *c, const struct setup *s,
		    struct event_plan *ret, struct op_error *e);
void event_plan_free(struct event_plan *p);

/* The argument of --events=, malloc'd; NULL if there are none. */
char *event_plan_format(const struct event_plan *p);

/* The event that is sampled if none is requested. */
int event_plan_default(const struct collector_choice *c, struct event_request *ret,
		       struct op_error *e);

/* Store the settled events in @s, unless the plan has the default event. */
void event_plan_settle(const struct event_plan *p, struct setup *s);

/* The minimum count of cycles when sampling by time (OP_TIMER_MIN_PERIOD_NS). */
uint64_t timer_min_count(uint64_t clock_khz);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private.h - a plan while it is made: between the files that make it */
#ifndef CONTROL_PLAN_PRIVATE_H
#define CONTROL_PLAN_PRIVATE_H

#include "control/plan/plan.h"
#include "events/request.h"

/* What the table of one kind of CPU says of the events. */
struct kind_plan {
	const struct cpu_kind *kind;
	struct event_table *table;
	struct event_choice choices[SETUP_MAX_EVENTS];	/* of those that it has */
	size_t of[SETUP_MAX_EVENTS];			/* which event each of them is */
	size_t nr;
};

struct maker {
	const struct collector_choice *c;
	const struct setup *s;
	struct event_plan *plan;
	struct kind_plan *kinds;
	size_t nr_kinds;
};

/*
 * Number all choices: by their counters, or where others find these, so that events are told
 * apart. -EINVAL, -ENOSPC as event_requests_alloc().
 */
int event_plan_counters(struct maker *m, struct op_error *e);

/*
 * "ibs:fetch:EV,EV:count:um:kernel:user|op:..." of those @choices that are IBS's, malloc'd; *ret
 * stays as it is where there are none (CTL-73, [IB-2]). -EINVAL: they do not go together. -ERANGE:
 * a count. Whether there is IBS here is the collector's to say.
 */
int event_plan_ibs(const struct collector_choice *c, const struct event_choice *choices, size_t nr,
		   char **ret, struct op_error *e);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private.h - a plan under construction (private to control/plan/) */
#ifndef CONTROL_PLAN_PRIVATE_H
#define CONTROL_PLAN_PRIVATE_H

#include "control/plan/plan.h"
#include "events/request.h"

/* The events in the table of one kind of CPU. */
struct kind_plan {
	const struct cpu_kind *kind;
	struct event_table *table;
	struct event_choice choices[SETUP_MAX_EVENTS];	/* of the events that it has */
	size_t requested[SETUP_MAX_EVENTS];		/* index of each in plan->settled */
	size_t nr;
};

struct planner {
	const struct collector_choice *c;
	const struct setup *s;
	struct event_plan *plan;
	struct kind_plan *kinds;
	size_t nr_kinds;
};

/*
 * Number all choices: by their counters, or, if perf assigns those, in the requested order.
 * -EINVAL, -ENOSPC as event_requests_alloc().
 */
int event_plan_counters(struct planner *m, struct op_error *e);

/*
 * "ibs:fetch:EV,EV:count:um:kernel:user|op:..." for the IBS events among @choices, malloc'd; *ret
 * is unchanged if there are none (CTL-73, [IB-2]). -EINVAL: they cannot be combined. -ERANGE:
 * count. The collector checks whether the CPU has IBS.
 */
int event_plan_ibs(const struct collector_choice *c, const struct event_choice *choices, size_t nr,
		   char **ret, struct op_error *e);

#endif

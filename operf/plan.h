/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - make perf events of the events on operf's and ocount's command lines
 *
 * They are checked as opcontrol's are (control/plan/plan.h), with the tables of this machine's
 * CPUs, and converted to options of the daemon. Without hardware counters sampling is by time.
 */
#ifndef OPERF_PLAN_H
#define OPERF_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "control/plan/plan.h"
#include "daemon/options.h"
#include "daemon/requested_events.h"
#include "libutil/error.h"
#include "libutil/strbuf.h"

#define PLAN_EVENTS_MAX	32

struct plan_request {
	char **specs;			/* "NAME:count:um:kernel:user", or as below */
	size_t nr_specs;		/* 0: the default event */
	unsigned int callgraph_depth;	/* maximum frames of a stack */
	bool counting;			/* "NAME:um:kernel:user": count, do not sample */
	bool kernel;			/* sampling the kernel is permitted */
	double max_cost;		/* of sampling by time, percent; MAX_COST_NONE: no bound */
	const char *earlier;		/* session folder that samples are added to; NULL: none */
};

struct plan {
	struct options options;		/* only cpu_type, events and ext are set */
	struct requested_events asked;
	uint64_t clock_khz;
	bool counts;			/* events of the CPUs; else time */
	char by_time[256];		/* !counts: the reason */
	bool is_default;
	bool excludes_kernel;		/* it was requested, but is not permitted */
	struct strbuf notes;		/* lines for the user */
	struct cost_bound bound;
	char *first;			/* "NAME:count:um:kernel:user" of the first, or only */
	char *masks[PLAN_EVENTS_MAX];	/* unit masks, as typed; "": the default */
	unsigned int nr;		/* events, one for each counter number */
};

/* Errors as in event_plan_make(). Call plan_free() in any case. */
int plan_make(const struct plan_request *request, struct plan *ret, struct op_error *e);
void plan_free(struct plan *p);

/* Append the events in the comma-separated @list to @specs. */
void plan_add_specs(const char *list, char ***specs, size_t *nr);

#endif

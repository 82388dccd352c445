/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - from the events on operf's and ocount's command lines to what perf is asked for
 *
 * They are judged just as opcontrol's (control/plan/plan.h), against the tables of this machine's
 * CPUs, and end up in the daemon's own words. Where there are no counters time is sampled.
 */
#ifndef OPERF_PLAN_H
#define OPERF_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/options.h"
#include "daemon/requested_events.h"
#include "libutil/error.h"
#include "libutil/strbuf.h"

#define PLAN_EVENTS_MAX	32

struct plan_wish {
	char **specs;			/* "NAME:count:um:kernel:user", or as below */
	size_t nr_specs;		/* 0: the default event */
	unsigned int callgraph_depth;	/* frames that each sample walks */
	bool counting;			/* "NAME:um:kernel:user": no sample is ever taken */
	bool kernel;			/* what happens there may be watched */
};

struct plan {
	struct options options;		/* cpu_type, events and ext are set, and no more */
	struct requested_events asked;
	uint64_t clock_khz;
	bool counts;			/* events of the CPUs; else their time */
	char by_time[256];		/* !counts: why, half a sentence */
	bool is_default;
	bool left_kernel_out;		/* it was asked for, and may not be watched */
	struct strbuf notes;		/* lines for the user */
	char *first;			/* "NAME:count:um:kernel:user" of the first, or only */
	char *masks[PLAN_EVENTS_MAX];	/* unit masks as they were typed; "": the default */
	unsigned int nr;		/* events, one for each counter number */
};

/* Errors: event_plan_make()'s. plan_free() in any case. */
int plan_make(const struct plan_wish *wish, struct plan *ret, struct op_error *e);
void plan_free(struct plan *p);

/* Append the events in @list, which is comma separated, to @specs. */
void plan_add_specs(const char *list, char ***specs, size_t *nr);

#endif

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

struct cost_bound {
	char event[96];			/* as requested, "NAME:count" */
	double max_cost;		/* percent of each CPU; MAX_COST_NONE: no bound */
	uint64_t cost_ns;		/* of a sample; 0: not measured */
	uint64_t asked_ns, period_ns;	/* by time: as requested, and as it will be sampled */
};

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
	struct cost_bound bound;	/* by event_plan_bound() */
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

/*
 * The event that is sampled if none is requested. @rate, unless 0: with the count for so many
 * samples a second at the nominal clock.
 */
int event_plan_default(const struct collector_choice *c, uint64_t rate,
		       struct event_request *ret, struct op_error *e);

/* Store the settled events in @s, unless the plan has the default event. */
void event_plan_settle(const struct event_plan *p, struct setup *s);

/*
 * Measure what a sample costs, by @measure, and, by time, lower the rate until it costs less than
 * @s->max_cost: p->events has the new count, p->settled keeps the requested one. @earlier_ns: the
 * period of the session that samples will be added to, which is kept if it fits; 0: none. Without a
 * bound nothing is measured.
 */
typedef int measure_cost_fn(bool stacks, bool frame_pointers_only, uint64_t *ret_ns);
void event_plan_bound(struct event_plan *p, const struct collector_choice *c,
		      const struct setup *s, measure_cost_fn *measure, uint64_t earlier_ns);

/* The period for a sample that costs @cost_ns (0: unknown); at least @asked_ns. */
uint64_t bounded_period(uint64_t asked_ns, uint64_t cost_ns, double max_cost, uint64_t earlier_ns);

static inline bool cost_bound_applies(const struct cost_bound *b)
{
	return b->period_ns > b->asked_ns;
}

/* If it applies: "500/s instead of 20000/s (EVENT), to ...". */
void cost_bound_explain(const struct cost_bound *b, struct strbuf *out);

/*
 * If @rate samples a second of one CPU cost more of it than events of counters should, or than
 * max_cost if that is more: a warning. Else nothing.
 */
#define COUNTERS_MAX_COST	3.0	/* percent */
void cost_bound_warn(const struct cost_bound *b, uint64_t rate, struct strbuf *out);

/* The timer's period of the current session of @session_dir; 0: none, or not by time. */
uint64_t session_timer_period(const char *session_dir);

/* The minimum count of cycles when sampling by time (OP_TIMER_MIN_PERIOD_NS). */
uint64_t timer_min_count(uint64_t clock_khz);

#endif

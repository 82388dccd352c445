// SPDX-License-Identifier: GPL-2.0-or-later
/* counters.c - number the events; for the module the number selects the counter */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "control/plan/private.h"
#include "events/counter_alloc.h"

#define PERF_FIXED 2	/* fixed counters that perf uses for events that have an event code */
#define NUMBERS_MAX 32	/* of events in the event buffer and in the daemon */

/*
 * Intel's fixed counters follow the general ones. Each counts one event; the table is the module's,
 * fixed_counts() of pmu_plan.c. [FS-34]
 */
static void add_fixed(struct event_choice *c, unsigned int nr_general, unsigned int nr_fixed)
{
	static const struct {
		uint64_t code;
		uint32_t mask;
	} fixed[] = { { 0xc0, 0 }, { 0x3c, 0 }, { 0, 3 }, { 0xa4, 1 } };

	c->counters &= counters_below(nr_general);
	for (unsigned int i = 0; i < nr_fixed && i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (c->event->code == fixed[i].code && c->mask.value == fixed[i].mask &&
		    !(c->mask.extra & ~EXTRA_NONE))
			c->counters |= (uint64_t)1 << (nr_general + i);
}

static void set_counters(struct kind_plan *kp, unsigned int nr_general, unsigned int nr_fixed)
{
	for (size_t i = 0; i < kp->nr; i++)
		add_fixed(&kp->choices[i], nr_general, nr_fixed);
}

static void note_multiplexing(struct event_plan *p, unsigned int sets)
{
	if (sets > 1)
		strbuf_add(&p->notes, "more events than counters: they take turns, and reports "
			   "scale their counts\n");
}

/* The module numbers its counters set after set. [CC-45] */
static int alloc_module(struct planner *m, struct op_error *e)
{
	unsigned int nr = m->c->nr_counters, sets;
	struct kind_plan *kp = &m->kinds[0];
	unsigned int general = kp->kind->nr_counters < nr ? kp->kind->nr_counters : nr;
	int err;

	if (strcmp(m->c->model, "intel"))
		general = nr;
	set_counters(kp, general, nr - general);
	for (size_t i = 0; i < kp->nr && m->c->all_alike; i++)
		kp->choices[i].counters = ~(uint64_t)0;
	err = event_requests_alloc_sets(kp->choices, kp->nr, nr, m->c->numbers, &sets, e);
	if (!err)
		note_multiplexing(m->plan, sets);
	return err;
}

/* Whether perf will find counters for all events, and in how many sets. */
static int check_kind(const struct planner *m, const struct kind_plan *kind,
		      unsigned int *most_sets, struct op_error *e)
{
	struct kind_plan copy = *kind;
	struct arch_perfmon pmu = { 0 };
	unsigned int nr = kind->kind->nr_counters, sets;
	int err;

	if (!nr)
		return event_requests_distinct(copy.choices, copy.nr, e);
	if (!*m->c->root && !strncmp(kind->kind->type->name, "i386/", 5))
		arch_perfmon_read(&pmu);
	if (pmu.nr_fixed > PERF_FIXED)
		pmu.nr_fixed = PERF_FIXED;
	set_counters(&copy, nr, pmu.nr_fixed);
	err = event_requests_alloc_sets(copy.choices, copy.nr, nr + pmu.nr_fixed, ~(uint64_t)0,
					&sets, e);
	if (!err && sets > *most_sets)
		*most_sets = sets;
	return err;
}

/* Kinds of CPU share the number and the files of an event with the same name. [CC-46] */
static int shared_number(const struct planner *m, size_t kind, size_t event,
			 const struct event_choice *c)
{
	for (size_t k = 0; k < kind; k++)
		for (size_t j = 0; j < m->kinds[k].nr; j++) {
			const struct event_choice *other = &m->kinds[k].choices[j];

			if (m->kinds[k].requested[j] == event && !other->event->ext &&
			    !strcmp(other->event->name, c->event->name) &&
			    other->mask.value == c->mask.value)
				return other->counter;
		}
	return -1;
}

static void number_event(struct planner *m, size_t event, int *next)
{
	for (size_t k = 0; k < m->nr_kinds; k++)
		for (size_t j = 0; j < m->kinds[k].nr; j++) {
			struct event_choice *c = &m->kinds[k].choices[j];

			if (m->kinds[k].requested[j] != event || c->event->ext)
				continue;
			c->counter = shared_number(m, k, event, c);
			if (c->counter < 0)
				c->counter = (*next)++;
		}
}

/* perf assigns the counters: numbers only distinguish the events, in the requested order. */
static int number_all(struct planner *m, struct op_error *e)
{
	unsigned int sets = 0;
	int next = 0, err = 0;

	for (size_t k = 0; k < m->nr_kinds && !err; k++)
		err = check_kind(m, &m->kinds[k], &sets, e);
	if (err)
		return err;
	note_multiplexing(m->plan, sets);
	for (size_t i = 0; i < m->plan->nr; i++)
		number_event(m, i, &next);
	if (next <= NUMBERS_MAX)
		return 0;
	return op_error_set(e, -ENOSPC, "too many events: %d on all kinds of CPU, at most %d",
			    next, NUMBERS_MAX);
}

/* Reports cannot distinguish events whose sample files have the same name. */
static int check_files_differ(const struct kind_plan *kp, struct op_error *e)
{
	for (size_t i = 0; i < kp->nr; i++)
		for (size_t j = i + 1; j < kp->nr; j++) {
			const struct event_choice *a = &kp->choices[i], *b = &kp->choices[j];

			if (a->event == b->event && a->count == b->count &&
			    a->mask.value == b->mask.value && a->mask.extra != b->mask.extra)
				return op_error_set(e, -EINVAL,
						    "event '%s': two unit masks have the value "
						    "0x%02" PRIx32 " and would share sample "
						    "files; give one of them another count",
						    a->event->name, a->mask.value);
		}
	return 0;
}

int event_plan_counters(struct planner *m, struct op_error *e)
{
	int err = 0;

	for (size_t k = 0; k < m->nr_kinds && !err; k++)
		err = check_files_differ(&m->kinds[k], e);
	if (err)
		return err;
	return m->c->nr_counters ? alloc_module(m, e) : number_all(m, e);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* counters.c - which number each event has, and so in the module which counter */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "control/plan/private.h"
#include "events/counter_alloc.h"

#define PERF_FIXED 2	/* fixed counters that perf gives to events with a code of their own */
#define NUMBERS_MAX 32	/* of events, in the event buffer and to the daemon */

/*
 * Intel's fixed counters follow the general ones. Each counts one event, just as a general one
 * would; these are the module's own, fixed_counts() of pmu_plan.c. [FS-34]
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

static void note_turns(struct event_plan *p, unsigned int sets)
{
	if (sets > 1)
		strbuf_add(&p->notes, "There are more events than counters for them: they are "
			   "counted in turns, and reports scale their counts.\n");
}

/* The module's numbers are counters, set after set. [CC-45] */
static int alloc_module(struct maker *m, struct op_error *e)
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
		note_turns(m->plan, sets);
	return err;
}

/* Whether the kernel will find counters for all, and whether for all the time. */
static int judge_kind(const struct maker *m, const struct kind_plan *kind, unsigned int *most_sets,
		      struct op_error *e)
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

/* Kinds share the number of an event, and so its files, if they call it the same. [CC-46] */
static int shared_number(const struct maker *m, size_t kind, size_t event,
			 const struct event_choice *c)
{
	for (size_t k = 0; k < kind; k++)
		for (size_t j = 0; j < m->kinds[k].nr; j++) {
			const struct event_choice *other = &m->kinds[k].choices[j];

			if (m->kinds[k].of[j] == event && !other->event->ext &&
			    !strcmp(other->event->name, c->event->name) &&
			    other->mask.value == c->mask.value)
				return other->counter;
		}
	return -1;
}

static void number_event(struct maker *m, size_t event, int *next)
{
	for (size_t k = 0; k < m->nr_kinds; k++)
		for (size_t j = 0; j < m->kinds[k].nr; j++) {
			struct event_choice *c = &m->kinds[k].choices[j];

			if (m->kinds[k].of[j] != event || c->event->ext)
				continue;
			c->counter = shared_number(m, k, event, c);
			if (c->counter < 0)
				c->counter = (*next)++;
		}
}

/* Others find the counters: numbers only tell the events apart, in the order asked for. */
static int number_all(struct maker *m, struct op_error *e)
{
	unsigned int sets = 0;
	int next = 0, err = 0;

	for (size_t k = 0; k < m->nr_kinds && !err; k++)
		err = judge_kind(m, &m->kinds[k], &sets, e);
	if (err)
		return err;
	note_turns(m->plan, sets);
	for (size_t i = 0; i < m->plan->nr; i++)
		number_event(m, i, &next);
	if (next <= NUMBERS_MAX)
		return 0;
	return op_error_set(e, -ENOSPC, "these events are %d over all kinds of CPU, and no more "
			    "than %d can be sampled", next, NUMBERS_MAX);
}

/* Two that differ in nothing that the name of a sample file tells would be one in reports. */
static int check_files_differ(const struct kind_plan *kp, struct op_error *e)
{
	for (size_t i = 0; i < kp->nr; i++)
		for (size_t j = i + 1; j < kp->nr; j++) {
			const struct event_choice *a = &kp->choices[i], *b = &kp->choices[j];

			if (a->event == b->event && a->count == b->count &&
			    a->mask.value == b->mask.value && a->mask.extra != b->mask.extra)
				return op_error_set(e, -EINVAL,
						    "event '%s': two of its unit masks have the "
						    "number 0x%02" PRIx32 " and would share their "
						    "sample files; give one of them another count",
						    a->event->name, a->mask.value);
		}
	return 0;
}

int event_plan_counters(struct maker *m, struct op_error *e)
{
	int err = 0;

	for (size_t k = 0; k < m->nr_kinds && !err; k++)
		err = check_files_differ(&m->kinds[k], e);
	if (err)
		return err;
	return m->c->nr_counters ? alloc_module(m, e) : number_all(m, e);
}

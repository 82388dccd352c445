// SPDX-License-Identifier: GPL-2.0-or-later
/* plan.c - check the requested events, and make oprofiled's options from them */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "control/plan/private.h"
#include "events/cpu/machine_events.h"
#include "libutil/clock.h"
#include "libutil/number.h"
#include "libutil/xalloc.h"
#include "oprofilefs/op_abi.h"

#define DEFAULT_BY_TIME	CPU_CLOCK_EVENT ":100000:0:1:1"

uint64_t timer_min_count(uint64_t clock_khz)
{
	return (OP_TIMER_MIN_PERIOD_NS * clock_khz + NS_PER_MS - 1) / NS_PER_MS;
}

/* ---- by time ---- */

static bool is_zero(const char *mask)
{
	uint64_t value;

	return !*mask || (!number_parse_u64(mask, &value) && !value);
}

static int check_by_time(const struct collector_choice *c, const struct event_plan *p,
			 struct op_error *e)
{
	const struct event_request *r = &p->settled[0];
	uint64_t least = timer_min_count(c->clock_khz);

	for (size_t i = 0; i < p->nr; i++)
		if (strcmp(p->settled[i].name, CPU_CLOCK_EVENT))
			return op_error_set(e, -ENOENT, "cannot count event '%s': sampling is "
					    "by time (%s); use " CPU_CLOCK_EVENT ", or see "
					    "MODELS in opcontrol(1)", p->settled[i].name,
					    c->by_time);
	if (p->nr > 1)
		return op_error_set(e, -EINVAL, "event '%s' was given twice; all events must be "
				    "distinct", r->name);
	if (!is_zero(r->mask))
		return op_error_set(e, -EINVAL, "event '%s': invalid unit mask '%s': expected 0 "
				    "when sampling by time", r->name, r->mask);
	if (r->count < least)
		return op_error_set(e, -ERANGE, "event '%s': count %" PRIu64 " is below the "
				    "minimum, %" PRIu64 " at this machine's %" PRIu64 " MHz",
				    r->name, r->count, least, c->clock_khz / 1000);
	return 0;
}

static int plan_by_time(const struct collector_choice *c, struct event_plan *p,
			struct op_error *e)
{
	struct event_request *r = &p->settled[0];
	int err = check_by_time(c, p, e);

	if (err)
		return err;
	strcpy(r->mask, "0");
	p->events[0] = (struct event_option){ .count = r->count, .kernel = r->kernel,
					      .user = r->user };
	snprintf(p->events[0].name, sizeof(p->events[0].name), "%s", r->name);
	p->nr_events = 1;
	return 0;
}

/* ---- by events, for each kind of CPU ---- */

/* A kind of CPU without the event does not count it; users must not take that for zero. */
static void note_missing(struct event_plan *p, const struct cpu_kind *kind, const char *event,
			 const char *why)
{
	strbuf_addf(&p->notes, "%s is not counted on CPUs %s (%s): %s\n", event, kind->cpus,
		    kind->type->pretty, why);
}

static int resolve(struct planner *m, size_t event, struct op_error *e)
{
	const struct event_request *r = &m->plan->settled[event];
	struct op_error why[CPU_KINDS_MAX] = { { "" } };
	int errs[CPU_KINDS_MAX] = { 0 };
	bool found = false;

	for (size_t k = 0; k < m->nr_kinds; k++) {
		struct kind_plan *kp = &m->kinds[k];

		errs[k] = event_request_resolve(kp->table, r, m->s->callgraph_depth,
						&kp->choices[kp->nr], &why[k]);
		if (!errs[k])
			kp->requested[kp->nr++] = event;
		found |= !errs[k];
	}
	if (!found)
		return op_error_set(e, errs[0], "%s", why[0].text);
	for (size_t k = 0; k < m->nr_kinds; k++)
		if (errs[k])
			note_missing(m->plan, m->kinds[k].kind, r->name, why[k].text);
	return 0;
}

static int resolve_all(struct planner *m, struct op_error *e)
{
	int err = 0;

	for (size_t i = 0; i < m->plan->nr && !err; i++)
		err = resolve(m, i, e);
	return err;
}

/*
 * Write the unit mask out (CTL-62): by name if it was requested by name, if the table's default is
 * a name, or if its number is ambiguous; else by number.
 */
static void settle_mask(const struct event_choice *c, struct event_request *r)
{
	const struct unit_mask *chosen = c->mask.mask;
	bool has_name = chosen && chosen->name;
	struct mask_choice same;

	if (has_name && (!strcmp(r->mask, chosen->name) ||
			 (!*r->mask && c->event->masks->default_is_name) ||
			 event_mask_by_number(c->event, c->mask.value, &same, NULL)))
		snprintf(r->mask, sizeof(r->mask), "%s", chosen->name);
	else
		snprintf(r->mask, sizeof(r->mask), "%" PRIu32, c->mask.value);
}

static void settle(struct planner *m)
{
	bool done[SETUP_MAX_EVENTS] = { false };

	for (size_t k = 0; k < m->nr_kinds; k++)
		for (size_t j = 0; j < m->kinds[k].nr; j++) {
			size_t i = m->kinds[k].requested[j];

			if (!done[i])
				settle_mask(&m->kinds[k].choices[j], &m->plan->settled[i]);
			done[i] = true;
		}
}

/* ---- options of oprofiled ---- */

/*
 * Bits of the event select beside the mask. EXTRA_NONE is not a bit of it, and the module does not
 * have precise addresses.
 */
static uint32_t extra_bits(const struct planner *m, const struct event_choice *c)
{
	uint32_t extra = c->mask.extra & ~EXTRA_NONE;

	return m->c->module ? extra & ~EXTRA_PEBS : extra;
}

static int add_event(struct planner *m, const struct event_choice *c, const char *pmu,
		     struct op_error *e)
{
	struct event_plan *p = m->plan;
	struct event_option *event = &p->events[p->nr_events];

	if (c->event->ext)
		return 0;
	if (p->nr_events == EVENTS_MAX)
		return op_error_set(e, -ENOSPC, "too many events: at most %d on all kinds of CPU",
				    EVENTS_MAX);
	if (m->c->module && c->mask.extra & EXTRA_PEBS)
		strbuf_addf(&p->notes, "%s is sampled without precise addresses; use "
			    "--collector=perf for those\n", c->event->name);
	*event = (struct event_option){
		.value = c->event->code,
		.count = c->count,
		.unit_mask = c->mask.value,
		.extra = extra_bits(m, c),
		.counter = c->counter,
		.kernel = c->kernel,
		.user = c->user,
	};
	snprintf(event->name, sizeof(event->name), "%s", c->event->name);
	snprintf(event->pmu, sizeof(event->pmu), "%s", pmu);
	p->nr_events++;
	return 0;
}

/* In the requested order. */
static int add_events(struct planner *m, struct op_error *e)
{
	int err = 0;

	for (size_t i = 0; i < m->plan->nr; i++)
		for (size_t k = 0; k < m->nr_kinds; k++) {
			const struct kind_plan *kp = &m->kinds[k];
			const char *pmu = m->nr_kinds > 1 ? kp->kind->pmu : "";

			for (size_t j = 0; j < kp->nr && !err; j++)
				if (kp->requested[j] == i)
					err = add_event(m, &kp->choices[j], pmu, e);
		}
	m->plan->cpu_type = xstrdup(m->kinds[0].kind->type->name);
	return err;
}

char *event_plan_format(const struct event_plan *p)
{
	struct strbuf out = STRBUF_INIT;

	for (unsigned int i = 0; i < p->nr_events; i++) {
		const struct event_option *event = &p->events[i];

		strbuf_addf(&out, "%s%s:0x%" PRIx64 ":%u:%" PRIu64 ":0x%" PRIx64 ":%d:%d",
			    i ? "," : "", event->name, event->value, event->counter, event->count,
			    event->unit_mask, event->kernel, event->user);
		if (event->extra || *event->pmu)
			strbuf_addf(&out, ":0x%" PRIx32, event->extra);
		if (*event->pmu)
			strbuf_addf(&out, ":%s", event->pmu);
	}
	return p->nr_events ? strbuf_steal(&out) : NULL;
}

/* ---- the plan ---- */

static int load_tables(struct planner *m, struct op_error *e)
{
	int err = 0;

	for (size_t k = 0; k < m->nr_kinds && !err; k++) {
		m->kinds[k].kind = &m->c->kinds.kind[k];
		err = machine_events_load(m->c->root, m->kinds[k].kind, &m->kinds[k].table, e);
	}
	return err;
}

static int plan_counts(struct planner *m, struct op_error *e)
{
	int err;

	m->nr_kinds = m->c->module ? 1 : m->c->kinds.nr;
	m->kinds = xcalloc(m->nr_kinds, sizeof(*m->kinds));
	err = load_tables(m, e);
	if (!err)
		err = resolve_all(m, e);
	if (!err)
		err = event_plan_counters(m, e);
	if (!err)
		err = event_plan_ibs(m->c, m->kinds[0].choices, m->kinds[0].nr, &m->plan->ibs, e);
	if (!err) {
		settle(m);
		err = add_events(m, e);
	}
	for (size_t k = 0; k < m->nr_kinds; k++)
		event_table_free(m->kinds[k].table);
	free(m->kinds);
	return err;
}

int event_plan_default(const struct collector_choice *c, uint64_t rate,
		       struct event_request *ret, struct op_error *e)
{
	int err = event_request_parse(c->counts ? c->kinds.kind[0].type->default_event :
				      DEFAULT_BY_TIME, false, ret, e);

	if (!err && rate && c->clock_khz)
		ret->count = c->clock_khz * 1000 / rate;
	return err;
}

static int take_events(const struct collector_choice *c, const struct setup *s,
		       struct event_plan *p, struct op_error *e)
{
	p->nr = s->nr_events;
	memcpy(p->settled, s->events, sizeof(p->settled));
	p->is_default = !p->nr;
	if (!p->is_default)
		return 0;
	p->nr = 1;
	return event_plan_default(c, s->rate, &p->settled[0], e);
}

int event_plan_make(const struct collector_choice *c, const struct setup *s,
		    struct event_plan *ret, struct op_error *e)
{
	struct event_plan p = { .notes = STRBUF_INIT };
	struct planner m = { .c = c, .s = s, .plan = &p };
	int err = take_events(c, s, &p, e);

	if (!err)
		err = c->counts ? plan_counts(&m, e) : plan_by_time(c, &p, e);
	if (err)
		event_plan_free(&p);
	else
		*ret = p;
	return err;
}

void event_plan_free(struct event_plan *p)
{
	free(p->cpu_type);
	free(p->ibs);
	strbuf_free(&p->notes);
	*p = (struct event_plan){ .notes = STRBUF_INIT };
}

void event_plan_settle(const struct event_plan *p, struct setup *s)
{
	if (!p->is_default)
		memcpy(s->events, p->settled, sizeof(s->events));
}

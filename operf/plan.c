// SPDX-License-Identifier: GPL-2.0-or-later
/* plan.c - use opcontrol's planning in a program that collects by itself */
#include "operf/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/machine/collector_choice.h"
#include "control/machine/rights.h"
#include "control/opcontrol/setup.h"
#include "daemon/collect/perf/sample_cost.h"
#include "events/request.h"
#include "libutil/xalloc.h"

void plan_add_specs(const char *list, char ***specs, size_t *nr)
{
	for (;;) {
		size_t len = strcspn(list, ",");

		*specs = xrealloc_array(*specs, *nr + 1, sizeof(**specs));
		(*specs)[(*nr)++] = xasprintf("%.*s", (int)len, list);
		if (!list[len])
			return;
		list += len + 1;
	}
}

/* Events to count do not have a count: make "NAME::um..." of "NAME:um...". */
static int parse_without_count(const char *text, struct event_request *ret, struct op_error *e)
{
	size_t len = strcspn(text, ":");
	char *with_count = text[len] ? xasprintf("%.*s:%s", (int)len, text, text + len) :
			   xstrdup(text);
	int err = event_request_parse(with_count, true, ret, e);

	free(with_count);
	ret->count = EVENT_REQUEST_COUNT_MAX;
	return err;
}

static bool has_event(const struct setup *s, const struct event_request *r)
{
	for (size_t i = 0; i < s->nr_events; i++)
		if (!strcmp(s->events[i].name, r->name) && !strcmp(s->events[i].mask, r->mask) &&
		    s->events[i].count == r->count && s->events[i].kernel == r->kernel &&
		    s->events[i].user == r->user)
			return true;
	return false;
}

static int parse_specs(const struct plan_request *request, struct setup *s, struct op_error *e)
{
	for (size_t i = 0; i < request->nr_specs; i++) {
		struct event_request r;
		int err = request->counting ? parse_without_count(request->specs[i], &r, e) :
			  event_request_parse(request->specs[i], false, &r, e);

		if (err)
			return err;
		if (has_event(s, &r))
			continue;	/* given twice */
		if (s->nr_events == SETUP_MAX_EVENTS)
			return op_error_set(e, -ENOSPC, "too many events: at most %d",
					    SETUP_MAX_EVENTS);
		s->events[s->nr_events++] = r;
	}
	return 0;
}

/* With call stacks minimum counts are higher, and so is the default count [OF-7]. */
static int use_default(const struct collector_choice *choice, struct setup *s, struct op_error *e)
{
	int err = event_plan_default(choice, 0, &s->events[0], e);

	if (err)
		return err;
	s->events[0].count *= EVENT_CALLGRAPH_FACTOR;
	s->nr_events = 1;
	return 0;
}

/* Without the right to sample the kernel, sample the user code of each event. */
static int exclude_kernel(struct plan *p, struct op_error *e)
{
	for (unsigned int i = 0; i < p->options.nr_events; i++) {
		struct event_option *event = &p->options.events[i];

		if (!event->kernel)
			continue;
		if (!event->user)
			return op_error_set(e, -EACCES, "event '%s': sampling the kernel is not "
					    "permitted (kernel.perf_event_paranoid)",
					    event->name);
		event->kernel = false;
		p->excludes_kernel = true;
	}
	return 0;
}

/* Convert the plan to options of oprofiled. */
static int convert_plan(const struct plan_request *request, const struct event_plan *made,
			struct plan *p, struct op_error *e)
{
	struct strbuf first = STRBUF_INIT;
	int err = 0;

	p->options.cpu_type = xstrdup(made->cpu_type ? made->cpu_type : "timer");
	memcpy(p->options.events, made->events, sizeof(p->options.events));
	p->options.nr_events = made->nr_events;
	if (made->ibs)
		err = ext_parse(made->ibs, &p->options.ext, e);
	if (!err && !request->kernel)
		err = exclude_kernel(p, e);
	if (!err)
		err = request_events(&p->options, &p->asked, e);
	p->is_default = !request->nr_specs;
	p->bound = made->bound;
	strbuf_add(&p->notes, made->notes.text);
	event_request_format(&made->settled[0], &first);
	p->first = strbuf_steal(&first);
	p->nr = p->asked.nr_counters;
	for (size_t i = 0; i < made->nr && i < PLAN_EVENTS_MAX; i++)
		p->masks[i] = xstrdup(made->settled[i].mask);
	return err;
}

int plan_make(const struct plan_request *request, struct plan *ret, struct op_error *e)
{
	const struct host host = { .root = "", .try_cycles = rights_try_cycles };
	struct setup setup = { .collector = COLLECTOR_PERF, .model = MODEL_ANY,
			       .max_cost = request->max_cost,
			       .callgraph_depth = request->callgraph_depth };
	struct event_plan made = { .notes = STRBUF_INIT };
	struct collector_choice choice;
	int err;

	*ret = (struct plan){ .notes = STRBUF_INIT };
	err = parse_specs(request, &setup, e);
	if (!err)
		err = collector_choose(&host, &setup, &choice, e);
	if (err)
		return err;
	ret->clock_khz = choice.clock_khz;
	ret->counts = choice.counts;
	snprintf(ret->by_time, sizeof(ret->by_time), "%s", choice.by_time);
	if (request->counting && !choice.counts)
		return op_error_set(e, -ENODEV, "cannot count events: %s (a hypervisor or the "
				    "firmware may hide the CPU's counters); operf can sample by "
				    "time", choice.by_time);
	if (!request->nr_specs && request->callgraph_depth)
		err = use_default(&choice, &setup, e);
	if (!err)
		err = event_plan_make(&choice, &setup, &made, e);
	if (!err && !request->counting)
		event_plan_bound(&made, &choice, &setup, perf_sample_cost,
				 request->earlier ? session_timer_period(request->earlier) : 0);
	if (!err)
		err = convert_plan(request, &made, ret, e);
	event_plan_free(&made);
	return err;
}

void plan_free(struct plan *p)
{
	for (unsigned int i = 0; i < PLAN_EVENTS_MAX; i++)
		free(p->masks[i]);
	free(p->first);
	strbuf_free(&p->notes);
	options_free(&p->options);
	*p = (struct plan){ .notes = STRBUF_INIT };
}

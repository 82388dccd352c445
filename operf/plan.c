// SPDX-License-Identifier: GPL-2.0-or-later
/* plan.c - opcontrol's planning, for a program that collects by itself */
#include "operf/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/machine/collector_choice.h"
#include "control/opcontrol/setup.h"
#include "control/plan/plan.h"
#include "events/request.h"
#include "libutil/xalloc.h"
#include "operf/rights.h"

void plan_add_specs(const char *list, char ***specs, size_t *nr)
{
	for (;;) {
		size_t len = strcspn(list, ",");

		*specs = xrealloc_array(*specs, *nr + 1, sizeof(**specs));
		(*specs)[(*nr)++] = strndup(list, len);
		if (!list[len])
			return;
		list += len + 1;
	}
}

/* What is counted has no count: "NAME:um..." becomes "NAME::um...", and any will do. */
static int parse_counted(const char *text, struct event_request *ret, struct op_error *e)
{
	size_t len = strcspn(text, ":");
	char *with_count = text[len] ? xasprintf("%.*s:%s", (int)len, text, text + len) :
			   xstrdup(text);
	int err = event_request_parse(with_count, true, ret, e);

	free(with_count);
	ret->count = EVENT_REQUEST_COUNT_MAX;
	return err;
}

static bool is_there(const struct setup *s, const struct event_request *r)
{
	for (size_t i = 0; i < s->nr_events; i++)
		if (!strcmp(s->events[i].name, r->name) && !strcmp(s->events[i].mask, r->mask) &&
		    s->events[i].count == r->count && s->events[i].kernel == r->kernel &&
		    s->events[i].user == r->user)
			return true;
	return false;
}

static int take_specs(const struct plan_wish *wish, struct setup *s, struct op_error *e)
{
	for (size_t i = 0; i < wish->nr_specs; i++) {
		struct event_request r;
		int err = wish->counting ? parse_counted(wish->specs[i], &r, e) :
			  event_request_parse(wish->specs[i], false, &r, e);

		if (err)
			return err;
		if (is_there(s, &r))
			continue;	/* given twice */
		if (s->nr_events == SETUP_MAX_EVENTS)
			return op_error_set(e, -ENOSPC, "these are more than %d events",
					    SETUP_MAX_EVENTS);
		s->events[s->nr_events++] = r;
	}
	return 0;
}

/* The least counts are that much larger with callers; so the default one is, too [OF-7]. */
static int take_default(const struct collector_choice *choice, struct setup *s, struct op_error *e)
{
	int err = event_plan_default(choice, &s->events[0], e);

	if (err)
		return err;
	s->events[0].count *= EVENT_CALLGRAPH_FACTOR;
	s->nr_events = 1;
	return 0;
}

/* Whoever may not look into the kernel gets what is left of each event. */
static int leave_kernel_out(struct plan *p, struct op_error *e)
{
	for (unsigned int i = 0; i < p->options.nr_events; i++) {
		struct event_option *event = &p->options.events[i];

		if (!event->kernel)
			continue;
		if (!event->user)
			return op_error_set(e, -EACCES, "event '%s' is asked for in the kernel "
					    "only, where this user may not look "
					    "(kernel.perf_event_paranoid)", event->name);
		event->kernel = false;
		p->left_kernel_out = true;
	}
	return 0;
}

/* As oprofiled takes its options. */
static int take_plan(const struct plan_wish *wish, const struct event_plan *made, struct plan *p,
		     struct op_error *e)
{
	struct strbuf first = STRBUF_INIT;
	int err = 0;

	p->options.cpu_type = xstrdup(made->cpu_type ? made->cpu_type : "timer");
	memcpy(p->options.events, made->events, sizeof(p->options.events));
	p->options.nr_events = made->nr_events;
	if (made->ibs)
		err = ext_parse(made->ibs, &p->options.ext, e);
	if (!err && !wish->kernel)
		err = leave_kernel_out(p, e);
	if (!err)
		err = request_events(&p->options, &p->asked, e);
	p->is_default = !wish->nr_specs;
	strbuf_add(&p->notes, made->notes.text);
	event_request_format(&made->settled[0], &first);
	p->first = strbuf_steal(&first);
	p->nr = p->asked.nr_counters;
	for (size_t i = 0; i < made->nr && i < PLAN_EVENTS_MAX; i++)
		p->masks[i] = xstrdup(made->settled[i].mask);
	return err;
}

int plan_make(const struct plan_wish *wish, struct plan *ret, struct op_error *e)
{
	const struct host host = { .root = "", .try_cycles = rights_try_cycles };
	struct setup setup = { .collector = COLLECTOR_PERF, .model = MODEL_ANY,
			       .callgraph_depth = wish->callgraph_depth };
	struct event_plan made = { .notes = STRBUF_INIT };
	struct collector_choice choice;
	int err;

	*ret = (struct plan){ .notes = STRBUF_INIT };
	err = take_specs(wish, &setup, e);
	if (!err)
		err = collector_choose(&host, &setup, &choice, e);
	if (err)
		return err;
	ret->clock_khz = choice.clock_khz;
	ret->counts = choice.counts;
	snprintf(ret->by_time, sizeof(ret->by_time), "%s", choice.by_time);
	if (wish->counting && !choice.counts)
		return op_error_set(e, -ENODEV, "nothing can be counted: %s (a hypervisor or the "
				    "firmware may hide the CPU's counters); operf samples by time "
				    "without them", choice.by_time);
	if (!wish->nr_specs && wish->callgraph_depth)
		err = take_default(&choice, &setup, e);
	if (!err)
		err = event_plan_make(&choice, &setup, &made, e);
	if (!err)
		err = take_plan(wish, &made, ret, e);
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

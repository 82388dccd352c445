// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ocount_software.c - ocount, but for what it counts: events that the kernel has on every machine
 *
 * So all that is ocount's own can be tried where the CPU has no counters. TASK_CLOCK and CPU_CLOCK
 * are in ns.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "daemon/collect/perf/counters.h"
#include "libutil/xalloc.h"
#include "operf/plan.h"

/* In the place of those that know the CPU's events. */
int __wrap_plan_make(const struct plan_request *request, struct plan *ret, struct op_error *e);
int __wrap_perf_counters_make(const struct collector_config *config,
			      const struct perf_machine *machine, struct perf_counter **ret,
			      unsigned int *ret_nr, struct op_error *e);

static const struct software_event {
	const char *name;
	uint64_t config;
} software[] = {
	{ "TASK_CLOCK", PERF_COUNT_SW_TASK_CLOCK },
	{ "CPU_CLOCK", PERF_COUNT_SW_CPU_CLOCK },
	{ "PAGE_FAULTS", PERF_COUNT_SW_PAGE_FAULTS },
};

static struct perf_counter counters[PLAN_EVENTS_MAX];

static const struct software_event *find(const char *name)
{
	for (size_t i = 0; i < sizeof(software) / sizeof(software[0]); i++)
		if (!strcmp(software[i].name, name))
			return &software[i];
	return NULL;
}

static int add(struct plan *p, const char *name, bool kernel, struct op_error *e)
{
	const struct software_event *event = find(name);
	unsigned int i = p->nr++;

	if (!event)
		return op_error_set(e, -EINVAL, "'%s' is no software event", name);
	p->masks[i] = xstrdup("");
	p->options.events[i] = (struct event_option){ .counter = i, .kernel = kernel,
						      .user = true };
	strcpy(p->options.events[i].name, event->name);
	p->options.nr_events = p->nr;
	counters[i] = (struct perf_counter){ .type = PERF_TYPE_SOFTWARE, .config = event->config,
					     .counter = i, .kernel = kernel, .user = true };
	strcpy(counters[i].name, event->name);
	return 0;
}

int __wrap_plan_make(const struct plan_request *request, struct plan *ret, struct op_error *e)
{
	int err = 0;

	*ret = (struct plan){ .notes = STRBUF_INIT, .is_default = !request->nr_specs };
	for (size_t i = 0; i < request->nr_specs && !err; i++)
		err = add(ret, request->specs[i], request->kernel, e);
	return request->nr_specs ? err : add(ret, "TASK_CLOCK", request->kernel, e);
}

int __wrap_perf_counters_make(const struct collector_config *config,
			      const struct perf_machine *machine, struct perf_counter **ret,
			      unsigned int *ret_nr, struct op_error *e)
{
	(void)machine;
	(void)e;
	*ret_nr = config->nr_events;
	*ret = xcalloc(config->nr_events, sizeof(**ret));
	memcpy(*ret, counters, config->nr_events * sizeof(**ret));
	return 0;
}

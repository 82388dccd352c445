// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * requested_events.c - from the command line's events to counters and sample files
 *
 * A timer writes OProfile's timer profile, whatever the event and count of the command line.
 */
#include <errno.h>
#include <string.h>
#include "daemon/requested_events.h"

static int check_timer(const struct options *o, struct op_error *e)
{
	if (!o->nr_events)
		return op_error_set(e, -EINVAL, "--ext-feature without --events requires this "
				    "machine's CPU type; use --cpu-type=");
	if (o->nr_events != 1)
		return op_error_set(e, -EINVAL, "--events: expected one event without hardware "
				    "counters, got %u", o->nr_events);
	if (strcmp(o->events[0].name, "CPU_CLK_UNHALTED") && strcmp(o->events[0].name, "TIMER"))
		return op_error_set(e, -EINVAL,
				    "--events: '%s' cannot be sampled without hardware counters; "
				    "use CPU_CLK_UNHALTED",
				    o->events[0].name);
	if (o->events[0].counter)
		return op_error_set(e, -EINVAL, "--events: expected counter 0 without hardware "
				    "counters, got %u", o->events[0].counter);
	return 0;
}

static struct collector_event to_collector_event(const struct event_option *event)
{
	return (struct collector_event){
		.name = event->name,
		.code = event->value,
		.count = event->count,
		.unit_mask = event->unit_mask,
		.extra = event->extra,
		.counter = event->counter,
		.kernel = event->kernel,
		.user = event->user,
		.pmu = event->pmu,
	};
}

static struct sfile_event to_sfile_event(const struct event_option *event, bool by_time)
{
	struct sfile_event filed = { .no_kernel = !event->kernel, .no_user = !event->user };

	if (by_time) {
		strcpy(filed.name, "TIMER");
		return filed;
	}
	memcpy(filed.name, event->name, sizeof(filed.name));
	filed.code = event->value;
	filed.unit_mask = event->unit_mask;
	filed.count = event->count;
	return filed;
}

int request_events(const struct options *o, struct requested_events *ret, struct op_error *e)
{
	bool by_time = !strcmp(o->cpu_type, "timer");
	int err = by_time ? check_timer(o, e) : 0;

	if (err)
		return err;
	memset(ret, 0, sizeof(*ret));
	for (unsigned int i = 0; i < o->nr_events; i++) {
		const struct event_option *event = &o->events[i];
		struct sfile_event *filed = &ret->filed[event->counter];

		ret->collected[i] = to_collector_event(event);
		/* headers have the code of the first kind of CPU, if several share a counter */
		if (!filed->name[0])
			*filed = to_sfile_event(event, by_time);
		if (event->counter >= ret->nr_counters)
			ret->nr_counters = event->counter + 1;
	}
	ret->nr_filed = ret->nr_counters + ext_events(o->ext, ret->filed + ret->nr_counters);
	return 0;
}

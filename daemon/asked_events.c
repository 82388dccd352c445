// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * asked_events.c - from the command line's events to counters and to sample files
 *
 * A timer writes OProfile's timer profile, whatever event and count it stands for.
 */
#include <errno.h>
#include <string.h>
#include "daemon/asked_events.h"

static int check_timer(const struct options *o, struct op_error *e)
{
	if (!o->nr_events)
		return op_error_set(e, -EINVAL, "without events, --ext-feature needs this "
				    "machine's --cpu-type=, which opcontrol knows");
	if (o->nr_events != 1)
		return op_error_set(
			e, -EINVAL,
			"%u events were asked for, but without hardware counters there is "
			"one, the timer",
			o->nr_events);
	if (strcmp(o->events[0].name, "CPU_CLK_UNHALTED") && strcmp(o->events[0].name, "TIMER"))
		return op_error_set(e, -EINVAL,
				    "--events: '%s' cannot be sampled without hardware counters: "
				    "use CPU_CLK_UNHALTED",
				    o->events[0].name);
	if (o->events[0].counter)
		return op_error_set(e, -EINVAL,
				    "--events: without hardware counters there is counter 0 only");
	return 0;
}

static struct collector_event as_collected(const struct event_option *event)
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

static struct sfile_event as_filed(const struct event_option *event, bool by_time)
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

int asked_events_take(const struct options *o, struct asked_events *ret, struct op_error *e)
{
	bool by_time = !strcmp(o->cpu_type, "timer");
	int err = by_time ? check_timer(o, e) : 0;

	if (err)
		return err;
	memset(ret, 0, sizeof(*ret));
	for (unsigned int i = 0; i < o->nr_events; i++) {
		const struct event_option *event = &o->events[i];
		struct sfile_event *filed = &ret->filed[event->counter];

		ret->collected[i] = as_collected(event);
		/* of several kinds of CPU's, the first one's code stands for all in the header */
		if (!filed->name[0])
			*filed = as_filed(event, by_time);
		if (event->counter >= ret->nr_counters)
			ret->nr_counters = event->counter + 1;
	}
	ret->nr_filed = ret->nr_counters + ext_events(o->ext, ret->filed + ret->nr_counters);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* durations.c - see durations.h */
#include <errno.h>
#include <string.h>
#include "daemon/record/durations.h"
#include "libutil/log.h"

void durations_init(struct durations *d, struct collector *collector,
		    const struct sfile_event *events, unsigned int nr_counters)
{
	memset(d, 0, sizeof(*d));
	d->collector = collector;
	d->events = events;
	d->nr_counters = nr_counters;
}

void durations_free(struct durations *d)
{
	event_times_free(&d->before);
}

/* Of counter @i, since the collector was opened. False: not known. */
static bool get_since_open(const struct durations *d, unsigned int i, struct event_time *ret)
{
	const struct sfile_event *event = &d->events[i];
	struct collector *c = d->collector;

	if (!event->name[0] || !c->event_times ||
	    c->event_times(c, i, &ret->enabled_ns, &ret->running_ns))
		return false;
	/* they are read one after the other, while they run */
	if (ret->running_ns > ret->enabled_ns)
		ret->running_ns = ret->enabled_ns;
	memcpy(ret->name, event->name, sizeof(ret->name));
	ret->count = event->count;
	ret->unit_mask = event->unit_mask;
	return true;
}

/* The part of it that belongs to this session. */
static bool get_in_session(const struct durations *d, unsigned int i, struct event_time *ret)
{
	const struct event_time *origin = &d->origin[i];

	if (!get_since_open(d, i, ret))
		return false;
	ret->enabled_ns -= origin->enabled_ns < ret->enabled_ns ? origin->enabled_ns :
								   ret->enabled_ns;
	ret->running_ns -= origin->running_ns < ret->running_ns ? origin->running_ns :
								   ret->running_ns;
	if (ret->running_ns > ret->enabled_ns)
		ret->running_ns = ret->enabled_ns;
	return true;
}

bool durations_get(const struct durations *d, unsigned int counter, uint64_t *ret_enabled_ns,
		   uint64_t *ret_running_ns)
{
	const struct event_time *before;
	struct event_time t;

	if (counter >= d->nr_counters || !get_in_session(d, counter, &t))
		return false;
	before = event_times_find(&d->before, t.name, t.count, t.unit_mask);
	*ret_enabled_ns = t.enabled_ns + (before ? before->enabled_ns : 0);
	*ret_running_ns = t.running_ns + (before ? before->running_ns : 0);
	return true;
}

void durations_enter_session(struct durations *d, const char *stats_dir)
{
	struct op_error e = { "" };
	int err;

	event_times_free(&d->before);
	err = event_times_read(stats_dir, &d->before, &e);
	if (err && err != -ENOENT)
		log_line("cannot read how long events were counted: %s; starting from 0", e.text);
}

void durations_leave_session(struct durations *d)
{
	for (unsigned int i = 0; i < d->nr_counters; i++) {
		struct event_time *origin = &d->origin[i];

		if (!get_since_open(d, i, origin))
			memset(origin, 0, sizeof(*origin));
	}
}

int durations_write(const struct durations *d, const char *stats_dir)
{
	struct event_times all = { 0 };
	struct event_time t;
	int err = 0;

	for (size_t i = 0; i < d->before.nr; i++)
		event_times_add(&all, &d->before.event[i]);
	for (unsigned int i = 0; i < d->nr_counters; i++)
		if (get_in_session(d, i, &t))
			event_times_add(&all, &t);
	if (all.nr)
		err = event_times_write(stats_dir, &all);
	event_times_free(&all);
	return err;
}

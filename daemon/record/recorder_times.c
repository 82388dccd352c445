// SPDX-License-Identifier: GPL-2.0-or-later
/* recorder_times.c - for how long each event of the session was counted [SS-50] */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "daemon/record/recorder_private.h"
#include "libutil/log.h"

/* Counter @i's times since the collector was opened. False: there are none. */
static bool ask(struct recorder *r, unsigned int i, struct event_time *ret)
{
	const struct sfile_event *event = &r->config.events[i];
	struct collector *c = r->config.collector;

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
static bool ask_session(struct recorder *r, unsigned int i, struct event_time *ret)
{
	const struct event_time *origin = &r->times_origin[i];

	if (!ask(r, i, ret))
		return false;
	ret->enabled_ns -= origin->enabled_ns < ret->enabled_ns ? origin->enabled_ns :
								   ret->enabled_ns;
	ret->running_ns -= origin->running_ns < ret->running_ns ? origin->running_ns :
								   ret->running_ns;
	if (ret->running_ns > ret->enabled_ns)
		ret->running_ns = ret->enabled_ns;
	return true;
}

/* All of the session's, the caller's to free. */
static void collect(struct recorder *r, struct event_times *ret)
{
	struct event_time t;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < r->times_before.nr; i++)
		event_times_add(ret, &r->times_before.event[i]);
	for (unsigned int i = 0; i < r->config.nr_counters; i++)
		if (ask_session(r, i, &t))
			event_times_add(ret, &t);
}

bool recorder_event_time(struct recorder *r, unsigned int counter, uint64_t *ret_enabled_ns,
			 uint64_t *ret_running_ns)
{
	const struct event_time *before;
	struct event_time t;

	if (counter >= r->config.nr_counters || !ask_session(r, counter, &t))
		return false;
	before = event_times_find(&r->times_before, t.name, t.count, t.unit_mask);
	*ret_enabled_ns = t.enabled_ns + (before ? before->enabled_ns : 0);
	*ret_running_ns = t.running_ns + (before ? before->running_ns : 0);
	return true;
}

void recorder_times_enter(struct recorder *r)
{
	struct op_error e = { "" };
	int err;

	event_times_free(&r->times_before);
	err = event_times_read(r->stats_dir, &r->times_before, &e);
	if (err && err != -ENOENT)
		log_line("for how long the session's events were counted is begun anew: %s",
			 e.text);
}

void recorder_times_leave(struct recorder *r)
{
	for (unsigned int i = 0; i < r->config.nr_counters; i++) {
		struct event_time *origin = &r->times_origin[i];

		if (!ask(r, i, origin))
			memset(origin, 0, sizeof(*origin));
	}
}

int recorder_times_write(struct recorder *r)
{
	struct event_times times;
	int err = 0;

	collect(r, &times);
	if (times.nr)
		err = event_times_write(r->stats_dir, &times);
	event_times_free(&times);
	return err;
}

void recorder_times_free(struct recorder *r)
{
	event_times_free(&r->times_before);
}

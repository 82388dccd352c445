/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * durations.h - for how long the events of the session were enabled, and counted [SS-50]
 *
 * An event that shares its counter with others is counted for a part of the time only. The sums are
 * kept in stats/event-times, over all daemons that added to the session.
 */
#ifndef DAEMON_RECORD_DURATIONS_H
#define DAEMON_RECORD_DURATIONS_H

#include "daemon/collect/collector.h"
#include "daemon/record/sfile_key.h"
#include "libdb/session/event_times.h"

struct durations {
	struct collector *collector;
	const struct sfile_event *events;	/* by counter */
	unsigned int nr_counters;
	struct event_times before;	/* from earlier daemons, for all events of the session */
	struct event_time origin[COLLECTOR_COUNTERS_MAX];	/* at the start of the session */
};

/* @collector and @events must outlive it. */
void durations_init(struct durations *d, struct collector *collector,
		    const struct sfile_event *events, unsigned int nr_counters);
void durations_free(struct durations *d);

/* Read what earlier daemons wrote. */
void durations_enter_session(struct durations *d, const char *stats_dir);
/* What was counted until now belongs to the session that ends. */
void durations_leave_session(struct durations *d);
int durations_write(const struct durations *d, const char *stats_dir);

/* Of @counter's event, in this session. False: not known. */
bool durations_get(const struct durations *d, unsigned int counter, uint64_t *ret_enabled_ns,
		   uint64_t *ret_running_ns);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* requested_events.h - the events of the command line, for the collector and for sample files */
#ifndef DAEMON_REQUESTED_EVENTS_H
#define DAEMON_REQUESTED_EVENTS_H

#include "daemon/collect/collector.h"
#include "daemon/options.h"
#include "daemon/record/sfile.h"

struct requested_events {
	struct collector_event collected[EVENTS_MAX];	/* options.nr_events of them */
	/* By counter; the derived events of the extended feature follow. */
	struct sfile_event filed[COLLECTOR_COUNTERS_MAX + DERIVED_EVENTS_MAX];
	unsigned int nr_counters, nr_filed;
};

/* @o must outlive *ret. -EINVAL: sampling by time supports one event only, and not this one. */
int request_events(const struct options *o, struct requested_events *ret, struct op_error *e);

#endif

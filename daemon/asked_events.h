/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asked_events.h - what was asked for, as the collector programs it and as sample files name it */
#ifndef DAEMON_ASKED_EVENTS_H
#define DAEMON_ASKED_EVENTS_H

#include "daemon/collect/collector.h"
#include "daemon/options.h"
#include "daemon/record/sfile.h"

struct asked_events {
	struct collector_event collected[EVENTS_MAX];	/* options.nr_events of them */
	/* By counter; behind these is room for derived events, and for no others. */
	struct sfile_event filed[COLLECTOR_COUNTERS_MAX + DERIVED_EVENTS_MAX];
	unsigned int nr_counters, nr_filed;
};

/* @o must outlive *ret. -EINVAL: by time, of which there is only one event, several or others. */
int asked_events_take(const struct options *o, struct asked_events *ret, struct op_error *e);

#endif

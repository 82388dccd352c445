/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_option.h - one event of oprofiled's --events= option, as opcontrol and operf plan it */
#ifndef DAEMON_EVENT_OPTION_H
#define DAEMON_EVENT_OPTION_H

#include <stdbool.h>
#include <stdint.h>
#include "daemon/collect/collector.h"
#include "libutil/error.h"

#define EVENTS_MAX (COLLECTOR_COUNTERS_MAX * 4)	/* for each counter one per kind of CPU */

/* NAME:value:counter:count:um:kernel:user[:extra[:pmu]] */
struct event_option {
	char name[64], pmu[64];		/* @pmu "": the one of all CPUs */
	uint64_t value, count, unit_mask;
	uint32_t extra;			/* EXTRA_* bits: events/table/table.h */
	unsigned int counter;		/* below COLLECTOR_COUNTERS_MAX */
	bool kernel, user;
};

/* Parse a comma separated list of events. -EINVAL, with @e set. */
int event_options_parse(const char *text, struct event_option *ret, unsigned int max,
			unsigned int *ret_nr, struct op_error *e);

#endif

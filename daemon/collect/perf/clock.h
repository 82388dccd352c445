/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - the clock of our events' records */
#ifndef DAEMON_COLLECT_PERF_CLOCK_H
#define DAEMON_COLLECT_PERF_CLOCK_H

#include "libutil/clock.h"

#define PERF_CLOCK	CLOCK_MONOTONIC

static inline uint64_t perf_now(void)
{
	return clock_ns(PERF_CLOCK);
}

#endif

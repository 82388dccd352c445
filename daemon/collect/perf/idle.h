/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * idle.h - how long there was sampling, and how long each CPU was idle meanwhile
 *
 * When time is sampled the kernel leaves out the idle task [PC-6] and does not count what it left
 * out, so that is computed from the idle times in /proc/stat.
 */
#ifndef DAEMON_COLLECT_PERF_IDLE_H
#define DAEMON_COLLECT_PERF_IDLE_H

#include <stdbool.h>
#include <stdint.h>
#include "libdb/session/session.h"

struct perf_idle {
	const char *path;		/* "/proc/stat", or a file like it */
	bool counts;			/* between start and stop */
	uint64_t ticks[COUNTS_MAX_CPUS];	/* of USER_HZ, as last read */
	uint64_t ns[COUNTS_MAX_CPUS];	/* idle while sampling */
	uint64_t read_ns, sampled_ns;	/* now_ns() when last read; since start, without pauses */
};

/* From now on idle time counts, or until now. */
void perf_idle_start(struct perf_idle *i);
void perf_idle_stop(struct perf_idle *i);
void perf_idle_update(struct perf_idle *i);	/* ns[] and sampled_ns up to now */

#endif

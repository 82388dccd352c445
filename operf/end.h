/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * end.h - report on a complete profile
 *
 * The log gets the statistics (PRF-26), the session the throttled events (PRF-25), and the user a
 * warning for each problem that makes reports inaccurate.
 */
#ifndef OPERF_END_H
#define OPERF_END_H

#include <sys/resource.h>
#include "daemon/collect/collector.h"
#include "daemon/record/recorder.h"
#include "operf/plan.h"

struct operf_end {
	const char *session_dir, *log;
	struct recorder *recorder;
	struct collector *collector;
	const struct plan *plan;
	uint64_t period_ns;		/* if sampling by time; else 0 */
	const char *command;		/* NULL: processes, or the whole machine */
	const struct rusage *usage;	/* of the command */
};

/* Once sampling has stopped and all samples are in their files. */
void operf_end_report(const struct operf_end *end);

#endif

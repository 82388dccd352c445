/* SPDX-License-Identifier: GPL-2.0-or-later */
/* need_perf.h - skip a test only if the kernel permits nobody to sample its CPUs */
#ifndef TESTS_UNIT_DAEMON_COLLECT_PERF_NEED_PERF_H
#define TESTS_UNIT_DAEMON_COLLECT_PERF_NEED_PERF_H

#include <unistd.h>
#include "tests/bare_perf.h"
#include "tests/tap.h"

static inline void need_perf(void)
{
	const char *refused = geteuid() ? "needs root" : bare_perf_refused();

	if (refused)
		SKIP(refused);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need_perf.h - skip a test only if the kernel permits nobody to sample its CPUs
 *
 * Such a test, with the programs that it looks at, goes before other work: the kernel divides CPU
 * time among sessions, and one of dozens has too little to be sampled.
 */
#ifndef TESTS_UNIT_DAEMON_COLLECT_PERF_NEED_PERF_H
#define TESTS_UNIT_DAEMON_COLLECT_PERF_NEED_PERF_H

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "tests/bare_perf.h"
#include "tests/tap.h"

/* Does nothing where sessions are not groups, or by somebody who may not. */
static inline void go_before_others(void)
{
	FILE *f;

	/* whoever ends the session of the test does not end this one */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	f = setsid() < 0 ? NULL : fopen("/proc/self/autogroup", "we");
	if (f) {
		fputs("-10", f);
		fclose(f);
	}
}

static inline void need_perf(void)
{
	const char *refused = geteuid() ? "needs root" : bare_perf_refused();

	if (refused)
		SKIP(refused);
	go_before_others();
}

#endif

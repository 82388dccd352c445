// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock_counters.c - LD_PRELOAD: a machine whose counters count tenths of a nanosecond
 *
 * For machines without hardware counters: the kernel's clock of a CPU takes the place of any event.
 * tests/golden/with_counters does the rest.
 */
#include <unistd.h>

#pragma GCC visibility push(default)
#include "tests/unit/daemon/collect/perf/fake_perf_open.h"
#pragma GCC visibility pop

#define COUNTS_PER_NS	10

static int fake_perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	static long (*real)(long, ...);
	struct perf_event_attr clock = *attr;

	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_RAW) {
		clock.type = PERF_TYPE_SOFTWARE;
		clock.config = PERF_COUNT_SW_CPU_CLOCK;
		clock.config1 = clock.config2 = 0;
		clock.sample_period /= COUNTS_PER_NS;
	}
	return (int)real(SYS_perf_event_open, &clock, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

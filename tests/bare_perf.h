/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bare_perf.h - whether this machine lets us sample its CPUs at all, asked of the kernel itself
 *
 * Tests of the perf collector are skipped for this reason alone: a collector that fails where the
 * bare system call works is broken, and must be seen to be.
 */
#ifndef TESTS_BARE_PERF_H
#define TESTS_BARE_PERF_H

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* NULL if it does; else why not, static. */
static inline const char *bare_perf_refused(void)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
				    .config = PERF_COUNT_SW_CPU_CLOCK,
				    .size = sizeof(a),
				    .sample_period = 1000000,
				    .disabled = 1};
	long fd = syscall(SYS_perf_event_open, &a, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0) {
		close((int)fd);
		return NULL;
	}
	switch (errno) {
	case EACCES:
	case EPERM:
		return "perf_event_open(2) of a whole CPU is not permitted here";
	case ENOSYS:
	case ENOENT:
		return "this kernel has no perf events";
	default:
		return NULL; /* odd: let the collector say it */
	}
}

#endif

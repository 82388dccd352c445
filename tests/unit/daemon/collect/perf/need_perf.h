/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * need_perf.h - skip a test only if the kernel permits nobody to sample its CPUs; be sampled
 *
 * Such a test, with the programs that it looks at, goes before other work: the kernel divides CPU
 * time among sessions, and one of dozens has too little to be sampled.
 */
#ifndef TESTS_UNIT_DAEMON_COLLECT_PERF_NEED_PERF_H
#define TESTS_UNIT_DAEMON_COLLECT_PERF_NEED_PERF_H

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
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

#define OFTEN	25		/* samples; two more or less of them make no difference */

/*
 * Wait until a timer of the kernel's, as the daemon's, has interrupted @pid often, or it has ended.
 * The CPU time that it is said to have had proves nothing: a virtual machine that stands still is
 * charged for that, too.
 */
static inline void let_be_sampled(pid_t pid)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE,
				     .config = PERF_COUNT_SW_CPU_CLOCK,
				     .size = sizeof(a),
				     .sample_period = 2000000,
				     .wakeup_events = OFTEN };
	int fd = (int)syscall(SYS_perf_event_open, &a, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	void *ring;

	if (fd < 0) {
		CHECK(errno == ESRCH, "process %d: %s", pid, strerror(errno));
		return;
	}
	ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(ring != MAP_FAILED && poll(&p, 1, 60000) == 1, "process %d does not run", pid);
	munmap(ring, size);
	close(fd);
}

#endif

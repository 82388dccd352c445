// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bare_perf.c - for scripts: says why CPUs cannot be sampled here, exit status 1; else silent, 0
 *
 *	bare_perf [cgroup]	cgroup: why control groups are not told with samples
 */
#include "tests/bare_perf.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *no_groups(void)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(a),
				     .config = PERF_COUNT_SW_DUMMY, .cgroup = 1,
				     .sample_type = PERF_SAMPLE_CGROUP };
	long fd = syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	char name[64] = "";

	if (fd < 0)
		return "this kernel tells no control groups with samples";
	close((int)fd);
	if (readlink("/proc/self/ns/cgroup", name, sizeof(name) - 1) < 0 ||
	    strcmp(name, "cgroup:[4026531835]"))
		return "not in the machine's own control group namespace";
	return NULL;
}

int main(int argc, char **argv)
{
	const char *why = bare_perf_refused();

	(void)argv;
	if (!why && argc > 1)
		why = no_groups();
	if (why)
		puts(why);
	return why ? 1 : 0;
}

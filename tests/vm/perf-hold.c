/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-hold - count cycles of CPU 0 through perf for some seconds, so that perf has the counters
 *
 *	perf-hold SECONDS
 *
 * Prints "ok" once it counts, or the errno's name.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

	if (argc != 2)
		return 2;
	puts(fd < 0 ? strerrorname_np(errno) : "ok");
	fflush(stdout);
	if (fd < 0)
		return 1;
	sleep(atoi(argv[1]));
	return 0;
}

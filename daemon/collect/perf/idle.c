// SPDX-License-Identifier: GPL-2.0-or-later
/* idle.c - read idle times from /proc/stat */
#include "daemon/collect/perf/idle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libutil/clock.h"

/* "cpuN USER NICE SYSTEM IDLE IOWAIT ...": waiting for a disk is idle, too. A total may fall. */
static void take_line(struct perf_idle *i, const char *line)
{
	uint64_t idle, waiting, ticks, tick_ns = NS_PER_SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
	unsigned int cpu;

	if (sscanf(line, "cpu%u %*u %*u %*u %" SCNu64 " %" SCNu64, &cpu, &idle, &waiting) != 3 ||
	    cpu >= COUNTS_MAX_CPUS)
		return;
	ticks = idle + waiting;
	if (i->counts && ticks > i->ticks[cpu])
		i->ns[cpu] += (ticks - i->ticks[cpu]) * tick_ns;
	if (!i->counts || ticks > i->ticks[cpu])
		i->ticks[cpu] = ticks;
}

void perf_idle_update(struct perf_idle *i)
{
	FILE *f = fopen(i->path, "re");
	uint64_t now = now_ns();
	char *line = NULL;
	size_t room = 0;

	if (i->counts)
		i->sampled_ns += now - i->read_ns;
	i->read_ns = now;
	while (f && getline(&line, &room, f) > 0)
		take_line(i, line);
	free(line);
	if (f)
		fclose(f);
}

void perf_idle_start(struct perf_idle *i)
{
	i->counts = false;
	perf_idle_update(i);
	i->counts = true;
}

void perf_idle_stop(struct perf_idle *i)
{
	if (i->counts)
		perf_idle_update(i);
	i->counts = false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numbers.h - what else happened in a slice [HI-5]: losses, use of the CPUs, pressure
 */
#ifndef DAEMON_HISTORY_NUMBERS_H
#define DAEMON_HISTORY_NUMBERS_H

#include <stddef.h>
#include "libdb/history/segment.h"
#include "libdb/session/session.h"

#define NUMBERS_MAX	64

struct number {
	char name[40];
	uint64_t value;
};

struct numbers {
	struct number list[NUMBERS_MAX];
	size_t nr;
};

/* Add @value to the number @name; 0 is left out. */
void numbers_add(struct numbers *n, const char *name, uint64_t value);
void numbers_add_all(struct numbers *to, const struct numbers *from);
/* As segments want them, sorted. Returns how many; names stay @n's, which is sorted, too. */
size_t numbers_list(struct numbers *n, struct history_number ret[NUMBERS_MAX]);

/* The samples of @c that were lost, by reason, filtered out, idle and throttled. */
void numbers_add_counts(struct numbers *n, const struct cpu_counts *c);

/*
 * What the kernel has counted since it started: CPU time, pressure. Differences of two readings are
 * a slice's. What the kernel does not offer is 0.
 */
enum gauge {
	GAUGE_CPU_BUSY,			/* ms, of all CPUs */
	GAUGE_CPU_TOTAL,
	GAUGE_PSI_CPU,			/* us in which some task waited for it */
	GAUGE_PSI_IO,
	GAUGE_PSI_IO_FULL,		/* us in which all did */
	GAUGE_PSI_MEMORY,
	GAUGE_PSI_MEMORY_FULL,
	NR_GAUGES
};

struct gauges {
	uint64_t totals[NR_GAUGES];
	uint64_t runnable;		/* tasks now */
};

void gauges_read(const char *proc, struct gauges *ret);		/* @proc: "/proc" */
/* The differences, and @now's run queue: a sum and how many readings it has. */
void numbers_add_gauges(struct numbers *n, const struct gauges *before, const struct gauges *now);

#endif

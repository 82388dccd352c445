/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h - the events of one CPU and their common ring
 *
 * Some sample; another one counts nothing and only carries mmap, exec, fork and exit records, so
 * that mappings stay true while sampling is stopped [PC-2].
 */
#ifndef DAEMON_COLLECT_PERF_EVENTS_H
#define DAEMON_COLLECT_PERF_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "daemon/collect/perf/counters.h"
#include "daemon/collect/perf/ring.h"
#include "libutil/error.h"

/* Shared by all CPUs; what the kernel does not take is lowered as the first events show it. */
struct perf_event_setup {
	pid_t tid;			/* of the thread whose events are opened; 0: everybody's */
	bool inherit, on_exec;		/* it: with what it starts, from its exec on */
	struct perf_counter *counters;	/* not owned */
	unsigned int nr_counters;
	size_t ring_pages;		/* a power of two; halved until the kernel locks as much */
	bool no_build_ids, no_lost;	/* the kernel is too old */
	bool cgroups;			/* told with samples, and where they are made */
	/* Callers [PC-80]: how many addresses of them to list, 0: none are asked for, */
	unsigned int max_addresses;
	uint32_t copy_bytes;		/* and how much user stack to copy; 0: list user callers */
	uint64_t copy_period_ns;	/* how often, at most: less as rings have room for that */
};

struct perf_times {
	uint64_t enabled_ns, running_ns;
};

/* One event of one CPU, for all or for one thread. The sums go on when it is opened again. */
struct perf_cpu_counter {
	int fd;				/* -1: not open, or not of this CPU's kind */
	unsigned int which;		/* of the setup's counters it is */
	unsigned int task;		/* of targets.h; everybody's: 0 */
	uint64_t id, former_id;		/* that its records carry, and did before it was replaced */
	unsigned int counter;		/* that its samples carry in words */
	uint64_t lost_before;		/* samples, by earlier ones that were closed since */
	struct perf_times times_before;
	uint64_t throttled, throttled_at;	/* interrupts skipped; since when, 0: not now */
};

struct perf_events {
	/* As many as in the setup, for each thread; ids rise. NULL: never opened. */
	struct perf_cpu_counter *counters;
	unsigned int nr;
	struct perf_cpu_counter *found;	/* the last one, or NULL */
	int mappings_fd;		/* -1: not open */
	int *more_mappings_fds;		/* of further threads; they use the ring of the first */
	unsigned int nr_more;
	struct perf_ring ring;
	bool has_lost_counts;		/* the kernel counts lost samples */
	bool sampling;
};

/*
 * Open all on @cpu: mappings are recorded from now on, samples are not. @ev is all zero, or was
 * closed. -ENODEV: the CPU is offline. Anything else is told in @e with what to do about it.
 */
int perf_events_open(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup,
		     struct op_error *e);
/*
 * Open the same for one more thread, @setup's, on the same ring. @ev is open. -ESRCH: the thread
 * is gone. On failure it has none.
 */
int perf_events_add_task(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup,
			 struct op_error *e);
/* Close those of the thread that was added last: it goes without its sums. */
void perf_events_drop_task(struct perf_events *ev, unsigned int nr_counters);
void perf_events_close(struct perf_events *ev);		/* the sums stay */
void perf_events_free(struct perf_events *ev);		/* closed or all zero, and then all zero */

int perf_events_sample(struct perf_events *ev, bool on);	/* 0, or -errno and none samples */

/*
 * Replace those that sample by new ones as @setup is now, for copies of another size. Between the
 * old ones and the new ones next to no time is lost, and no sample. -EBUSY: they are a thread's,
 * and of what it started since [PC-84]. On failure all are as they were.
 */
int perf_events_replace(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup);

/* How many of the events sample on this CPU. */
unsigned int perf_events_nr_open(const struct perf_events *ev);

struct perf_cpu_counter *perf_events_search(struct perf_events *ev, uint64_t id);

/* The event of a record's id, or NULL: mostly that of the record before. */
static inline struct perf_cpu_counter *perf_events_find(struct perf_events *ev, uint64_t id)
{
	struct perf_cpu_counter *c = ev->found;

	return c && c->id == id ? c : perf_events_search(ev, id);
}

/* Go on sampling if the kernel throttled it and has not come back to it. */
void perf_events_unthrottle(const struct perf_cpu_counter *c, uint64_t period);

/* How long the CPU had these events, in ns: stands still once it went offline. */
uint64_t perf_events_alive_ns(const struct perf_events *ev);

/* Add for how long the events of @counter were to count, and did. False: there is none. */
bool perf_events_add_times(const struct perf_events *ev, unsigned int counter,
			   struct perf_times *times);

/* Samples, and records of mappings, that the ring had no room for; 0 if the kernel doesn't tell. */
uint64_t perf_events_lost_samples(const struct perf_events *ev);
uint64_t perf_events_lost_mappings(const struct perf_events *ev);

#endif

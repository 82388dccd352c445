/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h - the events of one CPU and their common ring
 *
 * One of the events counts nothing and only delivers mmap, exec, fork and exit records, so that
 * mappings stay correct while sampling is stopped [PC-2]. The others sample.
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

/* Shared by all CPUs; what the kernel rejects is lowered when the first events are opened. */
struct perf_event_setup {
	pid_t tid;			/* the thread to open events for; 0: all tasks */
	bool inherit, on_exec;		/* of that thread: include its children; start at exec */
	struct perf_counter *counters;	/* not owned */
	unsigned int nr_counters;
	size_t ring_pages;		/* a power of two; halved until the kernel can lock them */
	bool no_build_ids, no_lost;	/* the kernel is too old */
	bool cgroups;			/* record those of samples, and new ones */
	struct bpf_walker *walker;	/* not owned; walks stacks of samples. NULL: none */
	/* Stacks [PC-80]: */
	unsigned int max_addresses;	/* in the kernel's list; 0: no stacks */
	uint32_t copy_bytes;		/* of user stack; 0: list user callers */
	uint64_t copy_period_ns;	/* between samples; limits copy_bytes to the ring's room */
};

struct bpf_walker;

struct perf_times {
	uint64_t enabled_ns, running_ns;
};

/* One event of one CPU, for all tasks or one thread. The sums continue when it is reopened. */
struct perf_cpu_counter {
	int fd;				/* -1: not open, or not on this type of CPU */
	unsigned int which;		/* index in the setup's counters */
	unsigned int task;		/* of targets.h; all tasks: 0 */
	uint64_t id, former_id;		/* in its records; in those before it was replaced */
	int output_fd, link_fd;		/* of the BPF program: where it writes, and that it runs */
	uint64_t output_id, former_output_id;	/* in what it writes; 0: there is none */
	unsigned int counter;		/* number in its samples' words */
	uint64_t lost_before;		/* samples lost by events closed since */
	struct perf_times times_before;
	uint64_t throttled, throttled_at;	/* interrupts skipped; since when, 0: not now */
};

struct perf_events {
	/* All counters of the setup for each thread; ids rise. NULL: never opened. */
	struct perf_cpu_counter *counters;
	unsigned int nr;
	struct perf_cpu_counter *found;	/* the last one, or NULL */
	int mappings_fd;		/* -1: not open */
	int *more_mappings_fds;		/* of further threads, which share the first one's ring */
	unsigned int nr_more;
	struct perf_ring ring;
	bool has_lost_counts;		/* the kernel counts lost samples */
	uint64_t errors;		/* times that an event was found to have stopped [PC-56] */
	bool sampling;
};

/*
 * Open all events on @cpu: mappings are recorded from now on, samples are not. @ev is all zero or
 * closed. -ENODEV: the CPU is offline. For other errors @e says what to do.
 */
int perf_events_open(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup,
		     struct op_error *e);
/*
 * Open the same events for one more thread, @setup's, on the same ring. @ev is open. -ESRCH: the
 * thread is gone. On failure none of them stays open.
 */
int perf_events_add_task(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup,
			 struct op_error *e);
/* Close the events of the thread added last and drop their sums. */
void perf_events_drop_task(struct perf_events *ev, unsigned int nr_counters);
void perf_events_close(struct perf_events *ev);		/* the sums stay */
void perf_events_free(struct perf_events *ev);		/* from closed or all zero to all zero */

int perf_events_sample(struct perf_events *ev, bool on);	/* 0, or -errno and none samples */

/*
 * Replace the sampling events by new ones according to @setup, for copies of another size. Almost
 * no time and no sample is lost in between. -EBUSY: they belong to a thread and its children, which
 * inherited them [PC-84]. On failure nothing changes.
 */
int perf_events_replace(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup);

/* How many of the events sample on this CPU. */
unsigned int perf_events_nr_open(const struct perf_events *ev);

struct perf_cpu_counter *perf_events_search(struct perf_events *ev, uint64_t id);

/* The event of a record's id, or NULL: mostly that of the record before. */
static inline struct perf_cpu_counter *perf_events_find(struct perf_events *ev, uint64_t id)
{
	struct perf_cpu_counter *c = ev->found;

	return c && (c->id == id || (id && c->output_id == id)) ? c : perf_events_search(ev, id);
}

/* Resume an event that the kernel throttled and did not resume itself. */
void perf_events_unthrottle(const struct perf_cpu_counter *c, uint64_t period);

/*
 * Count and restart events that lost their counter and that the kernel gave up: these yield nothing
 * from then on, and read() reports an end of file. Call it once a second while sampling. [PC-56]
 */
void perf_events_check(struct perf_events *ev);

/* How long the CPU had these events, in ns: stops when it goes offline. */
uint64_t perf_events_alive_ns(const struct perf_events *ev);

/* Add how long the events of @counter were enabled and counted. False: it has no events. */
bool perf_events_add_times(const struct perf_events *ev, unsigned int counter,
			   struct perf_times *times);

/* Samples, and records of mappings, lost for lack of room in the ring; 0 on older kernels. */
uint64_t perf_events_lost_samples(const struct perf_events *ev);
uint64_t perf_events_lost_mappings(const struct perf_events *ev);

#endif

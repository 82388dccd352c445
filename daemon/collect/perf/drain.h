/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain.h - empty the rings of all CPUs into queues, in a thread that does nothing else
 *
 * The kernel reserves the whole size of a stack copy in the ring, however little of it is used, and
 * writes whether we run or not. So the thread runs before other programs, within a budget of CPU
 * time, copies records without what is unused into a queue per CPU, and never waits for anything:
 * reading /proc, unwinding and recording happen elsewhere, at the other end of the queues. What
 * finds no room in a queue stays in the ring, where the kernel counts what it then loses.
 */
#ifndef DAEMON_COLLECT_PERF_DRAIN_H
#define DAEMON_COLLECT_PERF_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/perf/ring.h"
#include "libutil/priority.h"

#define PERF_DRAIN_MS		20	/* between two passes if no ring fills */
#define PERF_DRAIN_SHARE	10	/* percent of one CPU for each online CPU: its budget */

/* A CPU's queue: a perf ring in our memory. The reader uses @ring, as any other. */
struct perf_queue {
	struct perf_ring ring;
	uint64_t head;			/* of the writer, published at the end of a pass */
	struct perf_ring *from;		/* not owned; NULL: not drained */
	bool has_copies;		/* records have copies of stacks */
	bool is_behind;			/* the last pass left records in the ring */
	bool was_behind;		/* at the reader's last perf_drain_pass() */
	bool is_full;			/* a pass found a ring that had no room for any record, */
	bool was_full;			/* between the reader's last two perf_drain_pass() */
};

/* Bytes of a queue for a ring of @ring_bytes on a machine of @nr_cpus: a power of two. */
size_t perf_queue_bytes(size_t ring_bytes, unsigned int nr_cpus);
int perf_queue_init(struct perf_queue *q, size_t bytes);	/* -ENOMEM */
void perf_queue_free(struct perf_queue *q);			/* all zero is fine */
/* Copy what its ring holds. The caller sees to it that nobody else does. */
void perf_queue_fill(struct perf_queue *q);

struct perf_drain_figures {
	enum priority priority;		/* of the thread */
	uint64_t longest_ns, most_ns;	/* waits: the longest, and that of 99.9 % of the passes */
	uint64_t nr_full;		/* passes that found a queue full */
};

struct perf_drain;

int perf_drain_new(struct perf_drain **ret);	/* -errno */
void perf_drain_free(struct perf_drain *d);	/* ends the thread; NULL is fine */
int perf_drain_start(struct perf_drain *d);	/* the thread; -errno */

/* Readable when a queue is a quarter full; cleared by perf_drain_pass(). */
int perf_drain_fd(const struct perf_drain *d);

/* Fill @q of @cpu from @from, whose event is @event_fd, from now on. @q stays where it is. */
int perf_drain_add(struct perf_drain *d, unsigned int cpu, struct perf_queue *q,
		   struct perf_ring *from, int event_fd);
/* Fill it once more, then no longer: the ring may be closed. */
void perf_drain_remove(struct perf_drain *d, unsigned int cpu);

/* Fill all queues now, in the calling thread: they hold all that was in the rings before. */
void perf_drain_pass(struct perf_drain *d);
void perf_drain_figures(struct perf_drain *d, struct perf_drain_figures *ret);

/* ---- waits, as a histogram; pure ---- */

#define PERF_WAITS	40
struct perf_waits {
	uint64_t nr[PERF_WAITS];	/* below 2^i us */
	uint64_t longest_ns;
};
void perf_waits_add(struct perf_waits *w, uint64_t ns);
uint64_t perf_waits_most(const struct perf_waits *w);	/* 99.9 % are at most as long, in ns */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rings.h - the events and rings of all online CPUs
 *
 * Opens them, reads their queues into struct perf_order, follows CPU hotplug, and counts what the
 * kernel could not deliver. One object per collector; it is too large to copy.
 */
#ifndef DAEMON_COLLECT_PERF_RINGS_H
#define DAEMON_COLLECT_PERF_RINGS_H

#include <stdbool.h>
#include <stdint.h>
#include "daemon/collect/perf/drain.h"
#include "daemon/collect/perf/events.h"
#include "daemon/collect/perf/order.h"
#include "libdb/session/session.h"
#include "libutil/error.h"

struct perf_cpu_ring {
	bool open;
	struct perf_events events;
	struct perf_queue queue;	/* what the drain has copied from their ring */
	uint64_t newest;		/* time of the newest record read */
	bool has_gap;			/* records were lost, according to those last read, */
	uint64_t complete;		/* after this time */
	uint64_t lost_mappings;		/* of these events, as last read */
	uint64_t lost_records;		/* of any kind, as the ring reported */
	uint64_t lost_early;		/* samples lost before they reached the ring */
	uint64_t alive_ns;		/* perf_events_alive_ns() at the last check */
};

struct perf_targets;

struct perf_rings {
	struct perf_event_setup setup;
	const char *root;		/* as struct perf_machine's */
	struct perf_order *order;	/* not owned */
	struct perf_targets *targets;	/* not owned; NULL: the whole machine */
	struct perf_drain *drain;	/* not owned */
	bool sampling;
	uint64_t malformed;		/* records that could not be parsed */
	unsigned int nr_without;	/* CPUs at open that cannot count any event */
	unsigned int first_without;	/* the first of them */
	uint64_t followed_at;		/* when CPUs were last checked, ns */
	unsigned int nr_cpus;		/* highest ever open + 1 */
	struct perf_cpu_ring cpus[COUNTS_MAX_CPUS];
};

/*
 * Open the events of every CPU online; nothing is sampled yet. On failure all are closed. What
 * @setup points to must outlive @r; @root is where PMUs are looked up when CPUs come. With @targets
 * (NULL: all tasks) the events of @setup's thread, on all CPUs present.
 */
int perf_rings_open(struct perf_rings *r, const struct perf_event_setup *setup,
		    struct perf_targets *targets, const char *root, struct perf_order *order,
		    struct perf_drain *drain, struct op_error *e);
void perf_rings_close(struct perf_rings *r);

/* With targets: open events for all other threads, until no new one is found. */
int perf_rings_open_threads(struct perf_rings *r, struct op_error *e);

int perf_rings_sample(struct perf_rings *r, bool on, struct op_error *e);

/*
 * Read all rings into the order. @now: to check which CPUs are online once a second. Stacks stay in
 * the queues until their samples have been handed over and perf_rings_release() is called. Returns
 * a time from which on records may be missing, because a queue was full; mostly UINT64_MAX.
 */
uint64_t perf_rings_read(struct perf_rings *r, uint64_t now);
void perf_rings_release(struct perf_rings *r);

/*
 * From now on copy @bytes of each user stack. -errno: some events keep the former size; records
 * hold the size that applies.
 */
int perf_rings_copy(struct perf_rings *r, uint32_t bytes);

/* How long the events of @counter were enabled and ran, on all CPUs. False: there are none. */
bool perf_rings_times(const struct perf_rings *r, unsigned int counter, struct perf_times *ret);

/* Of any kind, on all CPUs, as far as the rings reported. */
uint64_t perf_rings_lost_records(const struct perf_rings *r);
/* Bytes of records that the kernel wrote to the rings that are open. */
uint64_t perf_rings_bytes(const struct perf_rings *r);

/* Between two samples of a busy CPU; 0: unknown. */
static inline uint64_t perf_rings_period_ns(const struct perf_rings *r,
					    const struct perf_cpu_counter *c)
{
	return r->setup.counters[c->which].period_ns;
}

/* Samples of @cpu that the kernel lost, and interrupts it skipped [PC-4]. */
uint64_t perf_rings_lost(const struct perf_rings *r, unsigned int cpu);
uint64_t perf_rings_throttled(const struct perf_rings *r, unsigned int cpu, uint64_t now);
/* The same of the events of @counter, on all CPUs. */
uint64_t perf_rings_throttled_of(const struct perf_rings *r, unsigned int counter, uint64_t now);

/* One line about samples that differ from what was configured, else "". */
void perf_rings_note(const struct perf_rings *r, char *note, size_t size);

#endif

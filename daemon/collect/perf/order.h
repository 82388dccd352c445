/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order.h - bring the records of all CPUs into one order in time
 *
 * A process may be forked on one CPU and run on another, so a sample can be attributed only after
 * all earlier changes of mappings, on whichever CPU they were recorded. Samples need no order
 * among themselves, so they come out in runs of one CPU between two changes [PC-12].
 */
#ifndef DAEMON_COLLECT_PERF_ORDER_H
#define DAEMON_COLLECT_PERF_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/perf/records.h"

/* A change, or samples of one CPU between two changes. */
struct perf_order_item {
	const struct perf_record *change;	/* NULL: samples */
	unsigned int cpu;
	const struct perf_sample *samples;	/* oldest first */
	size_t nr_samples;
};

struct perf_order;

struct perf_order *perf_order_new(void);
void perf_order_free(struct perf_order *o);

void perf_order_add_sample(struct perf_order *o, unsigned int cpu, const struct perf_sample *s);
/*
 * @bytes are copied; @r is their parsed form. Also for a sample with raw data, because that is
 * needed whole; its counter is kept.
 */
void perf_order_add_change(struct perf_order *o, const struct perf_record *r, const void *bytes,
			   size_t size);

/*
 * The next item older than @bound, in order of time; a change comes before samples of the same
 * time. *ret is good until the next call. False: the rest waits for a later @bound. To be called
 * with one @bound until it returns false.
 */
bool perf_order_next(struct perf_order *o, uint64_t bound, struct perf_order_item *ret);

/* Position of the first record that a waiting sample of @cpu needs on the ring; @none if none. */
uint64_t perf_order_held(const struct perf_order *o, unsigned int cpu, uint64_t none);
/* The ring of @cpu goes away, and with it the stacks of its waiting samples. */
void perf_order_drop_stacks(struct perf_order *o, unsigned int cpu);

/* How many were added that are older than an earlier @bound, and so came out of order. */
uint64_t perf_order_late(const struct perf_order *o);

#endif

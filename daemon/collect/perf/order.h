/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order.h - order the records of all CPUs by time
 *
 * A process may be forked on one CPU and run on another, so a sample can be attributed only after
 * all earlier changes of mappings on all CPUs. Samples need no order among themselves, so they are
 * returned in runs of one CPU between two changes [PC-12].
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
 * @bytes are copied; @r is their parsed form. Also for samples with raw data, whose record is
 * needed whole; their counter and control group are kept.
 */
void perf_order_add_change(struct perf_order *o, const struct perf_record *r, const void *bytes,
			   size_t size);

/* A change of kind LOST without a record: changes after @time are missing. */
void perf_order_add_gap(struct perf_order *o, uint64_t time);

/*
 * The next item older than @bound, in order of time; a change comes before samples of the same
 * time. *ret is valid until the next call. False: the rest waits for a later @bound. Call it with
 * one @bound until it returns false.
 */
bool perf_order_next(struct perf_order *o, uint64_t bound, struct perf_order_item *ret);

/* Position of the first record on the ring that a waiting sample of @cpu needs; @none if none. */
uint64_t perf_order_held(const struct perf_order *o, unsigned int cpu, uint64_t none);
/* Drop the stacks of @cpu's waiting samples, because its ring is unmapped. */
void perf_order_drop_stacks(struct perf_order *o, unsigned int cpu);

/* Number of items added that were older than an earlier @bound, and so came out of order. */
uint64_t perf_order_late(const struct perf_order *o);

#endif

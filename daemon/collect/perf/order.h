/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order.h - bring the records of all CPUs into one order in time
 *
 * A process may be forked on one CPU and run on another, so a sample means something only after
 * everything that happened to the mappings before it, wherever that was recorded. Samples
 * among themselves need no order, so they come out in runs of one CPU: all that lie between two
 * changes [PC-12].
 */
#ifndef DAEMON_COLLECT_PERF_ORDER_H
#define DAEMON_COLLECT_PERF_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/perf/records.h"

struct perf_order_ops {
	/* A run of @cpu's samples, oldest first. */
	void (*samples)(void *context, unsigned int cpu, const struct perf_sample *s, size_t nr);
	/* A change, after all samples older than it and before all that aren't. */
	void (*change)(void *context, const struct perf_record *r);
};

struct perf_order;

struct perf_order *perf_order_new(void);
void perf_order_free(struct perf_order *o);

void perf_order_add_sample(struct perf_order *o, unsigned int cpu, const struct perf_sample *s);
/*
 * The record's bytes are copied. @r is what perf_record_parse() made of them. A sample with raw
 * data may be one, too, for it is needed whole; its counter is kept.
 */
void perf_order_add_change(struct perf_order *o, const struct perf_record *r, const void *bytes,
			   size_t size);

/* Hand over everything older than @bound; the rest is kept for the next call. */
void perf_order_run(struct perf_order *o, uint64_t bound, const struct perf_order_ops *ops,
		    void *context);

/* Where the first record that a waiting sample of @cpu holds begins; @none if none does. */
uint64_t perf_order_held(const struct perf_order *o, unsigned int cpu, uint64_t none);
/* The ring of @cpu is going: what its waiting samples have of callers becomes unreadable. */
void perf_order_drop_chains(struct perf_order *o, unsigned int cpu);

/* How many were added that were older than an earlier @bound, and so came out of order. */
uint64_t perf_order_late(const struct perf_order *o);

#endif

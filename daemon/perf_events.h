/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_events.h - the two events of one CPU and their common ring
 *
 * One samples; the other counts nothing and only carries mmap, exec, fork and exit records, so that
 * mappings stay true while sampling is stopped [PC-2].
 */
#ifndef PERF_EVENTS_H
#define PERF_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"
#include "perf_ring.h"

struct perf_event_setup {
	uint64_t period_ns;
	bool kernel, user;
	bool exclude_idle;		/* no samples while the idle task runs [PC-6] */
	size_t ring_pages;		/* a power of two; halved until the kernel locks as much */
	bool no_build_ids, no_lost;	/* the kernel is too old, as the first event shows */
};

struct perf_events {
	int sampling_fd, mappings_fd;	/* -1: not open */
	struct perf_ring ring;
	bool tells_lost;		/* the two counts of lost ones are known */
};

/*
 * Open both on @cpu: mappings are recorded from now on, samples are not. -ENODEV: the CPU is
 * offline. Anything else is told in @e with what to do about it.
 */
int perf_events_open(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup,
		     struct op_error *e);
void perf_events_close(struct perf_events *ev);		/* all zero or closed is fine */

int perf_events_sample(struct perf_events *ev, bool on);	/* 0 or -errno */

/* Go on sampling if the kernel throttled it and has not come back to it. */
void perf_events_unthrottle(struct perf_events *ev, uint64_t period_ns);

/* How long the CPU had these events, in ns: stands still once it went offline. */
uint64_t perf_events_alive_ns(const struct perf_events *ev);

/* Samples, and records of mappings, that the ring had no room for; 0 if the kernel doesn't tell. */
uint64_t perf_events_lost_samples(const struct perf_events *ev);
uint64_t perf_events_lost_mappings(const struct perf_events *ev);

/*
 * Period of @count cycles of a @clock_khz clock, in ns. -EINVAL, told in @e: faster than
 * OP_TIMER_MIN_PERIOD_NS or than the kernel's limit @max_rate per second (0: none known), or beyond
 * all reason.
 */
int perf_period(uint64_t count, uint64_t clock_khz, uint64_t max_rate, uint64_t *ret_ns,
		struct op_error *e);

/* Pages for half a second of samples and a burst of mappings; @words per CPU if not 0. */
size_t perf_ring_pages(uint64_t period_ns, size_t words, size_t page_size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters.h - what is to be sampled, as perf_event_open(2) takes it
 *
 * By time that is one event, the CPU clock; else one for each of the events asked for. Nothing is
 * opened here: events.c does that, and lowers what the kernel does not take.
 */
#ifndef DAEMON_COLLECT_PERF_COUNTERS_H
#define DAEMON_COLLECT_PERF_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/collector.h"
#include "daemon/collect/perf/sysfs.h"
#include "libutil/error.h"

struct perf_counter {
	char name[64];			/* for messages; "" by time */
	uint32_t type;			/* of perf_event_attr, these two */
	uint64_t config;
	uint64_t period;		/* of perf_event_attr: events, or ns of the CPU clock */
	uint64_t period_ns;		/* between two samples while all is busy; 0: not known */
	unsigned int counter;		/* that its samples carry in words */
	bool kernel, user;		/* which side to sample */
	bool exclude_idle;		/* no samples while the idle task runs [PC-6] */
	bool cycles;			/* the kernel's own event for cycles would do as well */
	unsigned int precise;		/* precise_ip: as asked for, then as the kernel takes it */
	unsigned int precise_asked;
	bool guests_too;		/* the kernel can't leave them out */
	bool raw;			/* IBS: samples bring registers, @counter is ibs.h's */
	char pmu[64];			/* "": of all CPUs; else of @cpus */
	struct perf_cpu_set cpus;
};

/* Where things are looked up; "" for this machine, a folder for a test's. */
struct perf_machine {
	const char *root;		/* holds sys/bus/event_source/devices */
	uint64_t max_rate;		/* kernel.perf_event_max_sample_rate; 0: not known */
	bool ticks_while_idle;		/* [PC-6] */
};

/* For struct perf_machine, of this one. */
bool perf_ticks_while_idle(void);

/*
 * What @config asks for: *ret_nr of them, malloc'd. -EINVAL, -ENOENT: told in @e, which event and
 * what to do.
 */
int perf_counters_make(const struct collector_config *config, const struct perf_machine *machine,
		       struct perf_counter **ret, unsigned int *ret_nr, struct op_error *e);

/* Read again which CPUs each PMU has: they may have come since. */
void perf_counters_refresh(struct perf_counter *counters, unsigned int nr, const char *root);

bool perf_counter_is_on(const struct perf_counter *c, unsigned int cpu);

/* Least mean time between two samples of a busy CPU, for all together. */
uint64_t perf_counters_period_ns(const struct perf_counter *counters, unsigned int nr,
				 uint64_t clock_khz, uint64_t max_rate);

/*
 * Period of @count cycles of a @clock_khz clock, in ns. -EINVAL, told in @e: faster than
 * OP_TIMER_MIN_PERIOD_NS or than the kernel's limit @max_rate per second (0: none known), or beyond
 * all reason.
 */
int perf_period(uint64_t count, uint64_t clock_khz, uint64_t max_rate, uint64_t *ret_ns,
		struct op_error *e);

/* For some hundred forks and execs between two drains. */
#define PERF_RING_BYTES_MIN	((size_t)512 << 10)

/* Pages for half a second of samples and a burst of mappings; @words per CPU if not 0. */
size_t perf_ring_pages(uint64_t period_ns, size_t words, size_t page_size);

#endif

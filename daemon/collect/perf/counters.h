/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters.h - what to sample, in the terms of perf_event_open(2)
 *
 * By time that is one event, the CPU clock; else one for each configured event. events.c opens them
 * and lowers what the kernel rejects.
 */
#ifndef DAEMON_COLLECT_PERF_COUNTERS_H
#define DAEMON_COLLECT_PERF_COUNTERS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "daemon/collect/collector.h"
#include "daemon/collect/perf/sysfs.h"
#include "libutil/error.h"

struct perf_counter {
	char name[64];			/* for messages; "" by time */
	uint32_t type;			/* these three as in perf_event_attr */
	uint64_t config;
	uint64_t period;		/* events, or ns of the CPU clock */
	uint64_t period_ns;		/* between two samples of a busy CPU; 0: unknown */
	unsigned int counter;		/* number in its samples' words */
	bool kernel, user;		/* which modes to sample */
	bool exclude_idle;		/* no samples while the idle task runs [PC-6] */
	bool cycles;			/* the kernel's generic event for cycles is equivalent */
	unsigned int precise;		/* precise_ip: as configured, then as accepted */
	unsigned int precise_asked;
	bool guests_too;		/* the kernel cannot exclude guests */
	bool raw;			/* IBS: samples have registers; @counter is of ibs.h */
	char pmu[64];			/* "": on all CPUs; else on @cpus */
	struct perf_cpu_set cpus;
};

/* Whether it samples by time. */
static inline bool perf_counter_is_clock(const struct perf_counter *c)
{
	return c->type == PERF_TYPE_SOFTWARE && c->config == PERF_COUNT_SW_CPU_CLOCK;
}

/* Properties of the machine. */
struct perf_machine {
	const char *root;		/* with sys/bus/event_source/devices; "": this machine's */
	uint64_t max_rate;		/* kernel.perf_event_max_sample_rate; 0: unknown */
};

/*
 * The counters of @config: *ret_nr of them, malloc'd. -EINVAL, -ENOENT: @e says which event is
 * wrong and what to do.
 */
int perf_counters_make(const struct collector_config *config, const struct perf_machine *machine,
		       struct perf_counter **ret, unsigned int *ret_nr, struct op_error *e);

/* Read again which CPUs each PMU has, because more may be online. */
void perf_counters_refresh(struct perf_counter *counters, unsigned int nr, const char *root);

bool perf_counter_is_on(const struct perf_counter *c, unsigned int cpu);

/* Shortest mean time between two samples of a busy CPU, for all counters together. */
uint64_t perf_counters_period_ns(const struct perf_counter *counters, unsigned int nr,
				 uint64_t clock_khz, uint64_t max_rate);

/*
 * Period of @count cycles of a @clock_khz clock, in ns. -EINVAL, with @e: shorter than
 * OP_TIMER_MIN_PERIOD_NS or than the kernel's limit of @max_rate per second (0: unknown) allows, or
 * unreasonably long.
 */
int perf_period(uint64_t count, uint64_t clock_khz, uint64_t max_rate, uint64_t *ret_ns,
		struct op_error *e);

/* Room for some hundred forks and execs between two drains. */
#define PERF_RING_BYTES_MIN	((size_t)512 << 10)

/* Pages for half a second of samples and a burst of mappings; @words per CPU if not 0. */
size_t perf_ring_pages(uint64_t period_ns, size_t words, size_t page_size);

#endif

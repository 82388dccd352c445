// SPDX-License-Identifier: GPL-2.0-or-later
/* rings_sums.c - what the rings of all CPUs have counted, lost and skipped since open */
#include "daemon/collect/perf/rings.h"

bool perf_rings_times(const struct perf_rings *r, unsigned int counter, struct perf_times *ret)
{
	struct perf_times times = { 0, 0 };
	bool any = false;

	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++)
		any |= perf_events_add_times(&r->cpus[cpu].events, counter, &times);
	if (any)
		*ret = times;
	return any;
}

uint64_t perf_rings_lost_records(const struct perf_rings *r)
{
	uint64_t sum = 0;

	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++)
		sum += r->cpus[cpu].lost_records + r->cpus[cpu].lost_early;
	return sum;
}

uint64_t perf_rings_lost(const struct perf_rings *r, unsigned int cpu)
{
	const struct perf_cpu_ring *c = &r->cpus[cpu];

	/* older kernels tell only the sum of samples and mappings */
	if (r->setup.no_lost)
		return c->lost_records + c->lost_early;
	return c->lost_early + perf_events_lost_samples(&c->events);
}

static uint64_t throttled(const struct perf_rings *r, const struct perf_cpu_counter *c,
			  uint64_t now)
{
	uint64_t period = perf_rings_period_ns(r, c), sum = c->throttled;

	if (r->sampling && period && c->throttled_at && now > c->throttled_at)
		sum += (now - c->throttled_at) / period;
	return sum;
}

uint64_t perf_rings_throttled(const struct perf_rings *r, unsigned int cpu, uint64_t now)
{
	const struct perf_events *ev = &r->cpus[cpu].events;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < ev->nr; i++)
		sum += throttled(r, &ev->counters[i], now);
	return sum;
}

uint64_t perf_rings_throttled_of(const struct perf_rings *r, unsigned int counter, uint64_t now)
{
	uint64_t sum = 0;

	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++) {
		const struct perf_events *ev = &r->cpus[cpu].events;

		for (unsigned int i = 0; i < ev->nr; i++)
			if (ev->counters[i].counter == counter)
				sum += throttled(r, &ev->counters[i], now);
	}
	return sum;
}

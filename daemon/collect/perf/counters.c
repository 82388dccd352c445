// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counters.c - convert the configured events to perf's: type, config, period
 *
 * An event for one type of CPU has that PMU's own type. Otherwise PERF_TYPE_RAW selects the PMU of
 * the CPU that the event is opened on. [PC-50]
 */
#include "daemon/collect/perf/counters.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/ibs.h"
#include "daemon/collect/perf/records.h"
#include "events/cpu/type.h"
#include "events/encode.h"
#include "libutil/count.h"
#include "libutil/xalloc.h"

#define RING_BYTES_MAX	(64 * 1024 * 1024)
#define PERIOD_MAX	(3600 * NS_PER_SECOND)
#define PRECISE_MOST	3		/* of attr.precise_ip */

int perf_period(uint64_t count, uint64_t clock_khz, uint64_t max_rate, uint64_t *ret_ns,
		struct op_error *e)
{
	uint64_t least_ns = OP_TIMER_MIN_PERIOD_NS, ns, least;

	if (!clock_khz)
		return op_error_set(e, -EINVAL, "invalid clock of 0 kHz");
	if (max_rate && NS_PER_SECOND / max_rate >= least_ns)
		least_ns = (NS_PER_SECOND + max_rate - 1) / max_rate;
	ns = count_scale(count, 1000000, 0, clock_khz);
	least = count_scale(least_ns, clock_khz, 999999, 1000000);
	if (ns < least_ns && least_ns > OP_TIMER_MIN_PERIOD_NS)
		return op_error_set(e, -EINVAL,
				    "count %llu exceeds the rate of "
				    "kernel.perf_event_max_sample_rate (%llu); "
				    "raise that or use a count of at least %llu",
				    (unsigned long long)count, (unsigned long long)max_rate,
				    (unsigned long long)least);
	if (ns < least_ns)
		return op_error_set(e, -EINVAL,
				    "count %llu is too small for sampling by time: "
				    "expected at least %llu at %llu kHz",
				    (unsigned long long)count, (unsigned long long)least,
				    (unsigned long long)clock_khz);
	if (ns > PERIOD_MAX)
		return op_error_set(e, -EINVAL,
				    "count %llu is too large: less than one sample per hour",
				    (unsigned long long)count);
	*ret_ns = ns;
	return 0;
}

size_t perf_ring_pages(uint64_t period_ns, size_t words, size_t page_size)
{
	size_t bytes = words, pages = 1;

	if (words > RING_BYTES_MAX / sizeof(op_word))
		bytes = RING_BYTES_MAX;
	else if (words)
		bytes = words * sizeof(op_word);
	else if (period_ns)
		bytes = PERF_RING_BYTES_MIN + NS_PER_SECOND / 2 / period_ns * PERF_SAMPLE_BYTES;
	while (pages * page_size < bytes)
		pages *= 2;
	return pages;
}

/* Time */

static int make_clock(const struct collector_config *config, const struct perf_machine *machine,
		      struct perf_counter *c, struct op_error *e)
{
	int err = perf_period(config->events[0].count, config->clock_khz, machine->max_rate,
			      &c->period_ns, e);

	if (err)
		return err;
	c->type = PERF_TYPE_SOFTWARE;
	c->config = PERF_COUNT_SW_CPU_CLOCK;
	c->period = c->period_ns;
	c->exclude_idle = !config->idle;
	return 0;
}

/* Events */

static int take_pmu(struct perf_counter *c, const char *root, struct op_error *e)
{
	int err = perf_pmu_type(root, c->pmu, &c->type);

	if (err)
		return op_error_set(e, err, "event '%s': PMU '%s' not found in "
				    PERF_PMU_DIR, c->name, c->pmu);
	perf_pmu_cpus(root, c->pmu, &c->cpus);
	return 0;
}

/* The rate is known only for cycles. */
static int check_rate(struct perf_counter *c, const struct collector_config *config,
		      uint64_t max_rate, struct op_error *e)
{
	uint64_t least;

	if (!config->clock_khz)
		return 0;
	c->period_ns = count_scale(c->period, 1000000, 0, config->clock_khz);
	if (!max_rate || c->period_ns >= NS_PER_SECOND / max_rate)
		return 0;
	least = count_scale(config->clock_khz, 1000, max_rate - 1, max_rate);
	return op_error_set(e, -EINVAL, "event '%s': count %" PRIu64 " exceeds the rate of "
			    "kernel.perf_event_max_sample_rate (%" PRIu64 "); raise that or use a "
			    "count of at least %" PRIu64, c->name, c->period, max_rate,
			    least);
}

static bool is_cycles(const struct cpu_type *type, const struct collector_event *event)
{
	return event->name && (!strcmp(event->name, CPU_CLOCK_EVENT) ||
			       (type->clock_event && !strcmp(event->name, type->clock_event)));
}

static int make_event(const struct collector_config *config, const struct perf_machine *machine,
		      const struct collector_event *event, struct perf_counter *c,
		      struct op_error *e)
{
	const struct cpu_type *type = cpu_type_by_name(config->cpu_type);
	const struct event select = { .code = event->code };
	const struct mask_choice mask = { .value = event->unit_mask, .extra = event->extra };
	int err = 0;

	if (!type)
		return op_error_set(e, -EINVAL, "unknown CPU type '%.60s'", config->cpu_type);
	snprintf(c->name, sizeof(c->name), "%s", event->name ? event->name : "");
	if (!event_is_encodable(type, event->code, event->unit_mask, event->extra))
		return op_error_set(e, -EINVAL, "event '%s': code 0x%" PRIx64 ", unit mask 0x%"
				    PRIx64 " or extra 0x%" PRIx32 " is out of range for CPU type "
				    "'%s'", c->name, event->code, event->unit_mask, event->extra,
				    type->name);
	snprintf(c->pmu, sizeof(c->pmu), "%s", event->pmu ? event->pmu : "");
	c->type = PERF_TYPE_RAW;
	c->config = event_perf_config(type, &select, &mask);
	c->period = event->count;
	c->precise = c->precise_asked = event->extra & EXTRA_PEBS ? PRECISE_MOST : 0;
	c->cycles = is_cycles(type, event) && !*c->pmu && !c->precise;
	if (*c->pmu)
		err = take_pmu(c, machine->root, e);
	if (!err && is_cycles(type, event))
		err = check_rate(c, config, machine->max_rate, e);
	return err;
}

int perf_counters_make(const struct collector_config *config, const struct perf_machine *machine,
		       struct perf_counter **ret, unsigned int *ret_nr, struct op_error *e)
{
	struct perf_counter *counters =
		xcalloc(config->nr_events + PERF_IBS_MAX, sizeof(*counters));
	unsigned int nr_ibs = 0;
	int err = 0;

	if (!config->nr_events && !config->ibs)
		err = op_error_set(e, -EINVAL, "no events given");
	for (unsigned int i = 0; i < config->nr_events && !err; i++) {
		const struct collector_event *event = &config->events[i];
		struct perf_counter *c = &counters[i];

		c->counter = event->counter;
		c->kernel = event->kernel;
		c->user = event->user;
		if (!c->kernel && !c->user)
			err = op_error_set(e, -EINVAL, "neither kernel nor user is enabled");
		else if (collects_by_time(config))
			err = make_clock(config, machine, c, e);
		else
			err = make_event(config, machine, event, c, e);
	}
	if (!err && config->ibs)
		err = perf_ibs_make(config->ibs, machine->root, counters + config->nr_events,
				    &nr_ibs, e);
	if (err) {
		free(counters);
		return err;
	}
	*ret = counters;
	*ret_nr = config->nr_events + nr_ibs;
	return 0;
}

void perf_counters_refresh(struct perf_counter *counters, unsigned int nr, const char *root)
{
	for (unsigned int i = 0; i < nr; i++)
		if (*counters[i].pmu)
			perf_pmu_cpus(root, counters[i].pmu, &counters[i].cpus);
}

bool perf_counter_is_on(const struct perf_counter *c, unsigned int cpu)
{
	return !*c->pmu || !c->cpus.end || (cpu < c->cpus.end && c->cpus.has[cpu]);
}

/* Assume that an unknown event comes once per cycle, but never more often than the limit. */
static uint64_t guess_period_ns(const struct perf_counter *c, uint64_t clock_khz, uint64_t max_rate)
{
	uint64_t ns = c->period_ns, least = max_rate ? NS_PER_SECOND / max_rate : 1;

	if (!ns && clock_khz)
		ns = count_scale(c->period, 1000000, 0, clock_khz);
	return ns > least ? ns : least;
}

uint64_t perf_counters_period_ns(const struct perf_counter *counters, unsigned int nr,
				 uint64_t clock_khz, uint64_t max_rate)
{
	double rate = 0;	/* per ns */

	if (nr == 1 && counters[0].period_ns)
		return counters[0].period_ns;
	for (unsigned int i = 0; i < nr; i++)
		rate += 1.0 / (double)guess_period_ns(&counters[i], clock_khz, max_rate);
	return rate > 0 && rate < 1 ? (uint64_t)(1 / rate + 0.5) : 1;
}

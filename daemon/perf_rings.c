// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_rings.c - drive the rings of all CPUs
 *
 * Events of a CPU that went offline are dead even when it comes back, so they are closed and opened
 * anew. What happened on a CPU while it had no events is missing: missed_changes says so.
 */
#include "perf_rings.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "perf_clock.h"
#include "perf_cpus.h"
#include "perf_records.h"

#define ONLINE_FILE	"/sys/devices/system/cpu/online"
#define LOOK_NS		NS_PER_SECOND
#define THROTTLED_NS	(50 * NS_PER_MS)	/* longer than any tick */

static int open_cpu(struct perf_rings *r, unsigned int cpu, struct op_error *e)
{
	struct perf_cpu_ring *c = &r->cpus[cpu];
	struct epoll_event event = { .events = EPOLLIN };
	int err = perf_events_open(&c->events, cpu, &r->setup, e);

	if (err)
		return err;
	if (epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, c->events.mappings_fd, &event) < 0) {
		err = op_error_set(e, -errno, "cannot wait for the ring of CPU %u: %s", cpu,
				   strerror(errno));
		perf_events_close(&c->events);
		return err;
	}
	c->open = true;
	c->throttled_at = c->lost_mappings = c->alive_ns = 0;
	if (cpu >= r->nr_cpus)
		r->nr_cpus = cpu + 1;
	return 0;
}

static void close_cpu(struct perf_rings *r, unsigned int cpu)
{
	struct perf_cpu_ring *c = &r->cpus[cpu];

	if (!c->open)
		return;
	c->lost_before += perf_events_lost_samples(&c->events);
	perf_events_close(&c->events);	/* leaves the epoll set with its last descriptor */
	c->open = false;
}

int perf_rings_open(struct perf_rings *r, const struct perf_event_setup *setup,
		    struct perf_order *order, int epoll_fd, struct op_error *e)
{
	struct perf_cpu_set online;
	int err;

	memset(r, 0, sizeof(*r));
	r->setup = *setup;
	r->order = order;
	r->epoll_fd = epoll_fd;
	err = perf_cpus_read(ONLINE_FILE, &online);
	if (err)
		return op_error_set(e, err, "cannot read the list of CPUs in %s: %s", ONLINE_FILE,
				    strerror(-err));
	for (unsigned int cpu = 0; cpu < online.end; cpu++) {
		err = online.has[cpu] ? open_cpu(r, cpu, e) : 0;
		if (err && err != -ENODEV) {
			perf_rings_close(r);
			return err;
		}
	}
	return r->nr_cpus ? 0 : op_error_set(e, -ENODEV, "no CPU could be opened");
}

void perf_rings_close(struct perf_rings *r)
{
	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++)
		close_cpu(r, cpu);
}

int perf_rings_sample(struct perf_rings *r, bool on, struct op_error *e)
{
	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++) {
		int err;

		r->cpus[cpu].throttled_at = 0;
		err = r->cpus[cpu].open ? perf_events_sample(&r->cpus[cpu].events, on) : 0;

		if (!err)
			continue;
		for (unsigned int i = 0; on && i < cpu; i++)
			if (r->cpus[i].open)
				perf_events_sample(&r->cpus[i].events, false);
		return op_error_set(e, err, "cannot %s sampling on CPU %u: %s",
				    on ? "start" : "stop", cpu, strerror(-err));
	}
	r->sampling = on;
	return 0;
}

static void unthrottle(struct perf_cpu_ring *c, uint64_t time, uint64_t period_ns)
{
	if (c->throttled_at && time > c->throttled_at)
		c->throttled += 1 + (time - c->throttled_at) / period_ns;
	c->throttled_at = 0;
}

static void take_record(struct perf_rings *r, unsigned int cpu, const void *bytes, size_t size)
{
	struct perf_cpu_ring *c = &r->cpus[cpu];
	struct perf_record record;

	if (perf_record_parse(bytes, size, &record)) {
		r->malformed++;
		return;
	}
	switch (record.kind) {
	case PERF_KIND_SAMPLE:
		perf_order_add_sample(r->order, cpu, &record.sample);
		break;
	case PERF_KIND_MMAP:
	case PERF_KIND_EXEC:
	case PERF_KIND_FORK:
	case PERF_KIND_EXIT:
		perf_order_add_change(r->order, &record, bytes, size);
		break;
	case PERF_KIND_LOST:
		c->lost_records += record.lost;
		break;
	case PERF_KIND_LOST_SAMPLES:
		c->lost_early += record.lost;
		break;
	case PERF_KIND_THROTTLE:
		c->throttled_at = record.time;
		break;
	case PERF_KIND_UNTHROTTLE:
		unthrottle(c, record.time, r->setup.period_ns);
		break;
	case PERF_KIND_OTHER:
		break;
	}
}

static void read_cpu(struct perf_rings *r, unsigned int cpu)
{
	struct perf_cpu_ring *c = &r->cpus[cpu];
	struct perf_ring *ring = &c->events.ring;
	uint64_t lost_records = c->lost_records, lost_mappings;
	const void *record;
	size_t size;

	perf_ring_begin(ring);
	while ((record = perf_ring_next(ring, &size)))
		take_record(r, cpu, record, size);
	perf_ring_end(ring);

	if (c->lost_records == lost_records)
		return;
	lost_mappings = perf_events_lost_mappings(&c->events);
	if (!c->events.tells_lost || lost_mappings != c->lost_mappings)
		r->missed_changes = true;
	c->lost_mappings = lost_mappings;
}

/*
 * The kernel lifts a throttle at the next tick. A CPU that idles without ticks has none, and would
 * miss the beginning of what it does next.
 */
static void lift_throttle(struct perf_rings *r, struct perf_cpu_ring *c, uint64_t now)
{
	if (r->sampling && c->throttled_at && now > c->throttled_at + THROTTLED_NS)
		perf_events_unthrottle(&c->events, r->setup.period_ns);
}

/* It went offline and came back between two looks, and its events did not. */
static bool is_dead(struct perf_cpu_ring *c)
{
	uint64_t before = c->alive_ns;

	c->alive_ns = perf_events_alive_ns(&c->events);
	return c->alive_ns == before;
}

static void follow_cpu(struct perf_rings *r, unsigned int cpu, bool online)
{
	struct perf_cpu_ring *c = &r->cpus[cpu];

	if (c->open && (!online || is_dead(c))) {
		read_cpu(r, cpu);
		close_cpu(r, cpu);
	}
	if (!online || c->open)
		return;
	if (open_cpu(r, cpu, NULL))
		return;		/* tried again at the next look */
	r->missed_changes = true;
	if (r->sampling)
		perf_events_sample(&c->events, true);
}

static void follow_cpus(struct perf_rings *r)
{
	struct perf_cpu_set online;

	if (perf_cpus_read(ONLINE_FILE, &online))
		return;
	for (unsigned int cpu = 0; cpu < r->nr_cpus || cpu < online.end; cpu++)
		follow_cpu(r, cpu, cpu < online.end && online.has[cpu]);
}

void perf_rings_read(struct perf_rings *r, uint64_t now)
{
	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++) {
		if (!r->cpus[cpu].open)
			continue;
		read_cpu(r, cpu);
		lift_throttle(r, &r->cpus[cpu], now);
	}
	if (now - r->looked_at >= LOOK_NS) {
		follow_cpus(r);
		r->looked_at = now;
	}
}

uint64_t perf_rings_lost(const struct perf_rings *r, unsigned int cpu)
{
	const struct perf_cpu_ring *c = &r->cpus[cpu];

	/* older kernels tell only the sum of samples and mappings */
	if (r->setup.no_lost)
		return c->lost_records + c->lost_early;
	return c->lost_before + c->lost_early +
	       (c->open ? perf_events_lost_samples(&c->events) : 0);
}

uint64_t perf_rings_throttled(const struct perf_rings *r, unsigned int cpu, uint64_t now)
{
	const struct perf_cpu_ring *c = &r->cpus[cpu];
	bool still = r->sampling && c->throttled_at && now > c->throttled_at;

	return c->throttled + (still ? (now - c->throttled_at) / r->setup.period_ns : 0);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rings.c - open and read the rings of all CPUs
 *
 * The events of a CPU that went offline stay dead when it comes back, so they are closed and opened
 * again. Changes on a CPU without events are missed. From then on, and after lost records, the
 * order has a gap: any process may have other mappings.
 */
#include "daemon/collect/perf/rings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/collect/collector.h"
#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/records.h"
#include "daemon/collect/perf/sysfs.h"
#include "daemon/collect/perf/targets.h"
#include "libutil/cpus.h"

#define ONLINE_FILE	"/sys/devices/system/cpu/online"
#define PRESENT_FILE	"/sys/devices/system/cpu/present"
#define FOLLOW_NS	NS_PER_SECOND	/* between two checks of the CPUs online */
#define THROTTLED_NS	(50 * NS_PER_MS)	/* longer than any tick */

/* The raw data of IBS could be taken for a stack. */
static bool has_copies(const struct perf_rings *r)
{
	for (unsigned int i = 0; i < r->setup.nr_counters; i++)
		if (r->setup.counters[i].counter >= COLLECTOR_COUNTERS_MAX)
			return false;
	return r->setup.copy_bytes;
}

/* A CPU that comes back gets the queue that it had. */
static int open_queue(struct perf_rings *r, unsigned int cpu)
{
	struct perf_cpu_ring *c = &r->cpus[cpu];
	struct perf_ring *ring = &c->events.ring;
	size_t bytes = perf_queue_bytes(ring->size, nr_cpus_online());
	int err = c->queue.ring.data ? 0 : perf_queue_init(&c->queue, bytes);

	if (err)
		return err;
	c->queue.has_copies = has_copies(r);
	return perf_drain_add(r->drain, cpu, &c->queue, ring, c->events.mappings_fd);
}

static int open_cpu(struct perf_rings *r, unsigned int cpu, struct op_error *e)
{
	struct perf_cpu_ring *c = &r->cpus[cpu];
	int err = perf_events_open(&c->events, cpu, &r->setup, e);

	if (err)
		return err;
	err = open_queue(r, cpu);
	if (err) {
		(void)op_error_set(e, err, "cannot drain the ring of CPU %u: %s", cpu,
				   strerror(-err));
		perf_events_close(&c->events);
		return err;
	}
	c->open = true;
	c->lost_mappings = c->alive_ns = c->newest = 0;
	if (cpu >= r->nr_cpus)
		r->nr_cpus = cpu + 1;
	return 0;
}

static void close_cpu(struct perf_rings *r, unsigned int cpu)
{
	struct perf_cpu_ring *c = &r->cpus[cpu];

	if (!c->open)
		return;
	perf_drain_remove(r->drain, cpu);
	perf_order_drop_stacks(r->order, cpu);
	perf_events_close(&c->events);	/* leaves the epoll set with its last descriptor */
	c->queue.ring.tail = c->queue.head;
	perf_ring_end(&c->queue.ring);
	c->open = false;
}

/* Whether any event can be counted on @cpu. */
static bool has_events(struct perf_rings *r, unsigned int cpu)
{
	if (!r->cpus[cpu].open)
		return false;
	if (perf_events_nr_open(&r->cpus[cpu].events))
		return true;
	if (!r->nr_without++)
		r->first_without = cpu;
	return false;
}

/* A thread's events survive when a CPU goes offline, so they are opened on all CPUs present. */
static int read_cpus(const struct perf_rings *r, struct perf_cpu_set *ret, struct op_error *e)
{
	const char *path = r->targets ? PRESENT_FILE : ONLINE_FILE;
	int err = perf_cpus_read(path, ret);

	if (!err)
		return 0;
	return op_error_set(e, err, "cannot read the list of CPUs in '%s': %s", path,
			    strerror(-err));
}

int perf_rings_open(struct perf_rings *r, const struct perf_event_setup *setup,
		    struct perf_targets *targets, const char *root, struct perf_order *order,
		    struct perf_drain *drain, struct op_error *e)
{
	struct perf_cpu_set cpus;
	bool any = false;
	int err;

	memset(r, 0, sizeof(*r));
	r->setup = *setup;
	r->targets = targets;
	r->root = root;
	r->order = order;
	r->drain = drain;
	err = read_cpus(r, &cpus, e);
	if (err)
		return err;
	for (unsigned int cpu = 0; cpu < cpus.end; cpu++) {
		err = cpus.has[cpu] ? open_cpu(r, cpu, e) : 0;
		if (err && err != -ENODEV) {
			perf_rings_close(r);
			return err;
		}
		any |= has_events(r, cpu);
	}
	if (!r->nr_cpus)
		return op_error_set(e, -ENODEV, "no CPU is online");
	if (any)
		return 0;
	perf_rings_close(r);
	return op_error_set(e, -ENODEV, "no online CPU can count any of the events");
}

void perf_rings_close(struct perf_rings *r)
{
	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++) {
		close_cpu(r, cpu);
		perf_queue_free(&r->cpus[cpu].queue);
		perf_events_free(&r->cpus[cpu].events);
	}
	r->nr_cpus = 0;
}

/* ---- events of further threads ---- */

/*
 * How often to list a process's threads. While it keeps starting some, each list has new ones, but
 * after a few lists those have inherited all events.
 */
#define LISTS_MAX	32

/* -ESRCH: the thread is gone. */
static int add_task(struct perf_rings *r, pid_t tid, struct op_error *e)
{
	unsigned int cpu;
	int err = 0;

	r->setup.tid = tid;
	for (cpu = 0; cpu < r->nr_cpus && !err; cpu++)
		if (r->cpus[cpu].open)
			err = perf_events_add_task(&r->cpus[cpu].events, cpu, &r->setup, e);
	for (unsigned int i = 0; err && i + 1 < cpu; i++)
		if (r->cpus[i].open)
			perf_events_drop_task(&r->cpus[i].events, r->setup.nr_counters);
	return err;
}

static int add_tasks(struct perf_rings *r, const pid_t *tids, size_t nr, struct op_error *e)
{
	for (size_t i = 0; i < nr; i++) {
		int err = add_task(r, tids[i], e);

		if (!err)
			perf_targets_opened(r->targets, tids[i]);
		else if (err != -ESRCH)
			return err;
	}
	return 0;
}

/* A process or thread that ended meanwhile is no error. */
static int open_process(struct perf_rings *r, pid_t pid, struct op_error *e)
{
	int err = 0;

	for (int i = 0; i < LISTS_MAX && !err; i++) {
		size_t nr;
		pid_t *tids;

		err = perf_targets_new_threads(r->targets, pid, &tids, &nr);
		if (!err)
			err = add_tasks(r, tids, nr, e);
		free(tids);
		if (!nr)
			break;
	}
	return err == -ESRCH ? 0 : err;
}

int perf_rings_open_threads(struct perf_rings *r, struct op_error *e)
{
	const struct collector_targets *wanted = r->targets->wanted;
	int err = 0;

	for (unsigned int i = 0; i < wanted->nr && !wanted->on_exec && !err; i++)
		err = open_process(r, wanted->pids[i], e);
	return err;
}

/* ---- sampling on and off ---- */

int perf_rings_sample(struct perf_rings *r, bool on, struct op_error *e)
{
	for (unsigned int cpu = 0; cpu < r->nr_cpus && !(on && r->setup.on_exec); cpu++) {
		int err = r->cpus[cpu].open ? perf_events_sample(&r->cpus[cpu].events, on) : 0;

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

/* ---- reading ---- */

/* A record on its ring. */
struct ring_record {
	const unsigned char *at;
	size_t size;
	uint64_t position;
};

/* [PC-4] */
static void throttle(const struct perf_rings *r, struct perf_events *ev,
		     const struct perf_record *t)
{
	struct perf_cpu_counter *c = perf_events_find(ev, t->id);

	if (!c)
		return;
	c->throttled_at = t->time;
	c->throttled += !perf_rings_period_ns(r, c);
}

static void unthrottle(const struct perf_rings *r, struct perf_events *ev,
		       const struct perf_record *t)
{
	struct perf_cpu_counter *c = perf_events_find(ev, t->id);
	uint64_t period = c ? perf_rings_period_ns(r, c) : 0;

	if (!c)
		return;
	if (period && c->throttled_at && t->time > c->throttled_at)
		c->throttled += 1 + (t->time - c->throttled_at) / period;
	c->throttled_at = 0;
}

/* Samples of an unknown event get no valid counter: the decoder counts them as malformed. */
static void take_sample(struct perf_rings *r, unsigned int cpu, struct perf_record *record,
			const struct ring_record *l)
{
	const struct perf_cpu_counter *c = perf_events_find(&r->cpus[cpu].events, record->id);
	struct perf_sample *s = &record->sample;

	if (c && r->targets && perf_targets_is_duplicate(r->targets, record->tid, c->task))
		return;
	s->counter = c ? c->counter : UINT32_MAX;
	if (r->setup.cgroups)
		s->cgroup = perf_record_cgroup(l->at, l->size);
	if (c && r->setup.max_addresses) {
		s->stack = l->at + PERF_SAMPLE_BYTES;
		s->stack_size = (uint32_t)(l->size - PERF_SAMPLE_BYTES);
		s->position = l->position;
		s->walked = record->id == c->output_id || record->id == c->former_output_id;
	}
	if (c && c->counter >= COLLECTOR_COUNTERS_MAX) {	/* IBS: needs the whole record */
		perf_order_add_change(r->order, record, l->at, l->size);
		return;
	}
	perf_order_add_sample(r->order, cpu, s);
}

static void take_record(struct perf_rings *r, unsigned int cpu, const struct ring_record *l)
{
	struct perf_cpu_ring *c = &r->cpus[cpu];
	uint64_t newest = c->newest;
	struct perf_record record;

	if (perf_record_parse(l->at, l->size, &record)) {
		r->malformed++;
		return;
	}
	if (record.time > c->newest)
		c->newest = record.time;
	switch (record.kind) {
	case PERF_KIND_SAMPLE:
		take_sample(r, cpu, &record, l);
		break;
	case PERF_KIND_EXIT:
		if (r->targets)
			perf_targets_exit(r->targets, record.tid);
		/* fall through */
	case PERF_KIND_MMAP:
	case PERF_KIND_EXEC:
	case PERF_KIND_FORK:
	case PERF_KIND_CGROUP:
	case PERF_KIND_COMM:
	case PERF_KIND_CODE:
		perf_order_add_change(r->order, &record, l->at, l->size);
		break;
	case PERF_KIND_LOST:
		if (!c->has_gap)
			c->complete = newest;
		c->has_gap = true;
		c->lost_records += record.lost;
		break;
	case PERF_KIND_LOST_SAMPLES:
		c->lost_early += record.lost;
		break;
	case PERF_KIND_THROTTLE:
		throttle(r, &c->events, &record);
		break;
	case PERF_KIND_UNTHROTTLE:
		unthrottle(r, &c->events, &record);
		break;
	case PERF_KIND_OTHER:
		break;
	}
}

/* Stacks of waiting samples are read later, so their records stay in the queue. */
static void release(struct perf_rings *r, unsigned int cpu)
{
	struct perf_ring *ring = &r->cpus[cpu].queue.ring;

	if (r->setup.max_addresses)
		perf_ring_release(ring, perf_order_held(r->order, cpu, ring->tail));
	else
		perf_ring_end(ring);
}

/*
 * Only a ring that was full can have lost records. The kernel counts them at once (Linux 6.0), but
 * reports them with the next record that finds room, which may come after samples on other CPUs.
 */
static void check_lost_changes(struct perf_rings *r, struct perf_cpu_ring *c)
{
	uint64_t lost_mappings;

	if (!c->has_gap)
		c->complete = c->newest;
	lost_mappings = perf_events_lost_mappings(&c->events);
	if (!c->events.has_lost_counts || lost_mappings != c->lost_mappings)
		perf_order_add_gap(r->order, c->complete);
	c->lost_mappings = lost_mappings;
	c->has_gap = false;
}

/* The records of @cpu in its queue or, when that is closed, those left in its ring. */
static void read_records(struct perf_rings *r, unsigned int cpu, struct perf_ring *ring)
{
	struct perf_cpu_ring *c = &r->cpus[cpu];
	struct ring_record l = { .position = ring->tail };

	while ((l.at = perf_ring_next(ring, &l.size))) {
		take_record(r, cpu, &l);
		l.position = ring->tail;
	}
	if (c->has_gap || (c->queue.was_full && c->events.has_lost_counts))
		check_lost_changes(r, c);
}

/* All that is left, before the ring is closed. */
static void read_rest(struct perf_rings *r, unsigned int cpu)
{
	struct perf_cpu_ring *c = &r->cpus[cpu];

	perf_drain_remove(r->drain, cpu);
	perf_ring_begin(&c->queue.ring);
	read_records(r, cpu, &c->queue.ring);
	perf_ring_begin(&c->events.ring);
	read_records(r, cpu, &c->events.ring);
}

/*
 * The kernel lifts a throttle at the next tick. A CPU that idles without ticks would miss the
 * beginning of its next work.
 */
static void lift_throttles(struct perf_rings *r, struct perf_events *ev, uint64_t now)
{
	for (unsigned int i = 0; i < ev->nr && r->sampling; i++) {
		const struct perf_cpu_counter *c = &ev->counters[i];

		if (c->throttled_at && now > c->throttled_at + THROTTLED_NS)
			perf_events_unthrottle(c, r->setup.counters[c->which].period);
	}
}

/* Whether the CPU went offline and came back between two checks: its events did not. */
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
		read_rest(r, cpu);
		close_cpu(r, cpu);
	}
	if (!online || c->open)
		return;
	perf_counters_refresh(r->setup.counters, r->setup.nr_counters, r->root);
	if (open_cpu(r, cpu, NULL))
		return;		/* tried again at the next check */
	perf_order_add_gap(r->order, r->followed_at);
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

/* On a copy, up to its newest head: a sample's fork in another ring may be past the old one. */
static void find_forks(struct perf_targets *t, struct perf_ring ring)
{
	const struct perf_event_header *header;
	struct perf_record r;
	size_t size;

	perf_ring_begin(&ring);
	while ((header = perf_ring_next(&ring, &size)))
		if (header->type == PERF_RECORD_FORK && !perf_record_parse(header, size, &r))
			perf_targets_fork(t, r.tid, r.parent_tid);
}

static void prepare_targets(struct perf_rings *r)
{
	perf_targets_begin_reading(r->targets);
	if (!r->targets->nr_late)
		return;
	perf_drain_pass(r->drain);
	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++)
		if (r->cpus[cpu].open)
			find_forks(r->targets, r->cpus[cpu].queue.ring);
}

uint64_t perf_rings_read(struct perf_rings *r, uint64_t now)
{
	uint64_t complete = UINT64_MAX;

	perf_drain_pass(r->drain);
	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++)
		if (r->cpus[cpu].open)
			perf_ring_begin(&r->cpus[cpu].queue.ring);
	if (r->targets)
		prepare_targets(r);
	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++) {
		struct perf_cpu_ring *c = &r->cpus[cpu];

		if (!c->open)
			continue;
		read_records(r, cpu, &c->queue.ring);
		release(r, cpu);
		if (c->queue.was_behind && c->newest < complete)
			complete = c->newest;
		lift_throttles(r, &c->events, now);
	}
	if (now - r->followed_at < FOLLOW_NS)
		return complete;
	if (!r->targets)
		follow_cpus(r);
	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++)
		if (r->cpus[cpu].open && r->setup.counters[0].type != PERF_TYPE_SOFTWARE)
			perf_events_check(&r->cpus[cpu].events);
	r->followed_at = now;
	return complete;
}

void perf_rings_release(struct perf_rings *r)
{
	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++)
		if (r->cpus[cpu].open)
			release(r, cpu);
}

int perf_rings_copy(struct perf_rings *r, uint32_t bytes)
{
	int err = 0;

	r->setup.copy_bytes = bytes;
	for (unsigned int cpu = 0; cpu < r->nr_cpus && !err; cpu++)
		if (r->cpus[cpu].open)
			err = perf_events_replace(&r->cpus[cpu].events, cpu, &r->setup);
	return err;
}

/* ---- sums ---- */

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

	/* older kernels count samples and mappings together */
	if (r->setup.no_lost)
		return c->lost_records + c->lost_early;
	return c->lost_early + perf_events_lost_samples(&c->events);
}

uint64_t perf_rings_bytes(const struct perf_rings *r)
{
	uint64_t sum = 0;

	for (unsigned int cpu = 0; cpu < r->nr_cpus; cpu++) {
		const struct perf_ring *ring = &r->cpus[cpu].events.ring;

		sum += ring->mapped ? __atomic_load_n(&ring->page->data_head, __ATOMIC_RELAXED) : 0;
	}
	return sum;
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

void perf_rings_note(const struct perf_rings *r, char *note, size_t size)
{
	note[0] = '\0';
	for (unsigned int i = 0; i < r->setup.nr_counters; i++) {
		const struct perf_counter *c = &r->setup.counters[i];

		if (!c->precise_asked || c->precise)
			continue;
		snprintf(note, size, "event '%s': precise addresses are unsupported on this CPU; "
			 "its samples are a few instructions late", c->name);
		return;
	}
	if (r->nr_without)
		snprintf(note, size, "%u CPUs are not sampled, the first is CPU %u: CPUs of their "
			 "type cannot count the events", r->nr_without, r->first_without);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events.c - open, enable, read and close the perf events of one CPU on one ring
 */
#include "daemon/collect/perf/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "daemon/collect/bpf/walker.h"
#include "daemon/collect/collector.h"
#include "daemon/collect/perf/copy_size.h"
#include "daemon/collect/perf/open.h"
#include "libutil/sorted.h"
#include "libutil/xalloc.h"

/* Map the largest ring that we may lock, at most setup->ring_pages. */
static int map_ring(struct perf_events *ev, struct perf_event_setup *setup)
{
	int err = perf_ring_map(&ev->ring, ev->mappings_fd, setup->ring_pages);

	while ((err == -EPERM || err == -ENOMEM) && setup->ring_pages > 1) {
		setup->ring_pages /= 2;
		err = perf_ring_map(&ev->ring, ev->mappings_fd, setup->ring_pages);
	}
	return err;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static enum bpf_watch_flags watch_flags(const struct perf_counter *c)
{
	if (!perf_counter_is_clock(c))
		return 0;
	return BPF_WATCH_BY_TIME | (c->kernel ? 0 : BPF_WATCH_NO_KERNEL) |
	       (c->user ? 0 : BPF_WATCH_NO_USER) | (c->exclude_idle ? BPF_WATCH_NO_IDLE : 0);
}

/* What is open is closed by close_counter(). */
static int open_walker(const struct perf_events *ev, unsigned int cpu,
		       const struct perf_event_setup *setup, struct perf_cpu_counter *c,
		       struct op_error *e)
{
	uint32_t place = cpu * COLLECTOR_COUNTERS_MAX + c->which;
	int err = 0;

	c->output_fd = perf_open_output(cpu, setup);
	if (c->output_fd < 0) {
		err = c->output_fd;
		c->output_fd = -1;
		return perf_open_error(err, NULL, cpu, e);
	}
	if (ioctl(c->output_fd, PERF_EVENT_IOC_SET_OUTPUT, ev->mappings_fd) < 0 ||
	    ioctl(c->output_fd, PERF_EVENT_IOC_ID, &c->output_id) < 0)
		err = -errno;
	if (!err) {
		c->link_fd = bpf_walker_attach(setup->walker, c->fd, c->output_fd, place,
					       watch_flags(&setup->counters[c->which]));
		err = c->link_fd < 0 ? c->link_fd : 0;
	}
	return err ? op_error_set(e, err, "cannot run the BPF program on CPU %u: %s", cpu,
				  strerror(-err)) : 0;
}

static int open_counter(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup,
			struct perf_cpu_counter *c, struct op_error *e)
{
	struct perf_counter *asked = &setup->counters[c->which];

	c->fd = perf_open_sampling(cpu, setup, asked);
	if (c->fd < 0) {
		int err = c->fd;

		c->fd = -1;
		return perf_open_error(err, asked, cpu, e);
	}
	if (ioctl(c->fd, PERF_EVENT_IOC_SET_OUTPUT, ev->mappings_fd) < 0 ||
	    ioctl(c->fd, PERF_EVENT_IOC_ID, &c->id) < 0)
		return op_error_set(e, -errno, "cannot share the ring of CPU %u: %s", cpu,
				    strerror(errno));
	/* the kernel runs no such program for a precise event unless it lists user callers */
	if (!setup->walker || asked->raw || asked->precise)
		return 0;
	return open_walker(ev, cpu, setup, c, e);
}

/* Make room for the events of one more thread. Those of the first thread keep their sums. */
static void prepare(struct perf_events *ev, const struct perf_event_setup *setup, unsigned int task)
{
	unsigned int first = task * setup->nr_counters;

	if (!ev->counters || task) {
		ev->counters = xrealloc_array(ev->counters, first + setup->nr_counters,
					      sizeof(*ev->counters));
		memset(ev->counters + first, 0, setup->nr_counters * sizeof(*ev->counters));
	}
	ev->found = NULL;
	ev->nr = first + setup->nr_counters;
	for (unsigned int i = 0; i < setup->nr_counters; i++) {
		struct perf_cpu_counter *c = &ev->counters[first + i];

		c->fd = c->output_fd = c->link_fd = -1;
		c->id = c->former_id = c->output_id = c->former_output_id = 0;
		c->which = i;
		c->task = task;
		c->throttled_at = 0;
		c->counter = setup->counters[i].counter;
	}
}

/* The kernel's ids rise; an event that is not opened gets the id of the one before it. */
static int open_counters(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup,
			 unsigned int task, struct op_error *e)
{
	for (unsigned int i = task * setup->nr_counters; i < ev->nr; i++) {
		struct perf_cpu_counter *c = &ev->counters[i];
		int err;

		if (!perf_counter_is_on(&setup->counters[c->which], cpu)) {
			c->id = i ? c[-1].id : 0;
			continue;
		}
		err = open_counter(ev, cpu, setup, c, e);
		if (err)
			return err;
	}
	return 0;
}

static void fit_copies(struct perf_event_setup *setup, size_t ring_bytes)
{
	uint32_t most = perf_copy_most(ring_bytes, setup->copy_period_ns, setup->tid);

	if (setup->copy_bytes > most)
		setup->copy_bytes = most;
}

int perf_events_open(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup,
		     struct op_error *e)
{
	int err;

	prepare(ev, setup, 0);
	ev->sampling = false;
	ev->mappings_fd = perf_open_mappings(cpu, setup);
	if (ev->mappings_fd < 0) {
		err = perf_open_error(ev->mappings_fd, NULL, cpu, e);
		goto close_events;
	}
	ev->has_lost_counts = !setup->no_lost;
	err = map_ring(ev, setup);
	if (err) {
		op_error_set(e, err, "cannot map the ring of CPU %u: %s; "
				     "see kernel.perf_event_mlock_kb and ulimit -l",
			     cpu, strerror(-err));
		goto close_events;
	}
	if (setup->copy_bytes)
		fit_copies(setup, ev->ring.size);
	err = open_counters(ev, cpu, setup, 0, e);
	if (!err)
		return 0;

close_events:
	perf_events_close(ev);
	return err;
}

int perf_events_add_task(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup,
			 struct op_error *e)
{
	unsigned int task = ev->nr_more + 1;
	int fd = perf_open_mappings(cpu, setup), err;

	if (fd < 0)
		return perf_open_error(fd, NULL, cpu, e);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ev->mappings_fd) < 0) {
		err = op_error_set(e, -errno, "cannot share the ring of CPU %u: %s", cpu,
				   strerror(errno));
		close(fd);
		return err;
	}
	ev->more_mappings_fds = xrealloc_array(ev->more_mappings_fds, task, sizeof(int));
	ev->more_mappings_fds[ev->nr_more++] = fd;
	prepare(ev, setup, task);
	err = open_counters(ev, cpu, setup, task, e);
	if (err)
		perf_events_drop_task(ev, setup->nr_counters);
	return err;
}

void perf_events_drop_task(struct perf_events *ev, unsigned int nr_counters)
{
	ev->found = NULL;
	for (unsigned int i = 0; i < nr_counters; i++)
		close_fd(&ev->counters[--ev->nr].fd);
	close_fd(&ev->more_mappings_fds[--ev->nr_more]);
}

/* Result of read() on any of the events; lost only if the kernel supports it. */
struct reading {
	uint64_t value, time_enabled, time_running, lost;
};

static struct reading read_event(int fd)
{
	struct reading r = { 0 };

	if (fd < 0 || read(fd, &r, sizeof(r)) < 0)
		r = (struct reading){ 0 };
	return r;
}

static void close_counter(struct perf_cpu_counter *c)
{
	struct reading r;

	close_fd(&c->link_fd);
	r = read_event(c->fd);
	c->lost_before += r.lost + read_event(c->output_fd).lost;
	close_fd(&c->output_fd);
	c->times_before.enabled_ns += r.time_enabled;
	c->times_before.running_ns += r.time_running;
	close_fd(&c->fd);
}

void perf_events_close(struct perf_events *ev)
{
	for (unsigned int i = 0; i < ev->nr; i++)
		close_counter(&ev->counters[i]);
	perf_ring_unmap(&ev->ring);
	for (unsigned int i = 0; i < ev->nr_more; i++)
		close(ev->more_mappings_fds[i]);
	ev->nr_more = 0;
	close_fd(&ev->mappings_fd);
}

void perf_events_free(struct perf_events *ev)
{
	free(ev->counters);
	free(ev->more_mappings_fds);
	memset(ev, 0, sizeof(*ev));
}

/* Replace the event of @c by @fresh. Its records in the ring are recognized by former_id. */
static void replace(struct perf_cpu_counter *c, const struct perf_cpu_counter *fresh, bool sampling)
{
	if (sampling && c->fd >= 0) {
		(void)ioctl(c->fd, PERF_EVENT_IOC_DISABLE, 0);
		(void)ioctl(fresh->fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	close_counter(c);
	c->output_fd = fresh->output_fd;
	c->link_fd = fresh->link_fd;
	c->former_output_id = c->output_id;
	c->output_id = fresh->output_id;
	c->fd = fresh->fd;
	c->former_id = c->id;
	c->id = fresh->id;
	c->throttled_at = 0;
}

int perf_events_replace(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup)
{
	struct perf_events fresh = { .mappings_fd = ev->mappings_fd };
	int err;

	if (setup->tid)
		return -EBUSY;
	prepare(&fresh, setup, 0);
	err = open_counters(&fresh, cpu, setup, 0, NULL);
	for (unsigned int i = 0; i < fresh.nr; i++) {
		if (err)
			close_counter(&fresh.counters[i]);
		else
			replace(&ev->counters[i], &fresh.counters[i], ev->sampling);
	}
	free(fresh.counters);
	return err;
}

int perf_events_sample(struct perf_events *ev, bool on)
{
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	int err = 0;

	for (unsigned int i = 0; i < ev->nr && !err; i++) {
		struct perf_cpu_counter *c = &ev->counters[i];

		c->throttled_at = 0;
		if (c->fd >= 0 && ioctl(c->fd, request, 0) < 0)
			err = -errno;
	}
	if (err && on)
		(void)perf_events_sample(ev, false);
	ev->sampling = on && !err;
	return err;
}

static struct perf_cpu_counter *search_others(struct perf_events *ev, uint64_t id)
{
	for (unsigned int i = 0; id && i < ev->nr; i++) {
		struct perf_cpu_counter *c = &ev->counters[i];

		if (c->output_id == id)
			return ev->found = c;
		if (c->former_id == id || c->former_output_id == id)
			return c;
	}
	return NULL;
}

/* The first with that id: one that is not open has the id of the one before. */
struct perf_cpu_counter *perf_events_search(struct perf_events *ev, uint64_t id)
{
	size_t first = first_not(ev->nr, i, ev->counters[i].id < id);

	if (first == ev->nr || ev->counters[first].id != id)
		return search_others(ev, id);
	ev->found = &ev->counters[first];
	return ev->found;
}

unsigned int perf_events_nr_open(const struct perf_events *ev)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < ev->nr; i++)
		nr += ev->counters[i].fd >= 0;
	return nr;
}

void perf_events_unthrottle(const struct perf_cpu_counter *c, uint64_t period)
{
	if (c->fd >= 0)
		(void)ioctl(c->fd, PERF_EVENT_IOC_PERIOD, &period);
}

void perf_events_check(struct perf_events *ev)
{
	for (unsigned int i = 0; i < ev->nr && ev->sampling; i++) {
		int fd = ev->counters[i].fd;
		struct reading r;

		if (fd < 0 || read(fd, &r, sizeof(r)))
			continue;
		ev->errors++;
		(void)ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	}
}

uint64_t perf_events_alive_ns(const struct perf_events *ev)
{
	return read_event(ev->mappings_fd).time_running;
}

bool perf_events_add_times(const struct perf_events *ev, unsigned int counter,
			   struct perf_times *times)
{
	bool any = false;

	for (unsigned int i = 0; i < ev->nr; i++) {
		const struct perf_cpu_counter *c = &ev->counters[i];
		struct reading r;

		if (c->counter != counter)
			continue;
		r = read_event(c->fd);
		times->enabled_ns += c->times_before.enabled_ns + r.time_enabled;
		times->running_ns += c->times_before.running_ns + r.time_running;
		any = true;
	}
	return any;
}

uint64_t perf_events_lost_samples(const struct perf_events *ev)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < ev->nr; i++)
		sum += ev->counters[i].lost_before + read_event(ev->counters[i].fd).lost +
		       read_event(ev->counters[i].output_fd).lost;
	return sum;
}

uint64_t perf_events_lost_mappings(const struct perf_events *ev)
{
	uint64_t sum = read_event(ev->mappings_fd).lost;

	for (unsigned int i = 0; i < ev->nr_more; i++)
		sum += read_event(ev->more_mappings_fds[i]).lost;
	return sum;
}

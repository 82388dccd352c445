// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_events.c - open the perf events of one CPU, with as much as its kernel and hardware offer
 */
#include "perf_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf_clock.h"
#include "perf_explain.h"
#include "perf_records.h"
#include "xalloc.h"

static struct perf_event_attr common_attr(const struct perf_event_setup *setup)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(a) };

	a.sample_type = PERF_RECORD_SAMPLE_TYPE;
	a.sample_id_all = 1;
	a.use_clockid = 1;
	a.clockid = PERF_CLOCK;
	a.watermark = 1;	/* be woken when a quarter is full; a timer does the rest */
	a.wakeup_watermark = (uint32_t)(setup->ring_pages * (size_t)sysconf(_SC_PAGESIZE) / 4);
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			(setup->no_lost ? 0 : PERF_FORMAT_LOST);
	return a;
}

static struct perf_event_attr sampling_attr(const struct perf_event_setup *setup,
					    const struct perf_counter *c)
{
	struct perf_event_attr a = common_attr(setup);

	a.type = c->type;
	a.config = c->config;
	a.sample_period = c->period;
	a.precise_ip = c->precise;
	a.sample_type |= c->raw ? PERF_SAMPLE_RAW : 0;
	a.disabled = 1;
	a.exclude_kernel = !c->kernel;
	a.exclude_user = !c->user;
	a.exclude_idle = c->exclude_idle;
	a.exclude_guest = !c->guests_too;
	return a;
}

static struct perf_event_attr mappings_attr(const struct perf_event_setup *setup)
{
	struct perf_event_attr a = common_attr(setup);

	a.config = PERF_COUNT_SW_DUMMY;
	a.mmap = a.mmap2 = 1;
	a.comm = a.comm_exec = 1;
	a.task = 1;
	a.build_id = !setup->no_build_ids;
	return a;
}

static long sys_open(struct perf_event_attr *a, unsigned int cpu)
{
	return syscall(SYS_perf_event_open, a, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_event(const struct perf_event_attr *attr, unsigned int cpu)
{
	struct perf_event_attr a = *attr;
	struct rlimit limit;
	long fd = sys_open(&a, cpu);

	if (fd < 0 && errno == EMFILE && !getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur *= 2;
		if (limit.rlim_cur > limit.rlim_max)
			limit.rlim_max = limit.rlim_cur;	/* as root we may */
		if (!setrlimit(RLIMIT_NOFILE, &limit))
			fd = sys_open(&a, cpu);
		else
			errno = EMFILE;
	}
	return fd < 0 ? -errno : (int)fd;
}

/* Newer features are asked for once, the newest first, and done without where they are unknown. */
static int open_mappings(unsigned int cpu, struct perf_event_setup *setup)
{
	bool *const newer[] = { &setup->no_lost, &setup->no_build_ids };
	struct perf_event_attr attr = mappings_attr(setup);
	int fd = open_event(&attr, cpu);

	for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
		if ((fd != -EINVAL && fd != -E2BIG) || *newer[i])
			continue;
		*newer[i] = true;
		attr = mappings_attr(setup);
		fd = open_event(&attr, cpu);
	}
	return fd;
}

static bool may_be_asked_too_much(int err)
{
	return err == -EINVAL || err == -EOPNOTSUPP || err == -ENOENT;
}

/* The highest precise level that is taken, at each with guests left out if that is possible. */
static int open_lowered(unsigned int cpu, const struct perf_event_setup *setup,
			struct perf_counter *c)
{
	struct perf_counter trial = *c;
	int fd;

	for (;;) {
		struct perf_event_attr attr = sampling_attr(setup, &trial);

		fd = open_event(&attr, cpu);
		if (fd >= 0)
			break;
		if (!may_be_asked_too_much(fd))
			return fd;
		if (!trial.guests_too) {
			trial.guests_too = true;
		} else if (trial.precise) {
			trial.precise--;
			trial.guests_too = c->guests_too;
		} else {
			return fd;
		}
	}
	c->precise = trial.precise;
	c->guests_too = trial.guests_too;
	return fd;
}

static int open_sampling(unsigned int cpu, const struct perf_event_setup *setup,
			 struct perf_counter *c)
{
	int fd = open_lowered(cpu, setup, c), other;
	struct perf_counter generic = *c;

	if (!c->cycles || !may_be_asked_too_much(fd))
		return fd;
	generic.type = PERF_TYPE_HARDWARE;	/* [PC-53] */
	generic.config = PERF_COUNT_HW_CPU_CYCLES;
	other = open_lowered(cpu, setup, &generic);
	if (other < 0)
		return fd;
	*c = generic;
	return other;
}

/* The largest ring that we may lock, up to what was asked for. */
static int map_ring(struct perf_events *ev, struct perf_event_setup *setup)
{
	int err = perf_ring_map(&ev->ring, ev->mappings_fd, setup->ring_pages);

	while ((err == -EPERM || err == -ENOMEM) && setup->ring_pages > 1) {
		setup->ring_pages /= 2;
		err = perf_ring_map(&ev->ring, ev->mappings_fd, setup->ring_pages);
	}
	return err;
}

static int open_counter(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup,
			unsigned int i, struct op_error *e)
{
	struct perf_cpu_counter *c = &ev->counters[i];

	c->fd = open_sampling(cpu, setup, &setup->counters[i]);
	if (c->fd < 0) {
		int err = c->fd;

		c->fd = -1;
		return perf_explain(err, &setup->counters[i], cpu, e);
	}
	if (ioctl(c->fd, PERF_EVENT_IOC_SET_OUTPUT, ev->mappings_fd) < 0 ||
	    ioctl(c->fd, PERF_EVENT_IOC_ID, &c->id) < 0)
		return op_error_set(e, -errno, "cannot share the ring of CPU %u: %s", cpu,
				    strerror(errno));
	return 0;
}

static void prepare(struct perf_events *ev, const struct perf_event_setup *setup)
{
	if (!ev->counters)
		ev->counters = xcalloc(setup->nr_counters, sizeof(*ev->counters));
	ev->nr = setup->nr_counters;
	ev->mappings_fd = -1;
	for (unsigned int i = 0; i < ev->nr; i++) {
		ev->counters[i].fd = -1;
		ev->counters[i].id = 0;
		ev->counters[i].throttled_at = 0;
		ev->counters[i].counter = setup->counters[i].counter;
	}
}

int perf_events_open(struct perf_events *ev, unsigned int cpu, struct perf_event_setup *setup,
		     struct op_error *e)
{
	int err;

	prepare(ev, setup);
	ev->mappings_fd = open_mappings(cpu, setup);
	if (ev->mappings_fd < 0) {
		err = perf_explain(ev->mappings_fd, NULL, cpu, e);
		goto close_events;
	}
	ev->tells_lost = !setup->no_lost;
	err = map_ring(ev, setup);
	if (err) {
		op_error_set(e, err, "cannot map the ring of CPU %u: %s; "
				     "see kernel.perf_event_mlock_kb and ulimit -l",
			     cpu, strerror(-err));
		goto close_events;
	}
	for (unsigned int i = 0; i < ev->nr; i++) {
		if (!perf_counter_is_on(&setup->counters[i], cpu))
			continue;
		err = open_counter(ev, cpu, setup, i, e);
		if (err)
			goto close_events;
	}
	return 0;

close_events:
	perf_events_close(ev);
	return err;
}

/* What read() on any of the events gives; the last one only if the kernel tells it. */
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

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_counter(struct perf_cpu_counter *c)
{
	struct reading r = read_event(c->fd);

	c->lost_before += r.lost;
	c->times_before.enabled_ns += r.time_enabled;
	c->times_before.running_ns += r.time_running;
	close_fd(&c->fd);
}

void perf_events_close(struct perf_events *ev)
{
	for (unsigned int i = 0; i < ev->nr; i++)
		close_counter(&ev->counters[i]);
	perf_ring_unmap(&ev->ring);
	close_fd(&ev->mappings_fd);
}

void perf_events_free(struct perf_events *ev)
{
	free(ev->counters);
	memset(ev, 0, sizeof(*ev));
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
	return err;
}

struct perf_cpu_counter *perf_events_search(struct perf_events *ev, uint64_t id)
{
	for (unsigned int i = 0; i < ev->nr; i++) {
		if (ev->counters[i].id == id) {
			ev->found = &ev->counters[i];
			return ev->found;
		}
	}
	return NULL;
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
		sum += ev->counters[i].lost_before + read_event(ev->counters[i].fd).lost;
	return sum;
}

uint64_t perf_events_lost_mappings(const struct perf_events *ev)
{
	return read_event(ev->mappings_fd).lost;
}

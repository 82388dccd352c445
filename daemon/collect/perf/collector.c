// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collector.c - collect samples through perf_event_open(2)
 *
 * Where no module can be loaded, the kernel's own events sample every CPU, by time or by what its
 * hardware counts, and what the module would know from inside is worked out here from the records
 * of mmap, exec, fork and exit: rings -> order in time -> processes and mappings -> words.
 * doc/perf-collector.md.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "daemon/collect/cgroup_handle.h"
#include "daemon/collect/ibs/config.h"
#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/events.h"
#include "daemon/collect/perf/private.h"
#include "libutil/file.h"

#define MAX_RATE_FILE	"/proc/sys/kernel/perf_event_max_sample_rate"

#define DRAIN_NS	(100 * NS_PER_MS)	/* how long a sample waits when few come */
#define SLACK_NS	(10 * NS_PER_MS)	/* a record may be this late in its ring [PC-13] */
#define SETTLE_NS	NS_PER_MS		/* a record being written when a flush begins */
#define REREAD_NS	(5 * NS_PER_SECOND)	/* between two readings of all of /proc */

/* --- set-up --- */

static int make_setup(struct perf_collector *p, const struct collector_config *config,
		      struct perf_event_setup *ret, struct op_error *e)
{
	struct perf_machine machine = { .root = "", .ticks_while_idle = perf_ticks_while_idle() };
	struct perf_event_setup s = { 0 };
	uint64_t period_ns;
	int err;

	if (file_read_u64(MAX_RATE_FILE, &machine.max_rate))
		machine.max_rate = 0;
	err = perf_counters_make(config, &machine, &s.counters, &s.nr_counters, e);
	if (err)
		return err;
	period_ns = perf_counters_period_ns(s.counters, s.nr_counters, config->clock_khz,
					    machine.max_rate);
	s.ring_pages = perf_ring_pages(period_ns, config->buffer_words,
				       (size_t)sysconf(_SC_PAGESIZE));
	perf_callers_open(&p->callers, config, period_ns, &s);
	s.cgroups = config->cgroups && cgroup_paths_are_whole();
	p->counters = s.counters;
	p->by_time = collects_by_time(config);
	snprintf(p->cpu_type, sizeof(p->cpu_type), "%s", p->by_time ? "timer" : config->cpu_type);
	*ret = s;
	return 0;
}

/* What poll() waits for: a ring a quarter full, or a tenth of a second. */
static int open_poll(struct perf_collector *p, struct op_error *e)
{
	struct itimerspec every = { { 0, DRAIN_NS }, { 0, DRAIN_NS } };
	struct epoll_event event = { .events = EPOLLIN };

	p->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	p->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (p->epoll_fd < 0 || p->timer_fd < 0 || timerfd_settime(p->timer_fd, 0, &every, NULL) ||
	    epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, p->timer_fd, &event))
		return op_error_set(e, -errno, "cannot set up waiting for samples: %s",
				    strerror(errno));
	return 0;
}

static void perf_close(struct collector *c)
{
	struct perf_collector *p = perf_collector_of(c);

	perf_rings_close(&p->rings);
	perf_targets_free(&p->targets);
	free(p->counters);
	p->counters = NULL;
	perf_callers_close(&p->callers);
	if (p->cookies) {
		perf_processes_free(&p->processes);
		perf_cookies_free(p->cookies);
		p->cookies = NULL;
	}
	perf_cgroups_free(p->cgroups);
	p->cgroups = NULL;
	perf_comms_free(p->comms);
	p->comms = NULL;
	perf_modules_free(&p->modules);
	perf_order_free(p->order);
	p->order = NULL;
	if (p->timer_fd >= 0)
		close(p->timer_fd);
	if (p->epoll_fd >= 0)
		close(p->epoll_fd);
	p->timer_fd = p->epoll_fd = -1;
}

static int open_rings(struct perf_collector *p, struct perf_event_setup *setup, struct op_error *e)
{
	struct perf_targets *targets = p->wanted ? &p->targets : NULL;
	int err = targets ? perf_targets_init(targets, p->wanted, "/proc", setup, e) : 0;

	if (!err)
		err = perf_rings_open(&p->rings, setup, targets, "", p->order, p->epoll_fd, e);
	return err || !targets ? err : perf_targets_open(targets, &p->rings, e);
}

/* What was there before the records; of a program that is just beginning all is in them. */
static int read_processes(struct perf_collector *p)
{
	if (!p->wanted)
		return perf_processes_read_all(&p->processes);
	for (unsigned int i = 0; i < p->wanted->nr && !p->wanted->on_exec; i++)
		(void)perf_process_read_again(&p->processes, (uint32_t)p->wanted->pids[i]);
	return 0;
}

static int perf_open(struct collector *c, const struct collector_config *config, struct op_error *e)
{
	struct perf_collector *p = perf_collector_of(c);
	struct perf_event_setup setup;
	int err = make_setup(p, config, &setup, e);

	if (err)
		return err;
	memset(p->states, 0, sizeof(p->states));
	p->rings.nr_cpus = 0;
	p->wanted = config->targets;
	p->order = perf_order_new();
	p->cookies = perf_cookies_new();
	p->cgroups = setup.cgroups ? perf_cgroups_new() : NULL;
	p->comms = config->comms ? perf_comms_new() : NULL;
	perf_processes_init(&p->processes, p->cookies, "/proc");
	p->attribute = (struct perf_attribute){
		.processes = &p->processes,
		.cookies = p->cookies,
		.emit = &p->emit,
		.cpus = p->states,
		.nr_cpus = COUNTS_MAX_CPUS,
		.branch_target = ibs_has_branch_target(config->ibs),
		.callers = p->callers.depth ? &p->callers : NULL,
		.cgroups = p->cgroups,
		.comms = p->comms,
	};
	err = open_poll(p, e);
	if (!err)
		err = open_rings(p, &setup, e);
	if (err) {
		perf_close(c);
		return err;
	}
	perf_callers_opened(&p->callers, config, &p->processes, &p->rings.setup);
	/* changes are being recorded by now, so nothing falls between them and what we read here */
	err = read_processes(p);
	if (err) {
		op_error_set(e, err, "cannot read /proc: %s", strerror(-err));
		perf_close(c);
		return err;
	}
	perf_modules_init(&p->modules, "/proc/modules");
	p->reread_at = p->modules_at = perf_now();
	return 0;
}

static int perf_start(struct collector *c, struct op_error *e)
{
	return perf_rings_sample(&perf_collector_of(c)->rings, true, e);
}

static int perf_stop(struct collector *c, struct op_error *e)
{
	return perf_rings_sample(&perf_collector_of(c)->rings, false, e);
}

static int perf_poll_fd(struct collector *c)
{
	return perf_collector_of(c)->epoll_fd;
}

/* --- draining --- */

static void clear_timer(struct perf_collector *p)
{
	uint64_t expirations;

	(void)!read(p->timer_fd, &expirations, sizeof(expirations));
}

static void look_at_modules(struct perf_collector *p, uint64_t now)
{
	if (now - p->modules_at < DRAIN_NS / 2)
		return;
	perf_modules_announce(&p->modules, &p->emit);
	p->modules_at = now;
}

/* Records of changes were lost, or a CPU ran unwatched: see for ourselves, but not all the time. */
static void make_up_for_missed(struct perf_collector *p, uint64_t now)
{
	if (!p->rings.missed_changes || now - p->reread_at < REREAD_NS)
		return;
	p->rings.missed_changes = false;
	(void)read_processes(p);
	p->reread_at = now;
}

static int perf_drain(struct collector *c, bool flush, words_fn *words, void *context,
		      struct op_error *e)
{
	static const struct perf_order_ops ops = { perf_attribute_samples, perf_attribute_change };
	struct perf_collector *p = perf_collector_of(c);
	struct timespec settle = { 0, SETTLE_NS };
	uint64_t now, bound;

	(void)e;
	clear_timer(p);
	if (flush)
		nanosleep(&settle, NULL);
	/* the clock before the rings: what is older than it and not late is in them */
	now = perf_now();
	bound = flush ? now : now - SLACK_NS;
	perf_rings_read(&p->rings, now);

	perf_emit_begin(&p->emit, words, context);
	look_at_modules(p, now);
	perf_order_run(p->order, bound, &ops, &p->attribute);
	perf_emit_end(&p->emit);

	perf_rings_release(&p->rings);
	perf_callers_end_drain(&p->callers, &p->rings, now);
	perf_processes_tick(&p->processes, bound);
	make_up_for_missed(p, now);
	return 0;
}

struct collector *collector_perf(void)
{
	static struct perf_collector the_only_one = {
		.collector = {
			.name = "perf",
			.open = perf_open,
			.close = perf_close,
			.start = perf_start,
			.stop = perf_stop,
			.poll_fd = perf_poll_fd,
			.drain = perf_drain,
			.cookie_path = perf_cookie_path,
			.cookie_fd = perf_cookie_fd,
			.cookie_build_id = perf_cookie_build_id,
			.cgroup_path = perf_cgroup_path,
			.counts = perf_counts,
			.event_times = perf_event_times,
			.throttled = perf_throttled,
			.status = perf_status,
		},
		.epoll_fd = -1,
		.timer_fd = -1,
	};

	return &the_only_one.collector;
}

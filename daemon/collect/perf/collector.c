// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collector.c - collect samples through perf_event_open(2)
 *
 * Perf events sample every CPU, by time or by hardware events. Processes and mappings, which the
 * module sees directly, are tracked from the records of mmap, exec, fork and exit. From ring to
 * words: drain.c empties the rings into queues, in a thread of its own; rings.c reads those into
 * order.c; attribute.c applies them in order of time to the processes (process.c) and writes words
 * (emit.c). doc/perf-collector.md.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "daemon/collect/cgroup_handle.h"
#include "daemon/collect/collector.h"
#include "daemon/collect/ibs/config.h"
#include "daemon/collect/perf/attribute.h"
#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/cookies.h"
#include "daemon/collect/perf/drain.h"
#include "daemon/collect/perf/emit.h"
#include "daemon/collect/perf/held.h"
#include "daemon/collect/perf/idle.h"
#include "daemon/collect/perf/image_fd.h"
#include "daemon/collect/perf/modules.h"
#include "daemon/collect/perf/names.h"
#include "daemon/collect/perf/order.h"
#include "daemon/collect/perf/process.h"
#include "daemon/collect/perf/pushed.h"
#include "daemon/collect/perf/rings.h"
#include "daemon/collect/perf/stacks.h"
#include "daemon/collect/perf/targets.h"
#include "libutil/file.h"
#include "libutil/list.h"
#include "libutil/xalloc.h"

#define MAX_RATE_FILE	"/proc/sys/kernel/perf_event_max_sample_rate"

#define DRAIN_NS	(100 * NS_PER_MS)	/* how long a sample waits when few come */
#define STEP_NS		(10 * NS_PER_MS)	/* delivered at once, */
#define STEPS_MAX	50			/* up to so many times in a drain */
#define SLACK_NS	(10 * NS_PER_MS)	/* a record may be this late in its ring [PC-13] */
#define SETTLE_NS	NS_PER_MS		/* a record being written when a flush begins */
#define FLUSH_NS	(2 * NS_PER_SECOND)	/* a flush waits for unwind tables, */
#define FLUSH_TURNS	100			/* more than rings and queues hold, */
#define FLUSH_STEP_MS	20			/* in such steps, because rings fill meanwhile */

struct perf_collector {
	struct collector collector;
	int epoll_fd, timer_fd;
	uint64_t delivered;		/* the bound of the last drain */
	uint64_t modules_at;		/* when /proc/modules was read, ns */
	struct perf_drain *drain;
	struct perf_order *order;
	struct perf_cookies *cookies;
	struct perf_cgroups *cgroups;		/* NULL: unavailable */
	struct perf_comms *comms;		/* NULL: not wanted */
	struct perf_processes processes;
	struct perf_modules modules;
	struct perf_attribute attribute;
	struct perf_stacks stacks;
	struct perf_held held;
	struct perf_pushed pushed;
	struct perf_emit emit;
	struct perf_idle idle;
	uint64_t in_bpf[COUNTS_MAX_CPUS];	/* as counted last: it never falls */
	struct perf_cpu_state states[COUNTS_MAX_CPUS];
	bool by_time;
	char cpu_type[48];
	struct perf_counter *counters;		/* of the setup of @rings */
	const struct collector_targets *wanted;	/* NULL: the whole machine */
	struct perf_targets targets;
	struct perf_rings rings;
};

static struct perf_collector *of(struct collector *c)
{
	return container_of(c, struct perf_collector, collector);
}

/* --- set-up --- */

static int make_setup(struct perf_collector *p, const struct collector_config *config,
		      struct perf_event_setup *ret, struct op_error *e)
{
	struct perf_machine machine = { .root = "" };
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
	perf_stacks_open(&p->stacks, config, period_ns, &s);
	s.walker = s.copy_bytes ? config->walker : NULL;
	s.cgroups = config->cgroups && cgroup_paths_are_whole();
	p->counters = s.counters;
	p->by_time = collects_by_time(config);
	snprintf(p->cpu_type, sizeof(p->cpu_type), "%s", p->by_time ? "timer" : config->cpu_type);
	*ret = s;
	return 0;
}

/* poll() wakes when a queue is a quarter full, and every tenth of a second. */
static int open_poll(struct perf_collector *p, struct op_error *e)
{
	struct itimerspec every = { { 0, DRAIN_NS }, { 0, DRAIN_NS } };
	struct epoll_event event = { .events = EPOLLIN };
	int err = perf_drain_new(&p->drain);

	if (err)
		return op_error_set(e, err, "cannot drain rings: %s", strerror(-err));
	p->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	p->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (p->epoll_fd < 0 || p->timer_fd < 0 || timerfd_settime(p->timer_fd, 0, &every, NULL) ||
	    epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, p->timer_fd, &event) ||
	    epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, perf_drain_fd(p->drain), &event))
		return op_error_set(e, -errno, "cannot create the poll descriptors: %s",
				    strerror(errno));
	return 0;
}

static void perf_close(struct collector *c)
{
	struct perf_collector *p = of(c);

	perf_rings_close(&p->rings);
	perf_drain_free(p->drain);
	p->drain = NULL;
	perf_targets_free(&p->targets);
	free(p->counters);
	p->counters = NULL;
	perf_held_free(&p->held);
	perf_pushed_free(&p->pushed);
	perf_stacks_close(&p->stacks);
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
		err = perf_rings_open(&p->rings, setup, targets, "", p->order, p->drain, e);
	if (!err && targets)
		err = perf_rings_open_threads(&p->rings, e);
	return err;
}

static int start_drain(struct perf_collector *p, struct op_error *e)
{
	int err = perf_drain_start(p->drain);

	return err ? op_error_set(e, err, "cannot start the thread that drains rings: %s",
				  strerror(-err)) : 0;
}

/* Samples that may lie in a module come before its end. */
static void write_all_held(void *collector)
{
	struct perf_collector *p = collector;

	perf_attribute_held(&p->attribute, true);
}

/* Read processes older than the first record; a program that is about to exec needs none. */
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
	struct perf_collector *p = of(c);
	struct perf_event_setup setup;
	int err = make_setup(p, config, &setup, e);

	if (err)
		return err;
	c->name = setup.walker ? "bpf" : "perf";
	memset(p->states, 0, sizeof(p->states));
	p->idle = (struct perf_idle){ .path = "/proc/stat" };
	memset(p->in_bpf, 0, sizeof(p->in_bpf));
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
		.skip_idle = !config->idle,
		.branch_target = ibs_has_branch_target(config->ibs),
		.stacks = p->stacks.depth ? &p->stacks : NULL,
		.cgroups = p->cgroups,
		.comms = p->comms,
	};
	err = open_poll(p, e);
	if (!err)
		err = open_rings(p, &setup, e);
	if (!err)
		err = start_drain(p, e);
	if (err) {
		perf_close(c);
		return err;
	}
	perf_stacks_opened(&p->stacks, config, &p->processes, &p->rings.setup);
	perf_held_init(&p->held, p->cookies);
	perf_pushed_init(&p->pushed, p->rings.setup.walker, p->cookies);
	p->attribute.pushed = p->pushed.walker ? &p->pushed : NULL;
	p->attribute.held = p->stacks.copies ? &p->held : NULL;
	/* changes are recorded already, so none is missed between records and /proc */
	err = read_processes(p);
	if (err) {
		op_error_set(e, err, "cannot read /proc: %s", strerror(-err));
		perf_close(c);
		return err;
	}
	perf_modules_init(&p->modules, "/proc/modules");
	p->modules.before_gone = write_all_held;
	p->modules.context = p;
	p->modules_at = perf_now();
	return 0;
}

/* Whether the kernel leaves out idle CPUs, which a process's own events never see. */
static bool has_idle(const struct perf_collector *p)
{
	return p->by_time && !p->wanted && p->counters[0].exclude_idle && p->counters[0].kernel;
}

static int perf_start(struct collector *c, struct op_error *e)
{
	struct perf_collector *p = of(c);

	if (has_idle(p))
		perf_idle_start(&p->idle);
	return perf_rings_sample(&p->rings, true, e);
}

static int perf_stop(struct collector *c, struct op_error *e)
{
	perf_idle_stop(&of(c)->idle);
	return perf_rings_sample(&of(c)->rings, false, e);
}

static int perf_poll_fd(struct collector *c)
{
	return of(c)->epoll_fd;
}

/* --- draining --- */

static void clear_timer(struct perf_collector *p)
{
	uint64_t expirations;

	(void)!read(p->timer_fd, &expirations, sizeof(expirations));
}

static void announce_modules(struct perf_collector *p, uint64_t now)
{
	if (now - p->modules_at < DRAIN_NS / 2)
		return;
	perf_modules_announce(&p->modules, &p->emit);
	p->modules_at = now;
}

static void write_cookie_end(void *collector, op_word cookie)
{
	struct perf_collector *p = collector;

	perf_emit_cookie_end(&p->emit, cookie);
}

/* In steps, so that the queues have room again before everything is delivered. */
static void deliver(struct perf_collector *p, uint64_t bound)
{
	uint64_t at = p->delivered;

	if (at + STEPS_MAX * STEP_NS < bound)
		at = bound - STEPS_MAX * STEP_NS;
	while ((at += STEP_NS) < bound) {
		perf_attribute_run(&p->attribute, p->order, at);
		perf_rings_release(&p->rings);
	}
	perf_attribute_run(&p->attribute, p->order, bound);
	perf_rings_release(&p->rings);
	p->delivered = bound;
}

/* Returns a time up to which all records have been handed over. */
static uint64_t drain_once(struct perf_collector *p, bool flush, words_fn *words, void *context)
{
	struct timespec settle = { 0, SETTLE_NS };
	uint64_t now, bound, complete;
	uint32_t copy_bytes;

	clear_timer(p);
	if (flush)
		nanosleep(&settle, NULL);
	/* the clock before the rings: they hold everything older, except late records */
	now = perf_now();
	bound = flush ? now : now - SLACK_NS;
	complete = perf_rings_read(&p->rings, now);
	if (complete < bound)
		bound = complete;

	perf_emit_begin(&p->emit, words, context);
	/* now, because the tables of a drain hold images until its end */
	perf_cookies_recycle(p->cookies, write_cookie_end, p);
	perf_attribute_held(&p->attribute, false);
	announce_modules(p, now);
	deliver(p, bound);
	perf_emit_end(&p->emit);

	copy_bytes = perf_stacks_end_drain(&p->stacks, perf_rings_lost_records(&p->rings), now);
	if (copy_bytes)
		(void)perf_rings_copy(&p->rings, copy_bytes);
	perf_processes_tick(&p->processes, bound);
	return bound;
}

static bool has_held(const struct perf_collector *p)
{
	return p->attribute.held && !list_empty(&p->held.samples);
}

/* Until no sample waits for a table any more, or for FLUSH_NS. */
static void wait_for_tables(struct perf_collector *p, words_fn *words, void *context)
{
	uint64_t until = perf_now() + FLUSH_NS;

	while (has_held(p) && perf_now() < until) {
		perf_stacks_wait(&p->stacks, FLUSH_STEP_MS);
		drain_once(p, true, words, context);
	}
	if (!has_held(p))
		return;
	perf_emit_begin(&p->emit, words, context);
	perf_attribute_held(&p->attribute, true);
	perf_emit_end(&p->emit);
	perf_tables_end_drain(&p->stacks.tables);
}

static int perf_drain(struct collector *c, bool flush, words_fn *words, void *context,
		      struct op_error *e)
{
	struct perf_collector *p = of(c);
	uint64_t now = perf_now();
	uint64_t complete = drain_once(p, flush, words, context);

	(void)e;
	if (!flush)
		return 0;
	/* what did not fit in the queues follows; a queue that stays full has what is too young */
	for (int i = 0; complete < now && i < FLUSH_TURNS; i++)
		complete = drain_once(p, true, words, context);
	wait_for_tables(p, words, context);
	return 0;
}

/* --- queries --- */

static int perf_cookie_path(struct collector *c, op_word cookie, char **ret_path)
{
	const struct perf_image *image = perf_cookies_find(of(c)->cookies, cookie);

	if (!image)
		return -ENOENT;
	*ret_path = xstrdup(image->path);
	return 0;
}

static int perf_cookie_fd(struct collector *c, op_word cookie)
{
	struct perf_collector *p = of(c);
	const struct perf_image *image = perf_cookies_find(p->cookies, cookie);

	return image ? perf_image_open(&p->processes, image) : -ENOENT;
}

static int perf_cookie_build_id(struct collector *c, op_word cookie, unsigned char *id, size_t *len)
{
	const struct perf_image *image = perf_cookies_find(of(c)->cookies, cookie);

	if (!image)
		return -ENOENT;
	if (!image->build_id.len)
		return -ENODATA;
	memcpy(id, image->build_id.bytes, image->build_id.len);
	*len = image->build_id.len;
	return 0;
}

static int perf_cgroup_path(struct collector *c, uint64_t id, char **ret_path)
{
	const struct perf_collector *p = of(c);
	const char *path = p->cgroups ? perf_cgroups_find(p->cgroups, id) : NULL;

	if (!path)
		return -ENOENT;
	*ret_path = xstrdup(path);
	return 0;
}

/*
 * What the BPF program missed on a CPU, where @others were received. An idle CPU may not run it;
 * what is missed then is idle already, so the two are at most what was due.
 */
static uint64_t count_in_bpf(struct perf_collector *p, unsigned int cpu, uint64_t others)
{
	uint64_t missed = bpf_walker_missed(p->pushed.walker, cpu), due, most;

	if (has_idle(p)) {
		due = p->idle.sampled_ns / p->counters[0].period_ns;
		most = due > others ? due - others : 0;
		missed = missed < most ? missed : most;
	}
	if (p->in_bpf[cpu] < missed)
		p->in_bpf[cpu] = missed;
	return p->in_bpf[cpu];
}

static void add_counts(struct perf_collector *p, unsigned int cpu, struct cpu_counts *to)
{
	const struct cpu_counts *from = &p->states[cpu].counts;
	uint64_t lost = perf_rings_lost(&p->rings, cpu), idle = from->idle, received, in_bpf = 0;

	if (has_idle(p))
		idle += p->idle.ns[cpu] / p->counters[0].period_ns;
	received = from->received - from->idle + idle + lost;
	if (p->pushed.walker)
		in_bpf = count_in_bpf(p, cpu, received);
	to->received += received + in_bpf;
	to->idle += idle;
	to->stacks_interpreter += from->stacks_interpreter;
	to->event_errors += p->rings.cpus[cpu].events.errors;
	for (int reason = 0; reason < NR_LOSS_REASONS; reason++)
		to->lost[reason] += from->lost[reason];
	to->lost[LOST_RING] += lost;
	to->lost[LOST_IN_BPF] += in_bpf;
	to->throttled += perf_rings_throttled(&p->rings, cpu, perf_now());
}

static int perf_counts(struct collector *c, struct session_counts *counts)
{
	struct perf_collector *p = of(c);

	if (p->idle.counts)
		perf_idle_update(&p->idle);
	session_counts_reserve(counts, p->rings.nr_cpus);
	for (unsigned int cpu = 0; cpu < p->rings.nr_cpus; cpu++)
		add_counts(p, cpu, &counts->cpu[cpu]);
	return 0;
}

static int perf_event_times(struct collector *c, unsigned int counter, uint64_t *ret_enabled_ns,
			    uint64_t *ret_running_ns)
{
	const struct perf_collector *p = of(c);
	struct perf_times times;

	if (p->by_time || !perf_rings_times(&p->rings, counter, &times))
		return -ENODATA;
	*ret_enabled_ns = times.enabled_ns;
	*ret_running_ns = times.running_ns;
	return 0;
}

static uint64_t perf_throttled(struct collector *c, unsigned int counter)
{
	return perf_rings_throttled_of(&of(c)->rings, counter, perf_now());
}

static void add_drain(const struct perf_collector *p, struct collector_status *ret)
{
	struct perf_drain_figures figures;

	perf_drain_figures(p->drain, &figures);
	strcpy(ret->drain_priority, priority_name(figures.priority));
	ret->wait_longest_ns = figures.longest_ns;
	ret->wait_most_ns = figures.most_ns;
	ret->queues_full = figures.nr_full;
}

static void perf_status(struct collector *c, struct collector_status *ret)
{
	const struct perf_collector *p = of(c);

	memset(ret, 0, sizeof(*ret));
	strcpy(ret->model, p->by_time ? "timer" : "perf");
	strcpy(ret->cpu_type, p->cpu_type);
	if (p->by_time && p->counters)
		ret->period_ns = p->counters[0].period_ns;
	ret->ring_bytes = perf_rings_bytes(&p->rings);
	ret->nr_walked = p->attribute.nr_walked;
	ret->copy_bytes = p->stacks.copies ? p->stacks.copy_size.bytes : 0;
	add_drain(p, ret);
	perf_rings_note(&p->rings, ret->note, sizeof(ret->note));
	if (!ret->note[0])
		perf_stacks_note(&p->stacks, ret->note, sizeof(ret->note));
}

struct collector *collector_perf(void)
{
	static struct perf_collector collector = {
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

	return &collector.collector;
}

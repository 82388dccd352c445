// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * op_model_perf.c - sample with counters that the kernel's perf drives
 *
 * For CPUs whose registers we do not write ourselves, above all arm64, and for x86 CPUs whose
 * counters are in use. perf assigns events to counters, so a directory N stands for an event, and
 * any event can be in any directory. Interrupts are NMIs if perf's are (x86); otherwise code that
 * runs with interrupts off is sampled when they come back on.
 *
 * Events of a single set are pinned: one that does not fit on the counters together with the others
 * fails at once, rather than being counted part of the time. With more than one set, taking turns
 * is intended, and perf rotates the events at its own pace. perf throttles events that interrupt
 * too often; how much is computed at the end from the counts.
 *
 * A pinned event that loses its counter to another pinned one stops for good. So each second the
 * events are checked, and those that stopped are counted and started again.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include "module/buffer_sync.h"
#include "module/cpu_buffer.h"
#include "module/op_model.h"
#include "module/stats.h"

struct perf_cpu {
	struct perf_event *events[OP_MAX_VIRTUAL];
	u64 accounted[OP_MAX_VIRTUAL];	/* periods sampled or counted as throttled */
	u64 enabled[OP_MAX_VIRTUAL], ran[OP_MAX_VIRTUAL];	/* ns, of released events */
};
static DEFINE_PER_CPU(struct perf_cpu, cpus);

static struct op_counter counters[OP_MAX_VIRTUAL];	/* the settings at set-up */
static unsigned int nr;			/* events that fit on the counters */
static bool in_turns;			/* more are enabled */
static bool running;			/* changed with CPU hotplug locked out */
static int hotplug_state;

static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)					/* [nmi] */
{
	unsigned int n = (unsigned long)event->overflow_handler_context;
	const struct op_counter *a = &counters[n];
	struct perf_cpu *c = this_cpu_ptr(&cpus);

	if (!regs || !READ_ONCE(running))
		return;
	/* a late interrupt may hit the other mode */
	if (!(user_mode(regs) ? a->user : a->kernel))
		return;
	WRITE_ONCE(c->accounted[n], c->accounted[n] + 1);
	op_sample(regs, n);
}

static u64 config_of(const struct op_counter *a)
{
#ifdef CONFIG_X86
	return (a->event & 0xff) | (u64)a->unit_mask << 8 | (a->event & 0xf00ull) << 24 | a->extra;
#else
	return a->event;
#endif
}

/* perf would silently ignore other bits. */
static unsigned long extra_mask(void)
{
#ifdef CONFIG_X86
	return op_x86_extra_mask();
#else
	return 0;
#endif
}

static int check(unsigned int n, const struct op_counter *a, struct op_reason *why)
{
	unsigned long most_mask = IS_ENABLED(CONFIG_X86) ? 0xff : 0;
	unsigned long most_event = IS_ENABLED(CONFIG_X86) ? 0xfff : 0xffff;

	if (!a->count || a->count > S64_MAX)
		return op_refuse(why, -EDOM,
				 "counter %u: count %lu is out of range: expected 1 to 2^63 - 1", n,
				 a->count);
	if (!a->kernel && !a->user)
		return op_refuse(why, -EDOM, "counter %u: neither kernel nor user is enabled", n);
	if (a->event > most_event || a->unit_mask > most_mask)
		return op_refuse(why, -EDOM,
				 "counter %u: event 0x%lx (at most 0x%lx) or "
				 "unit mask 0x%lx (at most 0x%lx) is out of range",
				 n, a->event, most_event, a->unit_mask, most_mask);
	if (a->extra & ~extra_mask())
		return op_refuse(why, -EDOM,
				 "counter %u: extra 0x%lx: this CPU does not support bits 0x%lx", n,
				 a->extra, a->extra & ~extra_mask());
	return 0;
}

/* ---- one CPU's events, with its hotplug locked out ---- */

static struct perf_event *make(unsigned int cpu, unsigned int n, bool disabled, bool pinned)
{
	const struct op_counter *a = &counters[n];
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = config_of(a),
		.sample_period = a->count, .pinned = pinned, .disabled = disabled,
		.exclude_kernel = !a->kernel, .exclude_user = !a->user, .exclude_hv = !a->kernel,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, on_overflow,
						(void *)(unsigned long)n);
}

/* Count periods that perf did not interrupt for. The event is disabled. */
static void count_throttled(unsigned int cpu, unsigned int n)
{
	struct perf_cpu *c = &per_cpu(cpus, cpu);
	u64 enabled, ran, periods;

	periods = perf_event_read_value(c->events[n], &enabled, &ran);
	periods = div64_u64(periods, counters[n].count);
	if (periods <= c->accounted[n])
		return;
	op_count_many(cpu, OP_STAT_THROTTLED, periods - c->accounted[n]);
	c->accounted[n] = periods;
}

static void add_times(struct perf_event *e, u64 *enabled, u64 *ran)
{
	u64 now_enabled, now_ran;

	perf_event_read_value(e, &now_enabled, &now_ran);
	*enabled += now_enabled;
	*ran += now_ran;
}

static int perf_online(unsigned int cpu)
{
	struct perf_cpu *c = &per_cpu(cpus, cpu);
	unsigned int n;

	memset(c->accounted, 0, sizeof(c->accounted));
	for (n = 0; n < OP_MAX_VIRTUAL; n++) {
		struct perf_event *e;

		if (!counters[n].enabled)
			continue;
		e = make(cpu, n, !running, !in_turns);
		if (!IS_ERR(e))
			c->events[n] = e;
		else
			pr_warn("oprofile: CPU %u: cannot count event %u (%ld)\n", cpu, n,
				PTR_ERR(e));
	}
	return 0;
}

static void stop_one(unsigned int cpu)
{
	struct perf_cpu *c = &per_cpu(cpus, cpu);
	unsigned int n;

	for (n = 0; n < OP_MAX_VIRTUAL; n++)
		if (c->events[n]) {
			perf_event_disable(c->events[n]);
			count_throttled(cpu, n);
		}
}

static int perf_offline(unsigned int cpu)
{
	struct perf_cpu *c = &per_cpu(cpus, cpu);
	unsigned int n;

	stop_one(cpu);
	for (n = 0; n < OP_MAX_VIRTUAL; n++)
		if (c->events[n]) {
			add_times(c->events[n], &c->enabled[n], &c->ran[n]);
			perf_event_release_kernel(c->events[n]);
			c->events[n] = NULL;
		}
	op_sync_kick(OP_SYNC_NOW);
	return 0;
}

/* ---- which events fit ---- */

/* Whether an event was created and is on a counter. Releases it otherwise. */
static bool fits(struct perf_event *e, int *ret_err)
{
	*ret_err = IS_ERR(e) ? PTR_ERR(e) : 0;
	if (*ret_err)
		return false;
	if (READ_ONCE(e->state) == PERF_EVENT_STATE_ACTIVE)
		return true;
	perf_event_release_kernel(e);
	*ret_err = -EBUSY;
	return false;
}

static void release_events(struct perf_event **events, unsigned int n)
{
	while (n--)
		if (events[n])
			perf_event_release_kernel(events[n]);
}

/* How many cycle counters fit on @cpu. */
static unsigned int nr_on(unsigned int cpu, int *ret_err)
{
	struct perf_event_attr cycles = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(cycles),
		.config = PERF_COUNT_HW_CPU_CYCLES, .pinned = 1,
	};
	struct perf_event *events[OP_MAX_COUNTERS];
	unsigned int n;

	for (n = 0; n < OP_MAX_COUNTERS; n++) {
		events[n] = perf_event_create_kernel_counter(&cycles, cpu, NULL, NULL, NULL);
		if (!fits(events[n], ret_err))
			break;
	}
	release_events(events, n);
	return n;
}

/* Find how many cycle counters fit on each CPU: they need not be of one type. */
static int perf_probe(struct op_reason *why)
{
	unsigned int cpu;
	int err = 0;

	nr = OP_MAX_COUNTERS;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		nr = min(nr, nr_on(cpu, &err));
		if (!nr)
			break;
	}
	cpus_read_unlock();
	if (nr)
		return 0;
	return op_refuse(why, -ENODEV, "perf cannot count cycles on CPU %u (%d)", cpu, err);
}

/* Try every event on @cpu: all at once or, if they take turns, one after the other. */
static int try_on(unsigned int cpu, struct op_reason *why)
{
	struct perf_event *events[OP_MAX_VIRTUAL] = {};
	unsigned int n;
	int err = 0;

	for (n = 0; n < OP_MAX_VIRTUAL; n++) {
		if (!counters[n].enabled)
			continue;
		events[n] = make(cpu, n, false, true);
		if (!fits(events[n], &err)) {
			events[n] = NULL;
			break;
		}
		if (in_turns) {
			perf_event_release_kernel(events[n]);
			events[n] = NULL;
		}
	}
	release_events(events, n);
	if (err == -EBUSY)
		return op_refuse(why, -EDOM, "event %u does not fit on the counters of CPU %u with "
				 "the others", n, cpu);
	if (err)
		return op_refuse(why, -EDOM, "perf cannot count event %u on CPU %u (%d)", n, cpu,
				 err);
	return 0;
}

static int try_all(struct op_reason *why)
{
	unsigned int cpu;
	int err = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		err = try_on(cpu, why);
		if (err)
			break;
	}
	cpus_read_unlock();
	return err;
}

/* ---- the model's calls ---- */

static const char *perf_cpu_type(void)
{
#ifdef CONFIG_X86_64
	return op_x86_cpu_type();
#else
	return "arm/armv8-pmuv3";
#endif
}

static unsigned int perf_nr_counters(void)
{
	return nr;
}

static void reset_times(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		memset(per_cpu(cpus, cpu).enabled, 0, sizeof(per_cpu(cpus, cpu).enabled));
		memset(per_cpu(cpus, cpu).ran, 0, sizeof(per_cpu(cpus, cpu).ran));
	}
}

static void perf_times(unsigned int n, u64 *ret_enabled, u64 *ret_running)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		struct perf_cpu *c = &per_cpu(cpus, cpu);

		*ret_enabled += c->enabled[n];
		*ret_running += c->ran[n];
		if (c->events[n])
			add_times(c->events[n], ret_enabled, ret_running);
	}
	cpus_read_unlock();
}

static int perf_setup(struct op_reason *why)
{
	unsigned int n;
	int err;

	memset(counters, 0, sizeof(counters));
	in_turns = false;
	for (n = 0; n < OP_MAX_VIRTUAL; n++) {
		if (!op_counters[n].enabled)
			continue;
		err = check(n, &op_counters[n], why);
		if (err)
			return err;
		counters[n] = op_counters[n];
		in_turns |= n >= nr;
	}
	reset_times();
	err = try_all(why);
	if (err)
		return err;
	hotplug_state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "oprofile/perf:online", perf_online,
					  perf_offline);
	if (hotplug_state < 0)
		return op_refuse(why, hotplug_state, "cannot register a CPU hotplug state (%d)",
				 hotplug_state);
	return 0;
}

static void perf_shutdown(void)
{
	cpuhp_remove_state(hotplug_state);	/* perf_offline() on every CPU */
}

static int perf_start(void)
{
	unsigned int cpu, n;

	cpus_read_lock();
	WRITE_ONCE(running, true);
	for_each_online_cpu(cpu)
		for (n = 0; n < OP_MAX_VIRTUAL; n++)
			if (per_cpu(cpus, cpu).events[n])
				perf_event_enable(per_cpu(cpus, cpu).events[n]);
	cpus_read_unlock();
	return 0;
}

static void perf_stop(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		stop_one(cpu);
	WRITE_ONCE(running, false);
	cpus_read_unlock();
}

static void restart_failed(unsigned int cpu)
{
	const struct perf_cpu *c = &per_cpu(cpus, cpu);
	unsigned int n;

	for (n = 0; n < OP_MAX_VIRTUAL; n++) {
		if (!c->events[n] || READ_ONCE(c->events[n]->state) != PERF_EVENT_STATE_ERROR)
			continue;
		op_count(cpu, OP_STAT_EVENT_ERRORS);
		perf_event_enable(c->events[n]);
	}
}

static void perf_watch(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		restart_failed(cpu);
	cpus_read_unlock();
}

const struct op_model op_model_perf = {
	.name = "perf",
	.probe = perf_probe,
	.cpu_type = perf_cpu_type,
	.nr_counters = perf_nr_counters,
	.setup = perf_setup,
	.shutdown = perf_shutdown,
	.start = perf_start,
	.stop = perf_stop,
	.times = perf_times,
	.watch = perf_watch,
};

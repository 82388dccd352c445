// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * op_model_timer.c - sample by time: a high-resolution timer on every CPU
 *
 * Works on any machine and replaces missing counters. Code that runs with interrupts off is not
 * seen: the sample hits the place that enables them.
 *
 * It cannot freeze the machine. Until the next expiry a CPU is left alone for at least as long as
 * the last sample took, and REST times as long as samples with their stacks take on average. If
 * expiries are missed nevertheless (interrupts cost more than the handler sees, above all in a
 * virtual machine), the period is doubled until none are, or until it is SAFE_PERIOD_NS: no machine
 * spends that on one interrupt, so the delay has another cause that sampling less would not remove.
 *
 * Every period that passes without a sample is counted: received + throttled = time / period.
 */
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <asm/irq_regs.h>
#include "module/buffer_sync.h"
#include "module/cpu_buffer.h"
#include "module/op_model.h"
#include "module/stats.h"
#include "oprofilefs/op_abi.h"

#define MAX_PERIOD_NS	(60 * (u64)NSEC_PER_SEC)
#define LATE_IN_A_ROW	4	/* missed expiries in a row that double the period */
#define CALM_IN_A_ROW	256	/* punctual ones in a row that halve it again */
#define SAFE_PERIOD_NS	(500 * NSEC_PER_USEC)	/* not doubled further */
#define REST		4	/* ns left to the rest for each ns in the handler */
#define COST_SAMPLES	8	/* in the average cost */

static unsigned int clock_khz;
module_param(clock_khz, uint, 0444);
MODULE_PARM_DESC(clock_khz, "nominal CPU clock in kHz, to convert cycles to time (0: detect)");

unsigned long op_timer_count;

struct op_timer {
	struct hrtimer timer;
	u64 began;		/* start of the handler, monotonic ns */
	u64 cost;		/* of a sample, recent average, ns */
	unsigned int stretch;	/* how often the period is doubled */
	unsigned int late, calm;
};
static DEFINE_PER_CPU(struct op_timer, timers);
static u64 period_ns;		/* while started */
static int hotplug_state;

unsigned long op_timer_clock_khz(void)
{
	return clock_khz;
}

static unsigned long count_of(u64 ns)
{
	return div_u64(ns * clock_khz + NSEC_PER_MSEC - 1, NSEC_PER_MSEC);
}

unsigned long op_timer_min_count(void)
{
	return count_of(OP_TIMER_MIN_PERIOD_NS);
}

unsigned long op_timer_max_count(void)
{
	return count_of(MAX_PERIOD_NS);
}

u64 op_timer_period_ns(void)
{
	return div_u64((u64)READ_ONCE(op_timer_count) * NSEC_PER_MSEC, clock_khz);
}

int op_timer_init(void)
{
	if (!clock_khz)
		clock_khz = op_arch_clock_khz() ?: 1000000;
	/* 1 MHz to 100 GHz: with MAX_PERIOD_NS no product above overflows */
	if (clock_khz < 1000 || clock_khz > 100 * 1000 * 1000) {
		pr_err("oprofile: invalid clock_khz=%u: expected 1000 to 100000000\n", clock_khz);
		return -EINVAL;
	}
	op_timer_count = clock_khz;	/* 1 ms */
	return 0;
}

/* Set the next expiry. */
static void set_next_expiry(struct op_timer *t)
{
	u64 now = ktime_get_ns(), cost = now - t->began, steps;

	t->cost += cost / COST_SAMPLES;
	t->cost -= t->cost / COST_SAMPLES;
	steps = hrtimer_forward(&t->timer, ns_to_ktime(now + max(cost, REST * t->cost)),
				ns_to_ktime(period_ns << t->stretch));
	op_count_here(OP_STAT_THROTTLED, (steps << t->stretch) - 1);
	if (steps > 1) {
		t->calm = 0;
		if (++t->late >= LATE_IN_A_ROW && (period_ns << t->stretch) < SAFE_PERIOD_NS) {
			t->late = 0;
			t->stretch++;
		}
	} else {
		t->late = 0;
		if (++t->calm >= CALM_IN_A_ROW && t->stretch) {
			t->calm = 0;
			t->stretch--;
		}
	}
}

static enum hrtimer_restart tick(struct hrtimer *timer)		/* [irq] */
{
	struct op_timer *t = container_of(timer, struct op_timer, timer);
	struct pt_regs *regs = get_irq_regs();

	t->began = ktime_get_ns();
	if (regs)
		op_sample(regs, 0);
	else
		op_count_here(OP_STAT_THROTTLED, 1);
	set_next_expiry(t);
	return HRTIMER_RESTART;
}

/* On the CPU itself. The first expiry is random, or all CPUs would always sample at once. */
static int timer_online(unsigned int cpu)
{
	struct op_timer *t = &per_cpu(timers, cpu);
	u64 first = period_ns + mul_u64_u32_shr(period_ns, get_random_u32(), 32);

	t->stretch = t->late = t->calm = 0;
	t->cost = 0;
	op_hrtimer_setup(&t->timer, tick);
	hrtimer_start(&t->timer, ns_to_ktime(first), HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static int timer_offline(unsigned int cpu)
{
	hrtimer_cancel(&per_cpu(timers, cpu).timer);
	op_sync_kick(OP_SYNC_NOW);
	return 0;
}

static int timer_start(void)
{
	int state;

	period_ns = op_timer_period_ns();
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "oprofile:online", timer_online,
				  timer_offline);
	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

static void timer_stop(void)
{
	cpuhp_remove_state(hotplug_state);	/* timer_offline() on every CPU */
}

const struct op_model op_model_timer = {
	.name = "timer",
	.start = timer_start,
	.stop = timer_stop,
};

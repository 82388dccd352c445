// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * op_model_nmi_ipi.c - sample by time, with NMIs that the CPUs send each other
 *
 * For machines without counters. A timer alone does not see code that runs with interrupts off.
 * Here one CPU's timer samples that CPU and sends all others an NMI, so such code is sampled unless
 * it runs on all CPUs at once.
 *
 * Time is divided into rounds of one period. With n CPUs, each sets its timer for every n-th round,
 * its turn. So each CPU is sampled in every round, mostly by NMI, and all timers together cost no
 * more than one would. The CPU that begins a round takes it with a cmpxchg, so that no two do.
 *
 * A CPU that has interrupts off misses its turn, and all CPUs miss that round. The next CPU sees a
 * gap in the round numbers and takes all rounds for a while. It does so a little late, to leave
 * them to a CPU that is back in its turn. A late timer does not sample its own CPU, because it
 * would always hit the instruction that enables interrupts.
 *
 * Rounds in which a CPU is not sampled are counted on it: received + throttled = time / period.
 * That includes rounds missed because sampling takes longer than a period: after each NMI a CPU
 * gets none for as long as that one took plus OP_TIMER_MIN_PERIOD_NS, and a timer does not fire
 * again before its own cost has passed.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <asm/apic.h>
#include <asm/irq_regs.h>
#include <asm/irq_vectors.h>
#include <asm/nmi.h>
#include "module/buffer_sync.h"
#include "module/cpu_buffer.h"
#include "module/op_model.h"
#include "module/stats.h"
#include "oprofilefs/op_abi.h"

#define HELP_ROUNDS	16	/* that a CPU takes for others after it saw one missing */
#define LATE_DIVISOR	4	/* of the period: a timer later than that is late */

struct ipi_cpu {
	struct hrtimer timer;
	unsigned int turn;	/* of nr_turns */
	unsigned int help;	/* rounds still to be taken out of turn */

	/* between this CPU's timer and the NMIs that hit it */
	bool busy;		/* the timer is sampling: an NMI does nothing */
	u64 counted;		/* rounds up to this one are sampled or counted as missed */

	int pending;		/* an NMI has been sent */
	u64 ready;		/* when the next may be sent */
};
static DEFINE_PER_CPU(struct ipi_cpu, cpus);

static struct cpumask sampled;		/* CPUs that NMIs may be sent to */
static bool stopping;
static u64 began, period;		/* ns */
static unsigned int nr_turns;
static atomic64_t last_round;
static int hotplug_state;

static u64 round_at(u64 now)
{
	return div64_u64(now - began, period);
}

/* This CPU is sampled in @round and has missed those since the last one. */
static void count_up_to(struct ipi_cpu *c, u64 round)
{
	u64 counted = READ_ONCE(c->counted);

	if (round > counted + 1)
		op_count_here(OP_STAT_THROTTLED, round - counted - 1);
	if (round > counted)
		WRITE_ONCE(c->counted, round);
}

static int on_nmi(unsigned int type, struct pt_regs *regs)	/* [nmi] */
{
	struct ipi_cpu *c = this_cpu_ptr(&cpus);
	u64 start, round;

	if (!xchg(&c->pending, 0))
		return NMI_DONE;
	start = ktime_get_mono_fast_ns();
	round = atomic64_read(&last_round);
	if (!READ_ONCE(c->busy) && round > c->counted) {
		count_up_to(c, round);
		op_sample(regs, 0);
	}
	WRITE_ONCE(c->ready, 2 * ktime_get_mono_fast_ns() - start + OP_TIMER_MIN_PERIOD_NS);
	return NMI_HANDLED;
}

static void send_nmis(u64 now)
{
	unsigned int cpu, me = smp_processor_id();

	for_each_cpu(cpu, &sampled) {
		struct ipi_cpu *c = &per_cpu(cpus, cpu);

		if (cpu != me && READ_ONCE(c->ready) <= now && !xchg(&c->pending, 1))
			apic->send_IPI(cpu, NMI_VECTOR);
	}
}

/* Begin @round unless another CPU has. *ret_last: the last round before it. */
static bool take_round(u64 round, u64 *ret_last)
{
	s64 last = atomic64_read(&last_round);

	do {
		*ret_last = last;
		if (last >= (s64)round)
			return false;
	} while (!atomic64_try_cmpxchg(&last_round, &last, round));
	return true;
}

static void sample_here(struct ipi_cpu *c, u64 round, bool late)
{
	struct pt_regs *regs = get_irq_regs();

	WRITE_ONCE(c->busy, true);
	barrier();
	if (round > c->counted && regs && !late) {
		count_up_to(c, round);
		op_count_here(OP_STAT_BY_TIMER, 1);
		op_sample(regs, 0);
	}
	barrier();
	WRITE_ONCE(c->busy, false);
}

static bool is_turn(const struct ipi_cpu *c, u64 round)
{
	u64 rest;

	div64_u64_rem(round, nr_turns, &rest);
	return rest == c->turn;
}

/* When this CPU's timer fires next: in its own turn or, while helping, a little into each round. */
static u64 next_expiry(const struct ipi_cpu *c, u64 round)
{
	u64 rest;

	round++;
	if (c->help && !is_turn(c, round))
		return began + round * period + period / (2 * LATE_DIVISOR);
	div64_u64_rem(round, nr_turns, &rest);
	return began + (round + (c->turn + nr_turns - rest) % nr_turns) * period;
}

static enum hrtimer_restart tick(struct hrtimer *timer)	/* [irq] */
{
	struct ipi_cpu *c = container_of(timer, struct ipi_cpu, timer);
	u64 start = ktime_get_ns(), round = round_at(start), last, end;
	bool late = start - began - round * period > period / LATE_DIVISOR;

	if (READ_ONCE(stopping))
		return HRTIMER_NORESTART;
	if (take_round(round, &last)) {
		sample_here(c, round, late);
		send_nmis(start);
		if (last + 1 < round || !is_turn(c, round))
			c->help = HELP_ROUNDS;
	} else if (c->help) {
		c->help--;
	}
	end = ktime_get_ns();
	hrtimer_set_expires(timer, ns_to_ktime(next_expiry(c, round_at(2 * end - start))));
	return HRTIMER_RESTART;
}

/* On the CPU itself. */
static int ipi_online(unsigned int cpu)
{
	struct ipi_cpu *c = &per_cpu(cpus, cpu);
	u64 round = round_at(ktime_get_ns());

	c->pending = 0;		/* one sent as the CPU went offline may never have arrived */
	c->ready = 0;
	c->busy = false;
	c->help = 0;
	c->counted = round;
	op_hrtimer_setup(&c->timer, tick);
	cpumask_set_cpu(cpu, &sampled);
	hrtimer_start(&c->timer, ns_to_ktime(next_expiry(c, round)), HRTIMER_MODE_ABS_PINNED_HARD);
	return 0;
}

/* No NMI may be in flight to a CPU that goes offline, or when the handler is removed. */
static int ipi_offline(unsigned int cpu)
{
	struct ipi_cpu *c = &per_cpu(cpus, cpu);
	u64 last;
	int i;

	hrtimer_cancel(&c->timer);
	cpumask_clear_cpu(cpu, &sampled);
	if (!stopping)
		synchronize_rcu();	/* timers that still saw this CPU have sent their NMIs */
	for (i = 0; READ_ONCE(c->pending) && i < 100; i++)
		usleep_range(100, 200);
	last = atomic64_read(&last_round);
	if (last > c->counted)
		op_count_here(OP_STAT_THROTTLED, last - c->counted);
	op_sync_kick(OP_SYNC_NOW);
	return 0;
}

static int ipi_probe(struct op_reason *why)
{
	if (!boot_cpu_has(X86_FEATURE_APIC))
		return op_refuse(why, -ENODEV, "the local APIC is missing or disabled");
	if (num_online_cpus() < 2)
		return op_refuse(why, -ENODEV, "only one CPU is online; another must send it NMIs");
	return 0;
}

static void share_turns(void)
{
	unsigned int cpu, next = 0;

	cpus_read_lock();
	nr_turns = num_online_cpus();
	for_each_possible_cpu(cpu)
		per_cpu(cpus, cpu).turn = (cpu_online(cpu) ? next++ : cpu) % nr_turns;
	cpus_read_unlock();
}

static int ipi_start(void)
{
	int err, state;

	began = ktime_get_ns();
	period = op_timer_period_ns();
	share_turns();
	atomic64_set(&last_round, 0);
	stopping = false;
	err = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "oprofile-ipi");
	if (err)
		return err;
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "oprofile/ipi:online", ipi_online,
				  ipi_offline);
	if (state < 0) {
		unregister_nmi_handler(NMI_LOCAL, "oprofile-ipi");
		return state;
	}
	hotplug_state = state;
	return 0;
}

static void ipi_stop(void)
{
	WRITE_ONCE(stopping, true);
	synchronize_rcu();			/* timers send no more NMIs */
	cpuhp_remove_state(hotplug_state);	/* ipi_offline() on every CPU */
	unregister_nmi_handler(NMI_LOCAL, "oprofile-ipi");
}

const struct op_model op_model_nmi_ipi = {
	.name = "nmi-ipi",
	.probe = ipi_probe,
	.start = ipi_start,
	.stop = ipi_stop,
};

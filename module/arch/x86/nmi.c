// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nmi.c - own the CPUs' counters, and handle their overflows in the NMI (nmi.h)
 *
 * An overflow goes through the local APIC's LVTPC entry, which delivers an NMI so that code running
 * with interrupts off is sampled too. On Intel's CPUs the delivery masks the entry: it is unmasked
 * each time before counting resumes, or no further overflow would interrupt. If the counters cannot
 * be stopped it is unmasked first.
 *
 * If more events are asked for than there are counters, sets of counters take turns. A timer on
 * each CPU, independent of the others, stops the current set and resumes the next one. The time
 * slices vary a little so that they do not fall into step with a program.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include "module/cpu_buffer.h"
#include "module/stats.h"
#include "module/arch/x86/claim.h"
#include "module/arch/x86/cpus.h"
#include "module/arch/x86/nmi.h"
#include "module/arch/x86/set_times.h"

struct nmi_cpu {
	struct op_pmu_cpu pmu;
	struct op_set_times times;
	struct hrtimer timer;		/* switches the sets */
	u32 random;
	u32 saved_lvtpc;
};
static DEFINE_PER_CPU(struct nmi_cpu, cpus);

static const struct op_pmu *pmu;	/* while set up */
static struct op_pmu_plan plans[OP_MAX_VIRTUAL];
static unsigned int nr_plans;
static u64 time_slice;			/* ns */

/* ---- the interrupt								[nmi] */

static void open_lvtpc(void)
{
	apic->write(APIC_LVTPC, APIC_DM_NMI);
}

/*
 * An NMI that found no overflow is ours if it was owed or if its delivery masked LVTPC. Then LVTPC
 * must be unmasked, or no further overflow would interrupt.
 */
static int on_late_nmi(struct op_pmu_cpu *c)
{
	bool ours = op_pmu_owed(c, rdtsc());

	if (READ_ONCE(c->programmed) && (ours || apic->read(APIC_LVTPC) & APIC_LVT_MASKED)) {
		open_lvtpc();
		ours = true;
	}
	return ours ? NMI_HANDLED : NMI_DONE;
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	struct op_pmu_cpu *c = &this_cpu_ptr(&cpus)->pmu;
	struct op_pmu_fired f;
	u32 left;

	/* running counters may overflow after they were read: that NMI must not be lost */
	if (!pmu->global && READ_ONCE(c->programmed))
		open_lvtpc();
	f = op_pmu_begin(pmu, c, user_mode(regs), rdtsc());
	if (!f.overflows)
		return on_late_nmi(c);
	for (left = f.samples; left; left &= left - 1)
		op_sample(regs, c->plan->first + __builtin_ctz(left));
	if (f.throttled)
		op_count_here(OP_STAT_THROTTLED, f.throttled);
	if (pmu->global)
		open_lvtpc();
	op_pmu_end(pmu, c, &f, rdtsc());
	return f.overflows;	/* if more than one, the kernel tolerates NMIs without a cause */
}

/* ---- on each CPU, interrupts off ---- */

static ktime_t next_slice(struct nmi_cpu *n)
{
	n->random = n->random * 1664525 + 1013904223;
	return ns_to_ktime(time_slice * 3 / 4 + (time_slice / 2 * (n->random >> 16) >> 16));
}

static void stop_counting(struct nmi_cpu *n, u64 *ret_stopped)
{
	u64 passed = op_pmu_stop(pmu, &n->pmu, rdtsc());

	*ret_stopped = ktime_get_ns();
	op_count_here(OP_STAT_THROTTLED, passed);
}

static enum hrtimer_restart take_turns(struct hrtimer *timer)	/* [irq] */
{
	struct nmi_cpu *n = container_of(timer, struct nmi_cpu, timer);
	unsigned int next = n->pmu.plan - plans + 1;
	u64 stopped;

	if (!n->pmu.running)
		return HRTIMER_NORESTART;
	next = next < nr_plans ? next : 0;
	stop_counting(n, &stopped);
	op_pmu_switch(pmu, &plans[next], &n->pmu, rdtsc());
	op_set_times_switch(&n->times, next, stopped, ktime_get_ns());
	op_pmu_start(pmu, &n->pmu);
	op_count_here(OP_STAT_SWITCHES, 1);
	hrtimer_forward_now(timer, next_slice(n));
	return HRTIMER_RESTART;
}

static void start_here(void)
{
	struct nmi_cpu *n = this_cpu_ptr(&cpus);

	if (!n->pmu.programmed || n->pmu.running)
		return;
	op_set_times_start(&n->times, n->pmu.plan - plans, ktime_get_ns());
	op_pmu_start(pmu, &n->pmu);
	if (nr_plans > 1)
		hrtimer_start(&n->timer, next_slice(n), HRTIMER_MODE_REL_PINNED_HARD);
}

static void stop_here(void)
{
	struct nmi_cpu *n = this_cpu_ptr(&cpus);
	u64 stopped;

	if (!n->pmu.programmed || !n->pmu.running)
		return;
	stop_counting(n, &stopped);
	op_set_times_stop(&n->times, stopped);
	hrtimer_try_to_cancel(&n->timer);	/* pinned to this CPU, so it is not running */
}

static void claim_here(void)
{
	struct nmi_cpu *n = this_cpu_ptr(&cpus);

	if (n->pmu.programmed)
		return;
	n->saved_lvtpc = apic->read(APIC_LVTPC);
	op_pmu_program(pmu, plans, nr_plans, &n->pmu);
	open_lvtpc();
}

static void release_here(void)
{
	struct nmi_cpu *n = this_cpu_ptr(&cpus);

	if (!n->pmu.programmed)
		return;
	op_pmu_restore(pmu, &n->pmu);
	apic->write(APIC_LVTPC, n->saved_lvtpc);
}

static struct op_cpus all_cpus = {
	.name = "oprofile/counters:online",
	.claim = claim_here, .start = start_here, .stop = stop_here, .release = release_here,
};

/* ---- the model's calls ---- */

int op_nmi_probe(const struct op_pmu *p, struct op_reason *why)
{
	int err = op_claim(p, why);

	if (!err)
		op_release(p);
	return err;
}

static void reset_cpus(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct nmi_cpu *n = &per_cpu(cpus, cpu);

		op_set_times_reset(&n->times);
		op_hrtimer_setup(&n->timer, take_turns);
		n->random = cpu * 2654435769u;
	}
}

void op_nmi_times(unsigned int n, u64 *ret_enabled, u64 *ret_running)
{
	unsigned int cpu, set;

	for (set = 0; set < nr_plans; set++) {
		const struct op_pmu_plan *plan = &plans[set];

		if (n < plan->first || !((u64)plan->used >> (n - plan->first) & 1))
			continue;
		for_each_possible_cpu(cpu)
			op_set_times_add(&per_cpu(cpus, cpu).times, set, ret_enabled, ret_running);
	}
}

int op_nmi_setup(const struct op_pmu *p, struct op_reason *why)
{
	int err;

	nr_plans = 0;
	err = op_pmu_plan(p, op_counters, op_timer_clock_khz(), plans, why);
	if (err < 0)
		return err;
	nr_plans = err;
	time_slice = (u64)op_time_slice * NSEC_PER_MSEC;
	err = op_claim(p, why);
	if (err)
		return err;
	pmu = p;
	reset_cpus();
	err = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "oprofile");
	if (err) {
		op_refuse(why, err, "cannot register an NMI handler (%d)", err);
		goto release;
	}
	err = op_cpus_follow(&all_cpus, why);
	if (!err)
		return 0;
	unregister_nmi_handler(NMI_LOCAL, "oprofile");

release:
	op_release(p);
	return err;
}

void op_nmi_shutdown(void)
{
	op_cpus_leave(&all_cpus);
	unregister_nmi_handler(NMI_LOCAL, "oprofile");
	op_release(pmu);
}

int op_nmi_start(void)
{
	op_cpus_run(&all_cpus, true);
	return 0;
}

void op_nmi_stop(void)
{
	op_cpus_run(&all_cpus, false);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmu_run.c - program, start, stop, switch and restore an x86 CPU's counters (pmu.h)
 *
 * All of it runs with the CPU's interrupts off, but an NMI may still hit. The NMI looks at the set
 * c->plan and must not mistake a counter that is yet to be written for a wrapped one: a new set is
 * written completely before it becomes c->plan.
 */
#include "module/arch/x86/pmu_registers.h"

/* Stop the counters, whoever set them up. */
static void halt_all(const struct op_pmu *p)
{
	unsigned int i;

	if (p->global) {
		op_wrmsr(p->global_ctrl, 0);
		return;
	}
	for (i = 0; i < p->nr_general; i++)
		op_wrmsr(select_msr(p, i), 0);
}

static void save(const struct op_pmu *p, struct op_pmu_cpu *c)
{
	unsigned int i;

	for (i = 0; i < p->nr_general; i++)
		c->saved_select[i] = op_rdmsr(select_msr(p, i));
	if (p->global)
		c->saved_ctrl = op_rdmsr(p->global_ctrl);
	halt_all(p);
	if (p->nr_fixed)
		c->saved_fixed_ctrl = op_rdmsr(FIXED_CTRL);
	for (i = 0; i < op_pmu_counters(p); i++)
		c->saved_value[i] = op_rdmsr(counter_msr(p, i));
}

/* Select value of a stopped counter: without global registers its enable bit starts it. */
static u64 select_stopped(const struct op_pmu *p, const struct op_pmu_plan *plan, unsigned int i)
{
	return p->global ? plan->select[i] : plan->select[i] & ~SELECT_ENABLE;
}

static void clear_status(const struct op_pmu *p)
{
	if (p->global)
		op_wrmsr(p->global_clear, global_bits(p, (1u << op_pmu_counters(p)) - 1));
}

void op_pmu_program(const struct op_pmu *p, const struct op_pmu_plan *plans, unsigned int nr,
		    struct op_pmu_cpu *c)
{
	const struct op_pmu_plan *plan;
	unsigned int i;

	memset(c, 0, sizeof(*c));
	save(p, c);
	for (plan = plans; plan < plans + nr; plan++)
		for (i = 0; i < op_pmu_counters(p); i++)
			c->value[plan->first + i] = -plan->period[i] & value_mask(p, i);
	for (i = 0; i < op_pmu_counters(p); i++) {
		if (plans->used >> i & 1)
			op_wrmsr(counter_msr(p, i), c->value[plans->first + i]);
		if (!is_fixed(p, i))
			op_wrmsr(select_msr(p, i), select_stopped(p, plans, i));
	}
	if (p->nr_fixed)
		op_wrmsr(FIXED_CTRL, plans->fixed_ctrl);
	clear_status(p);
	c->plan = plans;
	WRITE_ONCE(c->programmed, true);
}

void op_pmu_start(const struct op_pmu *p, struct op_pmu_cpu *c)
{
	u32 left;

	WRITE_ONCE(c->running, true);
	if (p->global) {
		op_wrmsr(p->global_ctrl, c->plan->enable);
		return;
	}
	for (left = c->plan->used; left; left &= left - 1)
		op_wrmsr(select_msr(p, __builtin_ctz(left)), c->plan->select[__builtin_ctz(left)]);
}

static void halt_set(const struct op_pmu *p, const struct op_pmu_plan *plan)
{
	u32 left;

	if (p->global) {
		op_wrmsr(p->global_ctrl, 0);
		return;
	}
	for (left = plan->used; left; left &= left - 1)
		op_wrmsr(select_msr(p, __builtin_ctz(left)),
			 select_stopped(p, plan, __builtin_ctz(left)));
}

u64 op_pmu_stop(const struct op_pmu *p, struct op_pmu_cpu *c, u64 now)
{
	struct op_pmu_fired f = {};
	unsigned int early;
	u32 left;

	WRITE_ONCE(c->early, 0);
	WRITE_ONCE(c->stopping, true);		/* NMIs ignore the counters from here */
	WRITE_ONCE(c->running, false);
	halt_set(p, c->plan);
	c->began = now;
	/* an overflow left unhandled would be the counter's last */
	for (left = overflowed(p, c->plan); left; left &= left - 1) {
		op_pmu_reload(p, c, __builtin_ctz(left), false, &f);
		f.overflows++;
	}
	early = READ_ONCE(c->early);		/* once: it may grow meanwhile */
	if (f.overflows > early)
		owe(c, f.overflows - early, now);
	WRITE_ONCE(c->stopping, false);
	return f.throttled;
}

/* Save the counts of the current set, and how long ago each counter was handled. */
static void save_set(const struct op_pmu *p, struct op_pmu_cpu *c, u64 now)
{
	u32 left;

	for (left = c->plan->used; left; left &= left - 1) {
		unsigned int i = __builtin_ctz(left), n = c->plan->first + i;

		c->value[n] = read_counter(p, i);
		c->throttle[n].handled = now - c->throttle[n].handled;
	}
}

void op_pmu_switch(const struct op_pmu *p, const struct op_pmu_plan *next, struct op_pmu_cpu *c,
		   u64 now)
{
	unsigned int i;
	u32 left;

	save_set(p, c, now);
	for (i = 0; i < p->nr_general; i++)
		if (next->select[i] != c->plan->select[i])
			op_wrmsr(select_msr(p, i), select_stopped(p, next, i));
	if (next->fixed_ctrl != c->plan->fixed_ctrl)
		op_wrmsr(FIXED_CTRL, next->fixed_ctrl);
	for (left = next->used; left; left &= left - 1) {
		unsigned int n = next->first + __builtin_ctz(left);

		op_wrmsr(counter_msr(p, __builtin_ctz(left)), c->value[n]);
		c->throttle[n].handled = now - c->throttle[n].handled;
	}
	WRITE_ONCE(c->plan, next);
}

void op_pmu_restore(const struct op_pmu *p, struct op_pmu_cpu *c)
{
	unsigned int i;

	WRITE_ONCE(c->programmed, false);
	halt_all(p);
	for (i = 0; i < op_pmu_counters(p); i++)
		op_wrmsr(counter_msr(p, i), c->saved_value[i]);
	if (p->nr_fixed)
		op_wrmsr(FIXED_CTRL, c->saved_fixed_ctrl);
	clear_status(p);
	for (i = 0; i < p->nr_general; i++)
		op_wrmsr(select_msr(p, i), c->saved_select[i]);
	if (p->global)
		op_wrmsr(p->global_ctrl, c->saved_ctrl);
}

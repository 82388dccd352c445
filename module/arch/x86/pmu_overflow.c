// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmu_overflow.c - handle overflows of an x86 CPU's counters in the NMI (pmu.h)
 *
 * Every instruction here costs time per sample, and a register access costs many times that, even
 * more in a virtual machine. If the counters can be stopped all at once they are stopped first, so
 * that one read of the status suffices.
 */
#include "module/arch/x86/pmu_registers.h"

void op_pmu_reload(const struct op_pmu *p, struct op_pmu_cpu *c, unsigned int i, bool user,
		   struct op_pmu_fired *f)
{
	const struct op_pmu_plan *plan = c->plan;
	struct op_throttle *t = &c->throttle[plan->first + i];
	u64 least = plan->floor > c->cost ? plan->floor : c->cost;
	u64 past = read_counter(p, i), period = plan->period[i];
	u64 passed = 1ull << t->stretch;

	if (!has_wrapped(p, i, past))
		return;		/* the status bit is of an earlier period */
	if (past >= period) {
		f->throttled += past / period;
		past %= period;
	}
	f->wrapped |= 1u << i;
	arm(p, i, period << op_throttle(t, least, period, plan->max[i], c->began), past);
	if (READ_ONCE(c->running) && (user ? plan->in_user : plan->in_kernel) >> i & 1) {
		f->samples |= 1u << i;
		passed--;
	}
	f->throttled += passed;
}

/* begin halted the counters: resume them unless they were stopped. */
static void resume(const struct op_pmu *p, const struct op_pmu_cpu *c)
{
	if (p->global && READ_ONCE(c->running))
		op_wrmsr(p->global_ctrl, c->plan->enable);
}

struct op_pmu_fired op_pmu_begin(const struct op_pmu *p, struct op_pmu_cpu *c, bool user, u64 now)
{
	struct op_pmu_fired f = {};
	u32 left;

	/* op_pmu_stop() handles overflows while it stops the counters */
	if (!READ_ONCE(c->programmed) || READ_ONCE(c->stopping))
		return f;
	if (p->global)
		op_wrmsr(p->global_ctrl, 0);
	left = overflowed(p, c->plan);
	if (!left) {
		resume(p, c);
		return f;
	}
	c->began = now;
	for (; left; left &= left - 1) {
		op_pmu_reload(p, c, __builtin_ctz(left), user, &f);
		f.overflows++;
	}
	return f;
}

void op_pmu_end(const struct op_pmu *p, struct op_pmu_cpu *c, const struct op_pmu_fired *f,
		u64 now)
{
	u64 cost = now - c->began;
	u32 left;

	for (left = f->wrapped; left; left &= left - 1)
		c->throttle[c->plan->first + __builtin_ctz(left)].handled = now;
	c->cost = cost < c->last_cost ? cost : c->last_cost;
	c->last_cost = cost;
	/* running counters may wrap after they were read, with an NMI of their own */
	owe(c, p->global ? f->overflows - 1 : f->overflows, now);
	resume(p, c);
}

bool op_pmu_owed(struct op_pmu_cpu *c, u64 now)
{
	if (READ_ONCE(c->stopping)) {
		WRITE_ONCE(c->early, c->early + 1);
		return true;
	}
	if (!c->owed || (int64_t)(now - c->owed_until) > 0)
		return false;
	c->owed--;
	return true;
}

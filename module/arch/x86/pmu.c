// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmu.c - program, run, stop and handle an x86 CPU's counters (pmu.h)
 */
#include "pmu.h"
#include "../../../oprofilefs/op_abi.h"

/* bits of a select register */
#define SELECT_USER	(1ull << 16)
#define SELECT_KERNEL	(1ull << 17)
#define SELECT_EDGE	(1ull << 18)
#define SELECT_INT	(1ull << 20)
#define SELECT_ENABLE	(1ull << 22)
#define SELECT_INVERT	(1ull << 23)
#define SELECT_CMASK	(0xffull << 24)
#define EXTRA_MASK	(SELECT_EDGE | SELECT_INVERT | SELECT_CMASK)

/* the fixed counters', four bits for each */
#define FIXED_CTRL	0x38d
#define FIXED_COUNTER	0x309
#define FIXED_KERNEL	1ull
#define FIXED_USER	2ull
#define FIXED_INT	8ull
#define FIXED_RDPMC	(1u << 30)

#define GLOBAL_FIXED	32	/* bit of fixed counter 0 in the global registers */

#define LATE_MS		100
#define CALM_IN_A_ROW	64
#define ROUNDS		4	/* looks at the status in one NMI */

static bool is_fixed(const struct op_pmu *p, unsigned int i)
{
	return i >= p->nr_general;
}

static u32 select_msr(const struct op_pmu *p, unsigned int i)
{
	return p->select + i * p->step;
}

static u32 counter_msr(const struct op_pmu *p, unsigned int i)
{
	return is_fixed(p, i) ? FIXED_COUNTER + i - p->nr_general : p->counter + i * p->step;
}

static u32 rdpmc_index(const struct op_pmu *p, unsigned int i)
{
	return is_fixed(p, i) ? FIXED_RDPMC | (i - p->nr_general) : i;
}

static u64 global_bit(const struct op_pmu *p, unsigned int i)
{
	return 1ull << (is_fixed(p, i) ? GLOBAL_FIXED + i - p->nr_general : i);
}

static unsigned int width_of(const struct op_pmu *p, unsigned int i)
{
	return is_fixed(p, i) ? p->fixed_width : p->width;
}

static u64 value_mask(const struct op_pmu *p, unsigned int i)
{
	return ~0ull >> (64 - width_of(p, i));
}

/* Set from a start at minus a period until the counter wraps. */
static bool has_wrapped(const struct op_pmu *p, unsigned int i, u64 value)
{
	return !(value >> (width_of(p, i) - 1) & 1);
}

static u64 max_period(const struct op_pmu *p, unsigned int i)
{
	if (!is_fixed(p, i) && p->signed32)
		return (1ull << 31) - 1;
	return (1ull << (width_of(p, i) - 1)) - 1;
}

/* ---- the plan ---- */

/* A fixed counter's event is 0 with unit mask 1, 2, ...; most are known by another number too. */
static bool fixed_counts(unsigned int fixed, const struct op_counter *a)
{
	static const struct {
		u8 event, unit_mask;
	} also[] = { { 0xc0, 0 }, { 0x3c, 0 }, { 0, 3 }, { 0xa4, 1 } };

	if (a->event == 0)
		return a->unit_mask == fixed + 1;
	return fixed < sizeof(also) / sizeof(*also) && a->event == also[fixed].event &&
	       a->unit_mask == also[fixed].unit_mask;
}

static int check(const struct op_pmu *p, unsigned int i, const struct op_counter *a,
		 struct op_reason *why)
{
	if (!a->count || a->count > max_period(p, i))
		return op_refuse(why, -EDOM, "counter %u: count %lu is not 1 to %llu", i, a->count,
				 (unsigned long long)max_period(p, i));
	if (!a->kernel && !a->user)
		return op_refuse(why, -EDOM, "counter %u: counts neither kernel nor user", i);
	if (is_fixed(p, i)) {
		if (!fixed_counts(i - p->nr_general, a) || a->extra)
			return op_refuse(why, -EDOM,
					 "counter %u is fixed: it can't count event 0x%lx unit mask 0x%lx extra 0x%lx",
					 i, a->event, a->unit_mask, a->extra);
		return 0;
	}
	if (a->event & ~p->event_mask)
		return op_refuse(why, -EDOM, "counter %u: event 0x%lx has more bits than 0x%llx", i,
				 a->event, (unsigned long long)p->event_mask);
	if (a->unit_mask > 0xff)
		return op_refuse(why, -EDOM, "counter %u: unit mask 0x%lx is above 0xff", i,
				 a->unit_mask);
	if (a->extra & ~EXTRA_MASK)
		return op_refuse(why, -EDOM, "counter %u: extra 0x%lx has more bits than 0x%llx", i,
				 a->extra, EXTRA_MASK);
	return 0;
}

static u64 select_value(const struct op_counter *a)
{
	return (a->event & 0xff) | (u64)a->unit_mask << 8 | (a->event & 0xf00ull) << 24 |
	       a->extra | SELECT_INT | SELECT_ENABLE | (a->user ? SELECT_USER : 0) |
	       (a->kernel ? SELECT_KERNEL : 0);
}

static u64 fixed_value(const struct op_counter *a)
{
	return FIXED_INT | (a->user ? FIXED_USER : 0) | (a->kernel ? FIXED_KERNEL : 0);
}

int op_pmu_plan(const struct op_pmu *p, const struct op_counter *asked, u64 khz,
		struct op_pmu_plan *ret, struct op_reason *why)
{
	unsigned int i, nr = 0;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < op_pmu_counters(p); i++) {
		const struct op_counter *a = &asked[i];
		int err;

		if (!a->enabled)
			continue;
		err = check(p, i, a, why);
		if (err)
			return err;
		if (is_fixed(p, i))
			ret->fixed_ctrl |= fixed_value(a) << 4 * (i - p->nr_general);
		else
			ret->select[i] = select_value(a);
		ret->used |= 1u << i;
		ret->in_kernel |= (u32)!!a->kernel << i;
		ret->in_user |= (u32)!!a->user << i;
		ret->enable |= global_bit(p, i);
		ret->period[i] = a->count;
		ret->max[i] = max_period(p, i);
		nr++;
	}
	ret->floor = nr * khz * (OP_TIMER_MIN_PERIOD_NS / 1000) / 1000;
	ret->late = LATE_MS * khz;
	return 0;
}

/* ---- registers, the CPU's interrupts off ---- */

/* Whatever the counters do, they stop. */
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

/* The next overflow @period events after the last, of which @past are over. */
static void arm(const struct op_pmu *p, unsigned int i, u64 period, u64 past)
{
	op_wrmsr(counter_msr(p, i), -(period - past) & value_mask(p, i));
}

void op_pmu_program(const struct op_pmu *p, const struct op_pmu_plan *plan, struct op_pmu_cpu *c)
{
	unsigned int i;

	memset(c, 0, sizeof(*c));
	save(p, c);
	for (i = 0; i < op_pmu_counters(p); i++) {
		if (plan->used >> i & 1)
			arm(p, i, plan->period[i], 0);
		/* without global registers this bit is what starts a counter */
		if (!is_fixed(p, i))
			op_wrmsr(select_msr(p, i),
				 p->global ? plan->select[i] : plan->select[i] & ~SELECT_ENABLE);
	}
	if (p->nr_fixed)
		op_wrmsr(FIXED_CTRL, plan->fixed_ctrl);
	if (p->global)
		op_wrmsr(p->global_clear, plan->enable);
	WRITE_ONCE(c->programmed, true);
}

void op_pmu_start(const struct op_pmu *p, const struct op_pmu_plan *plan, struct op_pmu_cpu *c)
{
	unsigned int i;

	WRITE_ONCE(c->running, true);
	if (p->global) {
		op_wrmsr(p->global_ctrl, plan->enable);
		return;
	}
	for (i = 0; i < p->nr_general; i++)
		if (plan->used >> i & 1)
			op_wrmsr(select_msr(p, i), plan->select[i]);
}

/* The counters that have overflowed. Their bits in the status are cleared. */
static u32 overflowed(const struct op_pmu *p, const struct op_pmu_plan *plan)
{
	u32 found = 0, left;
	u64 status;

	if (p->global) {
		status = op_rdmsr(p->global_status) & plan->enable;
		if (!status)
			return 0;
		op_wrmsr(p->global_clear, status);
		return (status & ((1u << p->nr_general) - 1)) |
		       (u32)(status >> GLOBAL_FIXED) << p->nr_general;
	}
	for (left = plan->used; left; left &= left - 1) {
		unsigned int i = __builtin_ctz(left);

		if (has_wrapped(p, i, op_rdpmc(rdpmc_index(p, i))))
			found |= 1u << i;
	}
	return found;
}

static void owe(struct op_pmu_cpu *c, const struct op_pmu_plan *plan, unsigned int nr, u64 now)
{
	if (!nr)
		return;
	if ((int64_t)(now - c->owed_until) > 0)
		c->owed = 0;
	c->owed += nr;
	if (c->owed > OP_MAX_COUNTERS)
		c->owed = OP_MAX_COUNTERS;
	c->owed_until = now + plan->late;
}

u64 op_pmu_stop(const struct op_pmu *p, const struct op_pmu_plan *plan, struct op_pmu_cpu *c,
		u64 now)
{
	u64 passed = 0;
	unsigned int i;
	u32 left;

	WRITE_ONCE(c->running, false);
	if (p->global)
		op_wrmsr(p->global_ctrl, 0);
	else
		for (left = plan->used; left; left &= left - 1)
			op_wrmsr(select_msr(p, __builtin_ctz(left)),
				 plan->select[__builtin_ctz(left)] & ~SELECT_ENABLE);
	/* an overflow that nobody has handled would be the counter's last */
	for (left = overflowed(p, plan); left; left &= left - 1) {
		i = __builtin_ctz(left);
		arm(p, i, plan->period[i] << c->counter[i].stretch, 0);
		passed += 1ull << c->counter[i].stretch;
		owe(c, plan, 1, now);
	}
	return passed;
}

void op_pmu_restore(const struct op_pmu *p, const struct op_pmu_plan *plan, struct op_pmu_cpu *c)
{
	unsigned int i;

	WRITE_ONCE(c->programmed, false);
	halt_all(p);
	for (i = 0; i < op_pmu_counters(p); i++)
		op_wrmsr(counter_msr(p, i), c->saved_value[i]);
	if (p->nr_fixed)
		op_wrmsr(FIXED_CTRL, c->saved_fixed_ctrl);
	if (p->global)
		op_wrmsr(p->global_clear, plan->enable);
	for (i = 0; i < p->nr_general; i++)
		op_wrmsr(select_msr(p, i), c->saved_select[i]);
	if (p->global)
		op_wrmsr(p->global_ctrl, c->saved_ctrl);
}

/* ---- in the NMI ---- */

/* How often the period is to be doubled from now on. */
static unsigned int throttle(const struct op_pmu_plan *plan, struct op_pmu_cpu *c, unsigned int i,
			     u64 now)
{
	u64 gap = now - c->counter[i].handled;
	u64 least = plan->floor > c->cost ? plan->floor : c->cost;
	unsigned int stretch = c->counter[i].stretch;

	if (gap < least) {
		c->counter[i].calm = 0;
		if (plan->period[i] <= plan->max[i] >> (stretch + 1))
			stretch++;
	} else if (gap < 2 * least) {
		c->counter[i].calm = 0;
	} else if (stretch && ++c->counter[i].calm > CALM_IN_A_ROW) {
		c->counter[i].calm = 0;
		stretch--;
	}
	c->counter[i].stretch = stretch;
	return stretch;
}

/* Counter @i has overflowed: give it its next period. */
static void reload(const struct op_pmu *p, const struct op_pmu_plan *plan, struct op_pmu_cpu *c,
		   unsigned int i, bool user, struct op_pmu_fired *f)
{
	u64 past = op_rdpmc(rdpmc_index(p, i)) & value_mask(p, i), period = plan->period[i];
	u64 passed = 1ull << c->counter[i].stretch;

	if (!has_wrapped(p, i, past))
		return;		/* the status is not about this period */
	if (past >= period) {
		f->throttled += past / period;
		past %= period;
	}
	f->wrapped |= 1u << i;
	arm(p, i, period << throttle(plan, c, i, c->began), past);
	if (READ_ONCE(c->running) && (user ? plan->in_user : plan->in_kernel) >> i & 1) {
		f->samples |= 1u << i;
		passed--;
	}
	f->throttled += passed;
}

struct op_pmu_fired op_pmu_begin(const struct op_pmu *p, const struct op_pmu_plan *plan,
				 struct op_pmu_cpu *c, bool user, u64 now)
{
	struct op_pmu_fired f = {};
	unsigned int round;
	u32 left;

	if (!READ_ONCE(c->programmed))
		return f;
	left = overflowed(p, plan);
	if (!left)
		return f;
	c->began = now;
	if (p->global)
		op_wrmsr(p->global_ctrl, 0);
	/* an overflow between look and halt raises no interrupt while this one is handled */
	for (round = 0; left && round < ROUNDS; round++) {
		for (; left; left &= left - 1) {
			reload(p, plan, c, __builtin_ctz(left), user, &f);
			f.overflows++;
		}
		if (p->global)
			left = overflowed(p, plan);
	}
	return f;
}

void op_pmu_end(const struct op_pmu *p, const struct op_pmu_plan *plan, struct op_pmu_cpu *c,
		const struct op_pmu_fired *f, u64 now)
{
	u64 cost = now - c->began;
	u32 left;

	for (left = f->wrapped; left; left &= left - 1)
		c->counter[__builtin_ctz(left)].handled = now;
	c->cost = cost < c->last_cost ? cost : c->last_cost;
	c->last_cost = cost;
	/* running counters may have wrapped after they were looked at, with an NMI of their own */
	owe(c, plan, p->global ? f->overflows - 1 : f->overflows, now);
	if (p->global && READ_ONCE(c->running))
		op_wrmsr(p->global_ctrl, plan->enable);
}

bool op_pmu_owed(struct op_pmu_cpu *c, u64 now)
{
	if (!c->owed || (int64_t)(now - c->owed_until) > 0)
		return false;
	c->owed--;
	return true;
}

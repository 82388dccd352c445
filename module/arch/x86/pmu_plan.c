// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmu_plan.c - turn the counters' settings into register values (pmu.h)
 *
 * Settings that a counter does not support are refused here, before any register is touched.
 */
#include "module/arch/x86/pmu_registers.h"
#include "oprofilefs/op_abi.h"

#define LATE_MS		100

/* A fixed counter's event is 0 with unit mask 1, 2, ...; most have another number as well. */
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

static int check_extra(const struct op_pmu *p, unsigned int n, unsigned long extra,
		       struct op_reason *why)
{
	unsigned long not_here = extra & ~p->extra_mask;

	if (!not_here)
		return 0;
	if (not_here == OP_EXTRA_ANY)
		return op_refuse(why, -EDOM, "counter %u: extra 0x%lx: "
				 "this CPU cannot count for both threads of a core", n, extra);
	return op_refuse(why, -EDOM, "counter %u: invalid extra 0x%lx: expected bits of 0x%llx", n,
			 extra, (unsigned long long)p->extra_mask);
}

/* Whether counter @i of a set can do what virtual counter @n is asked to. */
static int check(const struct op_pmu *p, unsigned int i, unsigned int n,
		 const struct op_counter *a, struct op_reason *why)
{
	if (!a->count || a->count > max_period(p, i))
		return op_refuse(why, -EDOM,
				 "counter %u: count %lu is out of range: expected 1 to %llu", n,
				 a->count, (unsigned long long)max_period(p, i));
	if (!a->kernel && !a->user)
		return op_refuse(why, -EDOM, "counter %u: neither kernel nor user is enabled", n);
	if (is_fixed(p, i)) {
		if (fixed_counts(i - p->nr_general, a) && !a->extra)
			return 0;
		return op_refuse(why, -EDOM, "counter %u: a fixed counter cannot count event 0x%lx "
				 "unit mask 0x%lx extra 0x%lx", n, a->event, a->unit_mask,
				 a->extra);
	}
	if (a->event & ~p->event_mask)
		return op_refuse(why, -EDOM,
				 "counter %u: event 0x%lx is out of range: expected 0 to 0x%llx", n,
				 a->event, (unsigned long long)p->event_mask);
	if (a->unit_mask > 0xff)
		return op_refuse(why, -EDOM,
				 "counter %u: unit mask 0x%lx is out of range: expected 0 to 0xff",
				 n, a->unit_mask);
	return check_extra(p, n, a->extra, why);
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

static void use(const struct op_pmu *p, unsigned int i, const struct op_counter *a,
		struct op_pmu_plan *plan)
{
	if (is_fixed(p, i))
		plan->fixed_ctrl |= fixed_value(a) << 4 * (i - p->nr_general);
	else
		plan->select[i] = select_value(a);
	plan->used |= 1u << i;
	plan->in_kernel |= (u32)!!a->kernel << i;
	plan->in_user |= (u32)!!a->user << i;
	plan->period[i] = a->count;
	plan->max[i] = max_period(p, i);
	plan->nr++;
}

/* The plan of the set of counters that begins with virtual counter @first. */
static int plan_set(const struct op_pmu *p, unsigned int first, const struct op_counter *asked,
		    u64 khz, struct op_pmu_plan *ret, struct op_reason *why)
{
	unsigned int i;

	memset(ret, 0, sizeof(*ret));
	ret->first = first;
	for (i = 0; i < op_pmu_counters(p); i++) {
		const struct op_counter *a = &asked[first + i];
		int err;

		if (!a->enabled)
			continue;
		err = check(p, i, first + i, a, why);
		if (err)
			return err;
		use(p, i, a, ret);
	}
	ret->enable = global_bits(p, ret->used);
	ret->floor = ret->nr * khz * (OP_TIMER_MIN_PERIOD_NS / 1000) / 1000;
	ret->late = LATE_MS * khz;
	return 0;
}

int op_pmu_plan(const struct op_pmu *p, const struct op_counter *asked, u64 khz,
		struct op_pmu_plan *ret, struct op_reason *why)
{
	unsigned int first, nr = 0;

	for (first = 0; first + op_pmu_counters(p) <= OP_MAX_VIRTUAL; first += op_pmu_counters(p)) {
		int err = plan_set(p, first, asked, khz, &ret[nr], why);

		if (err)
			return err;
		nr += ret[nr].used != 0;
	}
	return nr ?: 1;
}

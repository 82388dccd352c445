// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ibs.c - discover, program, run, stop and read AMD's instruction-based sampling (ibs.h)
 */
#include "module/arch/x86/ibs.h"
#include "oprofilefs/op_abi.h"

#define FEATURE_IBS		(1u << 10)	/* 0x80000001 ecx */

/* 0x8000001b eax */
#define CAPS_VALID		(1u << 0)
#define CAPS_FETCH		(1u << 1)
#define CAPS_OP			(1u << 2)
#define CAPS_START_WRITABLE	(1u << 3)
#define CAPS_DISPATCHED_OPS	(1u << 4)
#define CAPS_BRANCH_TARGET	(1u << 5)
#define CAPS_LONG_PERIODS	(1u << 6)
#define CAPS_BAD_RIP		(1u << 7)

#define FETCH_CTL		0xc0011030
#define FETCH_LINEAR		0xc0011031
#define FETCH_PHYSICAL		0xc0011032
#define OP_CTL			0xc0011033
#define OP_RIP			0xc0011034	/* then data 1 to 3, linear, physical address */
#define OP_REGISTERS		6
#define OP_BRANCH_TARGET	0xc001103b

/* bits of the control registers */
#define PERIOD			0xffffull	/* bits 4 to 19 of it */
#define OP_PERIOD_MORE		(0x7full << 20)	/* bits 20 to 26 of it */
#define OP_PERIOD_MAX		0xffff0ull
#define OP_PERIOD_MAX_MORE	0x7fffff0ull
#define OP_OPS			(1ull << 19)
#define OP_START_RANDOM		(0x7full << 32)	/* the bits of the start value that are varied */
#define FETCH_RANDOM		(1ull << 57)
#define DATA1_BAD_RIP		(1ull << 38)

#define LATE_MS			100
#define VARIED_MIN		1024		/* shorter periods are not varied */

static const struct unit {
	u32 ctl;
	u64 enable, valid;
	u64 config;			/* bits that only software changes */
} units[OP_IBS_UNITS] = {
	{ FETCH_CTL, 1ull << 48, 1ull << 49, PERIOD | FETCH_RANDOM },
	{ OP_CTL, 1ull << 17, 1ull << 18, PERIOD | OP_PERIOD_MORE | OP_OPS },
};

/* ---- discovery and plan ---- */

int op_ibs_discover(unsigned int family, unsigned int model, u32 features, u32 caps,
		    struct op_ibs *ret, struct op_reason *why)
{
	if (family < 0x10 || !(features & FEATURE_IBS))
		return op_refuse(why, -ENODEV,
				 "the CPU or hypervisor does not offer instruction-based sampling");
	if (!(caps & CAPS_VALID))
		caps = CAPS_FETCH | CAPS_OP;	/* the first CPUs with IBS lack the leaf */
	if (!(caps & (CAPS_FETCH | CAPS_OP)))
		return op_refuse(why, -ENODEV, "the CPU supports neither fetch nor op sampling");
	*ret = (struct op_ibs){
		.unit = { !!(caps & CAPS_FETCH), !!(caps & CAPS_OP) },
		.dispatched_ops = caps & CAPS_DISPATCHED_OPS,
		.branch_target = caps & CAPS_BRANCH_TARGET,
		.start_writable = caps & CAPS_START_WRITABLE,
		.marks_bad_rip = caps & CAPS_BAD_RIP,
		.max = { OP_IBS_FETCH_MAX,
			 caps & CAPS_LONG_PERIODS ? OP_PERIOD_MAX_MORE : OP_PERIOD_MAX },
		.stops_in_two_steps = family == 0x10,
		.fetch_resumes = family >= 0x16 && family <= 0x18,
		.fetches_zero = family == 0x19 && model < 0x10,
	};
	return 0;
}

static int check(const char *name, bool supported, u64 count, u64 min, u64 max,
		 struct op_reason *why)
{
	if (!supported)
		return op_refuse(why, -EDOM, "%s: not supported by this CPU", name);
	if (count < min || count > max)
		return op_refuse(why, -EDOM,
				 "%s: max_count %llu is out of range: expected %llu to %llu", name,
				 (unsigned long long)count, (unsigned long long)min,
				 (unsigned long long)max);
	return 0;
}

int op_ibs_plan(const struct op_ibs *i, const struct op_ibs_settings *asked, u64 khz,
		struct op_ibs_plan *ret, struct op_reason *why)
{
	bool fetch = asked->fetch.enable, op = asked->op.enable;
	int err = 0;

	if (!fetch && !op)
		return op_refuse(why, -EDOM, "neither ibs_fetch nor ibs_op is enabled");
	if (fetch)
		err = check("ibs_fetch", i->unit[OP_IBS_UNIT_FETCH], asked->fetch.max_count,
			    OP_IBS_FETCH_MIN, i->max[OP_IBS_UNIT_FETCH], why);
	if (!err && op)
		err = check("ibs_op", i->unit[OP_IBS_UNIT_OP], asked->op.max_count, OP_IBS_OP_MIN,
			    i->max[OP_IBS_UNIT_OP], why);
	if (err)
		return err;
	if (op && asked->op.dispatched_ops && !i->dispatched_ops)
		return op_refuse(why, -EDOM,
				 "ibs_op: this CPU cannot count dispatched ops");
	if (op && asked->op.branch_target && !i->branch_target)
		return op_refuse(why, -EDOM, "ibs_op: this CPU does not record branch targets");
	*ret = (struct op_ibs_plan){
		.used = { fetch, op },
		.branch_target = asked->op.branch_target,
		.mode = { asked->fetch.rand_enable ? FETCH_RANDOM : 0,
			  asked->op.dispatched_ops ? OP_OPS : 0 },
		.period = { asked->fetch.max_count & ~0xfull, asked->op.max_count & ~0xfull },
		.floor = (fetch + op) * khz * (OP_TIMER_MIN_PERIOD_NS / 1000) / 1000,
		.late = LATE_MS * khz,
	};
	return 0;
}

/* ---- registers, the CPU's interrupts off ---- */

bool op_ibs_busy(const struct op_ibs_plan *plan)
{
	int u;

	for (u = 0; u < OP_IBS_UNITS; u++)
		if (plan->used[u] && (op_rdmsr(units[u].ctl) & units[u].enable))
			return true;
	return false;
}

static u32 next_random(struct op_ibs_cpu *c)
{
	u32 r = c->random;

	r ^= r << 13;
	r ^= r >> 17;
	r ^= r << 5;
	c->random = r;
	return r;
}

/*
 * A constant period may fall into step with a loop, so that some of its ops are never sampled. The
 * fetch unit can vary the period itself. So does the op unit when it counts ops, if the value that
 * it chose (in @ctl) is written back. For cycles, vary the start value, or, if that is not
 * writable, the period in steps of 16.
 */
static u64 vary(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c,
		u64 ctl, u64 *period)
{
	if (plan->mode[OP_IBS_UNIT_OP] & OP_OPS)
		return i->start_writable ? ctl & OP_START_RANDOM : 0;
	if (i->start_writable)
		return (u64)next_random(c) << 32 & OP_START_RANDOM;
	if (*period >= VARIED_MIN && *period + 0x80 <= i->max[OP_IBS_UNIT_OP])
		*period += (next_random(c) & 0xf0) - 0x80;
	return 0;
}

/* Start a unit, or restart it after a sample that left @ctl. */
static void arm(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c,
		enum op_ibs_unit u, u64 ctl)
{
	u64 period = plan->period[u] << c->unit[u].throttle.stretch, value = plan->mode[u];

	if (u == OP_IBS_UNIT_OP)
		value |= vary(i, plan, c, ctl, &period) | (period & OP_PERIOD_MORE);
	value |= period >> 4 & PERIOD;
	WRITE_ONCE(c->unit[u].written, value | units[u].enable);
	if (u == OP_IBS_UNIT_FETCH && i->fetch_resumes)
		op_wrmsr(units[u].ctl, value);
	op_wrmsr(units[u].ctl, value | units[u].enable);
}

static void stop_unit(const struct op_ibs *i, const struct op_ibs_plan *plan, enum op_ibs_unit u)
{
	if (i->stops_in_two_steps)
		op_wrmsr(units[u].ctl, plan->mode[u] | units[u].enable);
	op_wrmsr(units[u].ctl, 0);
}

/* Expect up to @nr NMIs that find nothing. Set, not added: an NMI may come in between. */
static void owe(const struct op_ibs_plan *plan, struct op_ibs_cpu *c, unsigned int nr, u64 now)
{
	WRITE_ONCE(c->owed_until, now + plan->late);
	WRITE_ONCE(c->owed, nr);
}

void op_ibs_program(const struct op_ibs_plan *plan, struct op_ibs_cpu *c, u64 now)
{
	int u;

	memset(c, 0, sizeof(*c));
	c->random = (u32)now | 1;
	for (u = 0; u < OP_IBS_UNITS; u++) {
		if (!plan->used[u])
			continue;
		c->unit[u].saved = op_rdmsr(units[u].ctl);
		c->unit[u].taken = c->unit[u].saved & units[u].enable;
		if (!c->unit[u].taken)
			op_wrmsr(units[u].ctl, 0);
	}
	WRITE_ONCE(c->programmed, true);
}

void op_ibs_start(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c)
{
	int u;

	c->running = true;
	for (u = 0; u < OP_IBS_UNITS; u++)
		if (plan->used[u] && !c->unit[u].taken)
			arm(i, plan, c, u, 0);
}

u64 op_ibs_stop(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c,
		u64 now)
{
	u64 written[OP_IBS_UNITS], ctl, passed = 0;
	int u;

	c->running = false;
	owe(plan, c, plan->used[OP_IBS_UNIT_FETCH] + plan->used[OP_IBS_UNIT_OP], now);
	/* from here on NMIs ignore the units; an earlier one may have restarted them */
	for (u = 0; u < OP_IBS_UNITS; u++)
		written[u] = xchg(&c->unit[u].written, 0);
	for (u = 0; u < OP_IBS_UNITS; u++) {
		if (!written[u])
			continue;
		ctl = op_rdmsr(units[u].ctl);
		if ((ctl ^ written[u]) & units[u].config) {
			c->unit[u].taken = true;
			continue;
		}
		stop_unit(i, plan, u);
		if (ctl & units[u].valid)
			passed += 1ull << c->unit[u].throttle.stretch;
	}
	return passed;
}

void op_ibs_restore(const struct op_ibs_plan *plan, struct op_ibs_cpu *c)
{
	int u;

	WRITE_ONCE(c->programmed, false);
	for (u = 0; u < OP_IBS_UNITS; u++)
		if (plan->used[u] && !c->unit[u].taken)
			op_wrmsr(units[u].ctl, c->unit[u].saved & ~units[u].valid);
}

/* ---- in the NMI ---- */

/* false: caused by an erratum, not a sample. */
static bool read_fetch(const struct op_ibs *i, u64 ctl, struct op_ibs_sample *s)
{
	s->nr = (OP_IBS_FETCH_WORDS - 1) / 2;
	s->pc = op_rdmsr(FETCH_LINEAR);
	s->data[0] = s->pc;
	s->data[1] = ctl;
	s->data[2] = op_rdmsr(FETCH_PHYSICAL);
	return s->pc || !i->fetches_zero;
}

static bool read_op(const struct op_ibs *i, const struct op_ibs_plan *plan,
		    struct op_ibs_sample *s)
{
	unsigned int n;

	for (n = 0; n < OP_REGISTERS; n++)
		s->data[n] = op_rdmsr(OP_RIP + n);
	if (plan->branch_target)
		s->data[n++] = op_rdmsr(OP_BRANCH_TARGET);
	s->nr = n;
	s->pc = i->marks_bad_rip && (s->data[1] & DATA1_BAD_RIP) ? 0 : s->data[0];
	return true;
}

void op_ibs_begin(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c,
		  u64 now, struct op_ibs_fired *ret)
{
	int u;

	ret->found = ret->samples = 0;
	c->began = now;
	for (u = 0; u < OP_IBS_UNITS; u++) {
		bool good;

		if (!READ_ONCE(c->unit[u].written))
			continue;
		ret->ctl[u] = op_rdmsr(units[u].ctl);
		if (!(ret->ctl[u] & units[u].valid))
			continue;
		good = u == OP_IBS_UNIT_FETCH ? read_fetch(i, ret->ctl[u], &ret->sample[u]) :
						read_op(i, plan, &ret->sample[u]);
		ret->found |= 1u << u;
		ret->samples |= (unsigned int)good << u;
	}
}

u64 op_ibs_end(const struct op_ibs *i, const struct op_ibs_plan *plan, struct op_ibs_cpu *c,
	       const struct op_ibs_fired *f, u64 now)
{
	u64 cost = now - c->began, least, passed = 0;
	unsigned int left;

	c->cost = cost < c->last_cost ? cost : c->last_cost;
	c->last_cost = cost;
	least = plan->floor > c->cost ? plan->floor : c->cost;
	for (left = f->found; left; left &= left - 1) {
		enum op_ibs_unit u = __builtin_ctz(left);
		struct op_throttle *t = &c->unit[u].throttle;

		passed += (1ull << t->stretch) - (f->samples >> u & 1);
		op_throttle(t, least, plan->period[u], i->max[u], c->began);
		t->handled = now;
		arm(i, plan, c, u, f->ctl[u]);
	}
	/* the first of two NMIs handles both units */
	if (f->found & (f->found - 1))
		owe(plan, c, 1, now);
	return passed;
}

bool op_ibs_owed(struct op_ibs_cpu *c, u64 now)
{
	unsigned int owed = READ_ONCE(c->owed);

	if (!owed || (int64_t)(now - READ_ONCE(c->owed_until)) > 0)
		return false;
	WRITE_ONCE(c->owed, owed - 1);
	return true;
}

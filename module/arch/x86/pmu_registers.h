/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmu_registers.h - addresses and contents of counter i's registers; private to pmu_*.c
 *
 * Inline, because the NMI handler does little else.
 */
#ifndef MODULE_ARCH_X86_PMU_REGISTERS_H
#define MODULE_ARCH_X86_PMU_REGISTERS_H

#include "module/arch/x86/pmu.h"

/* bits of a select register */
#define SELECT_USER	(1ull << 16)
#define SELECT_KERNEL	(1ull << 17)
#define SELECT_INT	(1ull << 20)
#define SELECT_ENABLE	(1ull << 22)

/* the fixed counters', four bits for each */
#define FIXED_CTRL	0x38d
#define FIXED_COUNTER	0x309
#define FIXED_KERNEL	1ull
#define FIXED_USER	2ull
#define FIXED_INT	8ull
#define FIXED_RDPMC	(1u << 30)

#define GLOBAL_FIXED	32	/* bit of fixed counter 0 in the global registers */

static inline bool is_fixed(const struct op_pmu *p, unsigned int i)
{
	return i >= p->nr_general;
}

static inline u32 select_msr(const struct op_pmu *p, unsigned int i)
{
	return p->select + i * p->step;
}

static inline u32 counter_msr(const struct op_pmu *p, unsigned int i)
{
	return is_fixed(p, i) ? FIXED_COUNTER + i - p->nr_general : p->counter + i * p->step;
}

static inline unsigned int width_of(const struct op_pmu *p, unsigned int i)
{
	return is_fixed(p, i) ? p->fixed_width : p->width;
}

static inline u64 value_mask(const struct op_pmu *p, unsigned int i)
{
	return ~0ull >> (64 - width_of(p, i));
}

static inline u64 read_counter(const struct op_pmu *p, unsigned int i)
{
	return op_rdpmc(is_fixed(p, i) ? FIXED_RDPMC | (i - p->nr_general) : i) & value_mask(p, i);
}

/* The top bit is set from the start at minus a period until the counter wraps. */
static inline bool has_wrapped(const struct op_pmu *p, unsigned int i, u64 value)
{
	return !(value >> (width_of(p, i) - 1) & 1);
}

static inline u64 max_period(const struct op_pmu *p, unsigned int i)
{
	if (!is_fixed(p, i) && p->signed32)
		return (1ull << 31) - 1;
	return (1ull << (width_of(p, i) - 1)) - 1;
}

/* Set the next overflow @period events after the last one, @past events ago. */
static inline void arm(const struct op_pmu *p, unsigned int i, u64 period, u64 past)
{
	op_wrmsr(counter_msr(p, i), -(period - past) & value_mask(p, i));
}

/* The bits of the counters @used in the global registers. */
static inline u64 global_bits(const struct op_pmu *p, u32 used)
{
	u32 general = used & ((1u << p->nr_general) - 1);

	return general | (u64)(used >> p->nr_general) << GLOBAL_FIXED;
}

static inline u32 from_global_bits(const struct op_pmu *p, u64 bits)
{
	u32 general = bits & ((1u << p->nr_general) - 1);

	return general | (u32)(bits >> GLOBAL_FIXED) << p->nr_general;
}

/* The counters that have overflowed. Clears their bits in the status. */
static inline u32 overflowed(const struct op_pmu *p, const struct op_pmu_plan *plan)
{
	u32 found = 0, left;
	u64 status;

	if (p->global) {
		status = op_rdmsr(p->global_status) & plan->enable;
		if (status)
			op_wrmsr(p->global_clear, status);
		return from_global_bits(p, status);
	}
	for (left = plan->used; left; left &= left - 1) {
		unsigned int i = __builtin_ctz(left);

		if (has_wrapped(p, i, read_counter(p, i)))
			found |= 1u << i;
	}
	return found;
}

/* Counter @i has overflowed: start its next period and record it in @f. */
void op_pmu_reload(const struct op_pmu *p, struct op_pmu_cpu *c, unsigned int i, bool user,
		   struct op_pmu_fired *f);

/* @nr NMIs may still come for overflows already handled. */
static inline void owe(struct op_pmu_cpu *c, unsigned int nr, u64 now)
{
	if (!nr)
		return;
	if ((int64_t)(now - c->owed_until) > 0)
		c->owed = 0;
	c->owed += nr;
	if (c->owed > OP_MAX_COUNTERS)
		c->owed = OP_MAX_COUNTERS;
	c->owed_until = now + c->plan->late;
}

#endif

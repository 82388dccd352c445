/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmu_test.h - an Intel CPU with counters, to set up and interrupt: for msr_*.c */
#ifndef TESTS_UNIT_MODULE_PMU_TEST_H
#define TESTS_UNIT_MODULE_PMU_TEST_H

#include <errno.h>
#include "tests/unit/module/msr_model.h"
#include "tests/tap.h"

#define KHZ	1000000ull		/* a time stamp is a nanosecond */
#define FLOOR	15000ull
#define US	(1ull << 16)
#define KERNEL	(1ull << 17)
#define INT	(1ull << 20)
#define ENABLE	(1ull << 22)
#define BOTH	(US | KERNEL | INT | ENABLE)
#define MINUS(n, width) (-(uint64_t)(n) & (~0ull >> (64 - (width))))

static struct op_reason why;
static struct op_pmu pmu;
static struct op_pmu_plan plans[OP_MAX_VIRTUAL];
static int nr_plans;
static struct op_pmu_cpu cpu;
static struct op_counter asked[OP_MAX_VIRTUAL];

static struct op_cpuid leaf(unsigned int version, unsigned int general, unsigned int width,
			    unsigned int fixed, unsigned int fixed_width, unsigned int fixed_mask)
{
	return (struct op_cpuid){
		.eax = version | general << 8 | width << 16 | 7 << 24,
		.ecx = fixed_mask, .edx = fixed | fixed_width << 5,
	};
}

/* A CPU of @version with 4 general and 3 fixed counters of 48 bits, all disabled. */
static void a_cpu(unsigned int version, bool full_width)
{
	struct op_cpuid l = leaf(version, 4, 48, version > 1 ? 3 : 0, 48, 7);

	CHECK(!op_pmu_intel(&l, full_width, &pmu, &why), "%s", why.text);
	model_reset(&pmu);
	memset(asked, 0, sizeof(asked));
}

static void ask(unsigned int i, unsigned long event, unsigned long mask, unsigned long count)
{
	asked[i] = (struct op_counter){
		.enabled = 1, .event = event, .unit_mask = mask, .count = count,
		.kernel = 1, .user = 1,
	};
}

static void planned(void)
{
	nr_plans = op_pmu_plan(&pmu, asked, KHZ, plans, &why);
	CHECK(nr_plans > 0, "%s", why.text);
}

static void started(void)
{
	planned();
	op_pmu_program(&pmu, plans, nr_plans, &cpu);
	op_pmu_start(&pmu, &cpu);
	model_log_clear();
}

/* Do what the NMI handler does, from @now to @now + @cost. */
static struct op_pmu_fired nmi(uint64_t now, uint64_t cost)
{
	struct op_pmu_fired f = op_pmu_begin(&pmu, &cpu, true, now);

	if (f.overflows)
		op_pmu_end(&pmu, &cpu, &f, now + cost);
	return f;
}

#endif

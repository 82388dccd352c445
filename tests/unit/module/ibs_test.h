/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ibs_test.h - a CPU with instruction-based sampling, to set up and interrupt: for ibs*.c */
#ifndef TESTS_UNIT_MODULE_IBS_TEST_H
#define TESTS_UNIT_MODULE_IBS_TEST_H

#include "tests/unit/module/ibs_model.h"
#include "tests/unit/module/msr_model.h"
#include "tests/tap.h"

#define KHZ		1000000ull
#define IBS		(1u << 10)	/* CPUID 0x80000001 ecx */
#define CAPS_10H	0u
#define CAPS_15H	0xffu
#define CAPS_ZEN	0x3ffu
#define FETCH_EN	(1ull << 48)
#define FETCH_VAL	(1ull << 49)
#define RANDOM		(1ull << 57)
#define OP_EN		(1ull << 17)
#define OP_VAL		(1ull << 18)
#define OPS		(1ull << 19)
#define FETCH_LINEAR	0xc0011031
#define FETCH_PHYSICAL	0xc0011032
#define OP_RIP		0xc0011034
#define OP_DATA1	0xc0011035
#define OP_TARGET	0xc001103b

static struct op_reason why;
static struct op_ibs ibs;
static struct op_ibs_plan plan;
static struct op_ibs_cpu cpu;
static struct op_ibs_settings asked;

static void a_cpu(unsigned int family, unsigned int model, uint32_t caps)
{
	CHECK(!op_ibs_discover(family, model, IBS, caps, &ibs, &why), "%s", why.text);
	ibs_model_reset(&ibs);
	memset(&asked, 0, sizeof(asked));
}

static void ask_fetch(unsigned long count, bool random)
{
	asked.fetch.enable = 1;
	asked.fetch.max_count = count;
	asked.fetch.rand_enable = random;
}

static void ask_op(unsigned long count, bool ops, bool target)
{
	asked.op.enable = 1;
	asked.op.max_count = count;
	asked.op.dispatched_ops = ops;
	asked.op.branch_target = target;
}

static void programmed(void)
{
	CHECK(!op_ibs_plan(&ibs, &asked, KHZ, &plan, &why), "%s", why.text);
	op_ibs_program(&plan, &cpu, 0);
}

static void started(void)
{
	programmed();
	op_ibs_start(&ibs, &plan, &cpu);
	model_log_clear();
}

static struct op_ibs_fired fired;
static uint64_t passed;		/* periods without a sample, in the last NMI or stop */

/* Simulate an NMI. Whether it was ours. */
static bool nmi(uint64_t now)
{
	passed = 0;
	op_ibs_begin(&ibs, &plan, &cpu, now, &fired);
	if (!fired.found)
		return op_ibs_owed(&cpu, now);
	passed = op_ibs_end(&ibs, &plan, &cpu, &fired, now + 10);
	return true;
}

#endif

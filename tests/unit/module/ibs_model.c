// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ibs_model.c - the registers of instruction-based sampling (ibs_model.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/module/ibs_model.h"
#include "tests/unit/module/msr_model.h"

#define FIRST		FETCH_CTL
#define REGISTERS	12		/* up to the branch target */

static const struct op_ibs *ibs;
static uint64_t regs[REGISTERS], counted[OP_IBS_UNITS];

static const struct {
	unsigned int ctl;
	uint64_t enable, valid;
} units[] = { { 0, 1ull << 48, 1ull << 49 }, { 3, 1ull << 17, 1ull << 18 } };

static uint64_t writable(unsigned int reg)
{
	if (reg == units[OP_IBS_UNIT_FETCH].ctl)
		return (1ull << 58) - 1;
	if (reg != units[OP_IBS_UNIT_OP].ctl)
		return 0;
	return 0xffffull | 3ull << 17 | (ibs->dispatched_ops ? 1ull << 19 : 0) |
	       (ibs->max[OP_IBS_UNIT_OP] > 0xffff0 ? 0x7full << 20 : 0) |
	       (ibs->start_writable ? 0x7ffffffull << 32 : 0);
}

static uint64_t *find(uint32_t msr, uint64_t *ret_valid)
{
	unsigned int reg = msr - FIRST;

	if (reg >= REGISTERS || reg == 10 || (reg == 11 && !ibs->branch_target))
		return NULL;
	*ret_valid = writable(reg);
	return &regs[reg];
}

static void written(uint32_t msr, uint64_t old)
{
	enum op_ibs_unit u = msr == OP_CTL ? OP_IBS_UNIT_OP : OP_IBS_UNIT_FETCH;
	uint64_t now = regs[msr - FIRST];

	if (ibs->stops_in_two_steps && (old & units[u].enable) && !(now & units[u].enable) &&
	    (old & 0xffff)) {
		printf("# erratum 420: stopped with a period of 0x%llx\n", (long long)old & 0xffff);
		fflush(stdout);
		abort();
	}
	if (u == OP_IBS_UNIT_OP)
		counted[u] = now >> 32 & 0x7ffffff;
	else if (!ibs->fetch_resumes || !(old & units[u].enable))
		counted[u] = 0;
}

static const struct model_more more = { find, written };

void ibs_model_reset(const struct op_ibs *i)
{
	static const struct op_pmu none;

	ibs = i;
	memset(regs, 0, sizeof(regs));
	memset(counted, 0, sizeof(counted));
	model_reset(&none);
	model_add(&more);
}

static uint64_t period(enum op_ibs_unit u)
{
	uint64_t ctl = regs[units[u].ctl];

	return (ctl & 0xffff) << 4 | (u == OP_IBS_UNIT_OP ? ctl & 0x7full << 20 : 0);
}

bool ibs_model_count(enum op_ibs_unit u, uint64_t n)
{
	uint64_t *ctl = &regs[units[u].ctl];

	if (!(*ctl & units[u].enable) || (*ctl & units[u].valid))
		return false;
	counted[u] += n;
	if (counted[u] < period(u))
		return false;
	/* families that resume counting do so from the period's end */
	*ctl |= units[u].valid;
	model_interrupt();
	return true;
}

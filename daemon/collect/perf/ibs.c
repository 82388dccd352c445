// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ibs.c - configure the PMUs of instruction-based sampling, and decode their raw data
 *
 * sysfs lists the PMUs and the meaning of their configuration bits.
 */
#include "daemon/collect/perf/ibs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/collect/perf/sysfs.h"

#define CAP_BRANCH_TARGET	(1u << 5)	/* of the first word of the raw data */

/* Registers in the raw data, after the word of capabilities. */
enum { FETCH_CONTROL, FETCH_LINEAR, FETCH_PHYSICAL, NR_FETCH };
enum { OP_CONTROL, OP_RIP, OP_DATA, OP_DATA2, OP_DATA3, OP_LINEAR, OP_PHYSICAL, NR_OP };
#define OP_TARGET	NR_OP		/* if the CPU has CAP_BRANCH_TARGET */

static int take_type(const char *root, const char *pmu, const char *what,
		     struct perf_counter *event, struct op_error *e)
{
	if (!perf_pmu_type(root, pmu, &event->type))
		return 0;
	return op_error_set(e, -ENODEV, "PMU '%s' not found: this CPU or kernel cannot sample %s",
			    pmu, what);
}

/* The CPU counts in units of 16, and the kernel accepts no other; neither can exclude a mode. */
static struct perf_counter start(const char *pmu, const struct ibs_side *side, enum op_code code)
{
	struct perf_counter event = {
		.period = side->max_count & ~UINT64_C(15),
		.counter = PERF_IBS_COUNTER(code),
		.kernel = true,
		.user = true,
		.guests_too = true,
		.raw = true,
	};

	snprintf(event.name, sizeof(event.name), "%s", pmu);
	return event;
}

static int make_fetch(const struct ibs_side *side, const char *root, struct perf_counter *event,
		      struct op_error *e)
{
	*event = start("ibs_fetch", side, OP_IBS_FETCH);
	/* like the module, vary the count if possible, to avoid lockstep with loops */
	(void)perf_pmu_set_bit(root, "ibs_fetch", "rand_en", &event->config);
	return take_type(root, "ibs_fetch", "instruction fetches", event, e);
}

static int make_op(const struct ibs_side *side, const char *root, struct perf_counter *event,
		   struct op_error *e)
{
	int err;

	*event = start("ibs_op", side, OP_IBS_OP);
	err = take_type(root, "ibs_op", "ops", event, e);
	if (!err && side->unit_mask & IBS_OP_DISPATCHED &&
	    perf_pmu_set_bit(root, "ibs_op", "cnt_ctl", &event->config))
		err = op_error_set(e, -ENODEV, "this CPU cannot count dispatched ops; clear 0x1 in "
				   "the unit mask");
	if (!err && side->unit_mask & IBS_OP_BRANCH_TARGET && !*root &&
	    !ibs_cpu_has_branch_target())
		err = op_error_set(e, -ENODEV, "this CPU does not record branch targets; clear 0x4 "
				   "in the unit mask");
	return err;
}

int perf_ibs_make(const struct ibs_config *ibs, const char *root, struct perf_counter *ret,
		  unsigned int *ret_nr, struct op_error *e)
{
	unsigned int nr = 0;
	int err = 0;

	if (ibs->fetch.on)
		err = make_fetch(&ibs->fetch, root, &ret[nr++], e);
	if (!err && ibs->op.on)
		err = make_op(&ibs->op, root, &ret[nr++], e);
	if (!err)
		*ret_nr = nr;
	return err;
}

/* Raw data */

static size_t put(op_word *to, size_t at, uint64_t reg)
{
	to[at] = (uint32_t)reg;
	to[at + 1] = reg >> 32;
	return at + 2;
}

static size_t fetch_words(const uint64_t *regs, op_word *ret)
{
	size_t nr = put(ret, 0, regs[FETCH_LINEAR]);

	nr = put(ret, nr, regs[FETCH_CONTROL]);
	return put(ret, nr, regs[FETCH_PHYSICAL]);
}

static size_t op_words(const uint64_t *regs, op_word *ret)
{
	size_t nr = 0;

	for (int i = OP_RIP; i < NR_OP; i++)
		nr = put(ret, nr, regs[i]);
	return nr;
}

size_t perf_ibs_words(enum op_code code, bool branch_target, const void *raw, size_t size,
		      op_word ret[PERF_IBS_WORDS_MAX])
{
	size_t need = code == OP_IBS_OP ? NR_OP : NR_FETCH, nr;
	uint64_t regs[NR_OP + 1] = { 0 };
	uint32_t caps;

	if (code != OP_IBS_OP && code != OP_IBS_FETCH)
		return 0;
	if (size < sizeof(caps) + need * sizeof(*regs))
		return 0;
	memcpy(&caps, raw, sizeof(caps));
	size -= sizeof(caps);
	memcpy(regs, (const char *)raw + sizeof(caps), size < sizeof(regs) ? size : sizeof(regs));
	if (code == OP_IBS_FETCH)
		return fetch_words(regs, ret);
	nr = op_words(regs, ret);
	if (branch_target) {
		uint64_t target = caps & CAP_BRANCH_TARGET ? regs[OP_TARGET] : 0;

		ret[nr++] = target == OP_ESCAPE ? 0 : target;
	}
	return nr;
}

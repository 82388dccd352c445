/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * op_ibs.h - instruction-based sampling, as the directories ibs_fetch and ibs_op of oprofilefs
 *
 * AMD's CPUs since family 10h can choose, every so many fetches and every so many cycles or ops,
 * one instruction and write down what becomes of it. Each such sample is a note of the event
 * buffer with the registers it was written to. [EB-30] It needs no counter: it runs beside the
 * counters' model, or alone as the model "ibs".
 */
#ifndef MODULE_OP_IBS_H
#define MODULE_OP_IBS_H

#include "module/portable.h"

#define OP_IBS_DEFAULT_COUNT	250000

/* Limits of the counts: the manual reserves what is below, the counters end there. */
#define OP_IBS_FETCH_MIN	0x10
#define OP_IBS_FETCH_MAX	0xffff0
#define OP_IBS_OP_MIN		0x90

/* What is asked for; set through oprofilefs, only while idle. */
struct op_ibs_settings {
	struct {
		unsigned long enable;		/* 0 or 1 */
		unsigned long max_count;	/* fetches between two samples */
		unsigned long rand_enable;	/* 0 or 1: the CPU varies it a little */
	} fetch;
	struct {
		unsigned long enable;		/* 0 or 1 */
		unsigned long max_count;	/* cycles, or ops, between two samples */
		unsigned long dispatched_ops;	/* 0 or 1: ops are counted, not cycles */
		unsigned long branch_target;	/* 0 or 1: samples have a branch's target, too */
	} op;
};
extern struct op_ibs_settings op_ibs_settings;

/* What this machine offers, found at load; nothing where there is no IBS, or none for us. */
struct op_ibs_offer {
	bool fetch, op;
	bool dispatched_ops, branch_target;
	unsigned long op_max;			/* of op.max_count */
};
extern struct op_ibs_offer op_ibs_offer;

static inline bool op_ibs_asked(void)
{
	return READ_ONCE(op_ibs_settings.fetch.enable) || READ_ONCE(op_ibs_settings.op.enable);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * op_ibs.h - settings of instruction-based sampling: directories ibs_fetch and ibs_op of oprofilefs
 *
 * Every so many fetches, and every so many cycles or ops, AMD's CPUs since family 10h can select
 * one instruction and record what happens to it. Each such sample is a note in the event buffer
 * with the recorded registers. [EB-30] It needs no counter: it runs beside the counters' model, or
 * alone as the model "ibs".
 */
#ifndef MODULE_OP_IBS_H
#define MODULE_OP_IBS_H

#include "module/portable.h"

#define OP_IBS_DEFAULT_COUNT	250000

/* Limits of the counts: the manual reserves smaller ones, the registers hold no larger ones. */
#define OP_IBS_FETCH_MIN	0x10
#define OP_IBS_FETCH_MAX	0xffff0
#define OP_IBS_OP_MIN		0x90

/* Set through oprofilefs, only while idle. */
struct op_ibs_settings {
	struct {
		unsigned long enable;		/* 0 or 1 */
		unsigned long max_count;	/* fetches between two samples */
		unsigned long rand_enable;	/* 0 or 1: the CPU varies the count a little */
	} fetch;
	struct {
		unsigned long enable;		/* 0 or 1 */
		unsigned long max_count;	/* cycles, or ops, between two samples */
		unsigned long dispatched_ops;	/* 0 or 1: count ops, not cycles */
		unsigned long branch_target;	/* 0 or 1: record branch targets */
	} op;
};
extern struct op_ibs_settings op_ibs_settings;

/* What this machine offers, detected at load; all 0 without usable IBS. */
struct op_ibs_offer {
	bool fetch, op;
	bool dispatched_ops, branch_target;
	unsigned long op_max;			/* of op.max_count */
};
extern struct op_ibs_offer op_ibs_offer;

static inline bool op_ibs_is_enabled(void)
{
	return READ_ONCE(op_ibs_settings.fetch.enable) || READ_ONCE(op_ibs_settings.op.enable);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter.h - what a counter is asked to count: the files of a directory N of oprofilefs
 *
 * Numbers as they are written there; what they may be depends on the model, which checks them
 * when the buffer is opened. A counter's number is that of its directory, and what its samples
 * carry in the event buffer.
 *
 * There are more directories than counters: P counters are directories 0 to P - 1, again P to
 * 2 * P - 1, and so on. Each such set is on the counters in its turn.
 */
#ifndef MODULE_COUNTER_H
#define MODULE_COUNTER_H

#include "module/portable.h"

#define OP_MAX_COUNTERS	16		/* that a CPU has */
#define OP_MAX_VIRTUAL	32		/* directories */

struct op_counter {
	unsigned long enabled;		/* 0 or 1 */
	unsigned long event;		/* as the CPU's manual has it, without the unit mask */
	unsigned long unit_mask;
	unsigned long count;		/* events between two samples */
	unsigned long kernel, user;	/* 0 or 1: whether what happens there counts */
	unsigned long extra;		/* OP_EXTRA_*: further bits of the select */
};

/* Bits of extra. Not all CPUs have the second: op_x86_extra_mask(). */
#define OP_EXTRA_X86	(1ul << 18 | 1ul << 23 | 0xfful << 24)	/* edge, invert, threshold */
#define OP_EXTRA_ANY	(1ul << 21)	/* Intel: what either thread of the core does counts */

/* Why something can't be done, for the file "models". */
struct op_reason {
	char text[128];
};

/* Say why, and give back @err. */
__attribute__((format(printf, 3, 4)))
int op_refuse(struct op_reason *why, int err, const char *format, ...);

#endif

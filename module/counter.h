/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter.h - the settings of a counter: the files of a directory N of oprofilefs
 *
 * The numbers are as written; the model checks them when the buffer is opened. A counter's number
 * is that of its directory, and is in the event buffer with its samples.
 *
 * There are more directories than counters: P counters are directories 0 to P - 1, then P to
 * 2 * P - 1, and so on. These sets take turns on the counters.
 */
#ifndef MODULE_COUNTER_H
#define MODULE_COUNTER_H

#include "module/portable.h"

#define OP_MAX_COUNTERS	16		/* that a CPU has */
#define OP_MAX_VIRTUAL	32		/* directories */

struct op_counter {
	unsigned long enabled;		/* 0 or 1 */
	unsigned long event;		/* as in the CPU's manual, without the unit mask */
	unsigned long unit_mask;
	unsigned long count;		/* events between two samples */
	unsigned long kernel, user;	/* 0 or 1: count events in that mode */
	unsigned long extra;		/* OP_EXTRA_*: further bits of the select register */
};

/* Bits of extra. Not all CPUs have the second: op_x86_extra_mask(). */
#define OP_EXTRA_X86	(1ul << 18 | 1ul << 23 | 0xfful << 24)	/* edge, invert, threshold */
#define OP_EXTRA_ANY	(1ul << 21)	/* Intel: count events of both threads of the core */

/* Why something failed, for the file "models". */
struct op_reason {
	char text[128];
};

/* Set the reason and return @err. */
__attribute__((format(printf, 3, 4)))
int op_refuse(struct op_reason *why, int err, const char *format, ...);

#endif

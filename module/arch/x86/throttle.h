/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * throttle.h - how much longer than asked for the next period is to be
 *
 * An overflow that comes sooner than is bearable after the last one was handled doubles the
 * distance to the next; many calm ones in a row halve it again. So a machine asked for a sample
 * every few cycles goes on working.
 */
#ifndef MODULE_ARCH_X86_THROTTLE_H
#define MODULE_ARCH_X86_THROTTLE_H

#include "module/portable.h"

#define OP_CALM_IN_A_ROW 64

struct op_throttle {
	u64 handled;		/* when the last overflow had been */
	u8 stretch;		/* the period is doubled so many times */
	u8 calm;		/* overflows in a row that would allow one less */
};

/* At an overflow at @now, where @least is bearable: how often to double @period, to @max. [nmi] */
static inline unsigned int op_throttle(struct op_throttle *t, u64 least, u64 period, u64 max,
				       u64 now)
{
	u64 gap = now - t->handled;

	if (gap < least) {
		t->calm = 0;
		if (period <= max >> (t->stretch + 1))
			t->stretch++;
	} else if (gap < 2 * least) {
		t->calm = 0;
	} else if (t->stretch && ++t->calm > OP_CALM_IN_A_ROW) {
		t->calm = 0;
		t->stretch--;
	}
	return t->stretch;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * throttle.h - lengthen periods that would interrupt too often
 *
 * An overflow that comes too soon after the last one was handled doubles the next period; many
 * slow ones in a row halve it again. So a machine that is asked for a sample every few cycles
 * stays usable.
 */
#ifndef MODULE_ARCH_X86_THROTTLE_H
#define MODULE_ARCH_X86_THROTTLE_H

#include "module/portable.h"

#define OP_CALM_IN_A_ROW 64

struct op_throttle {
	u64 handled;		/* when the last overflow was */
	u8 stretch;		/* how often the period is doubled */
	u8 calm;		/* overflows in a row that would allow one doubling less */
};

/* An overflow at @now, @least after the last one at best: how often to double @period. [nmi] */
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

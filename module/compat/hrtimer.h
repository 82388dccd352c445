/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hrtimer.h - hrtimer_init() became hrtimer_setup() after 6.12 */
#ifndef MODULE_COMPAT_HRTIMER_H
#define MODULE_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>

/* A timer on the monotonic clock that fires in hard interrupt, on the CPU that starts it. */
static inline void op_hrtimer_setup(struct hrtimer *t, enum hrtimer_restart (*fn)(struct hrtimer *))
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(t, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(t, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	t->function = fn;
#endif
}

#endif

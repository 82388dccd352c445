// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * schedule.c - when the next sample and the next always-on profile are due
 *
 * Pure: nothing here looks at a clock, so tests can say what time it is.
 */
#include "libsampler/sampling.h"

/* [SM-12] */
uint64_t schedule_next(uint64_t scheduled, uint64_t now, uint64_t interval, uint64_t *missed)
{
	uint64_t late = now > scheduled ? now - scheduled : 0;
	/* a step is left out once it would come less than half an interval from now */
	uint64_t left_out = late / interval;

	if (late % interval > interval / 2)
		left_out++;
	*missed = left_out;
	return scheduled + (left_out + 1) * interval;
}

/* [SM-20] */
uint64_t schedule_profile(struct schedule_periodic *s, uint64_t now, double random)
{
	uint64_t begin;

	/* the period was to begin at the end of the last one: not if the clock jumped */
	if (now > s->period_start || s->period_start - now > s->period_ns)
		s->period_start = now;
	begin = s->period_start + (uint64_t)(random * (double)(s->period_ns - s->profile_ns));
	s->period_start += s->period_ns;
	return begin - now;
}

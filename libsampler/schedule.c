// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * schedule.c - when the next sample and the next periodic profile are due
 *
 * Pure functions that do not read a clock, so that tests can pass any time.
 */
#include "libsampler/sampling.h"

/* [SM-12] */
uint64_t schedule_next(uint64_t scheduled, uint64_t now, uint64_t interval, uint64_t *missed)
{
	uint64_t late = now > scheduled ? now - scheduled : 0;
	/* a step is skipped if it would come less than half an interval from now */
	uint64_t skipped = late / interval;

	if (late % interval > interval / 2)
		skipped++;
	*missed = skipped;
	return scheduled + (skipped + 1) * interval;
}

/* [SM-19] The last ones, so that one thread that blocks the signal does not decide. */
uint64_t schedule_delays(uint64_t late, uint64_t interval, uint64_t *ret_nr)
{
	uint64_t nr = late / interval + 1;

	if (nr > SCHEDULE_DELAYS_MAX)
		nr = SCHEDULE_DELAYS_MAX;
	*ret_nr = nr;
	return nr * (late % interval) + nr * (nr - 1) / 2 * interval;
}

/* [SM-20] */
uint64_t schedule_profile(struct schedule_periodic *s, uint64_t now, double random)
{
	uint64_t begin;

	/* the period begins at the end of the last one, unless the clock has jumped */
	if (now > s->period_start || s->period_start - now > s->period_ns)
		s->period_start = now;
	begin = s->period_start + (uint64_t)(random * (double)(s->period_ns - s->profile_ns));
	s->period_start += s->period_ns;
	return begin - now;
}

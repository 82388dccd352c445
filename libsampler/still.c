// SPDX-License-Identifier: GPL-2.0-or-later
/* still.c - how long threads stood still for samples: a histogram with steps of an eighth */
#include "libsampler/profiler.h"

#define STEPS	8

static unsigned int step_of(uint64_t ns)
{
	unsigned int power = 0;

	while (ns >> power >= 2 * STEPS)
		power++;
	return ns < STEPS ? (unsigned int)ns : power * STEPS + (unsigned int)(ns >> power);
}

/* The greatest time of a step. */
static uint64_t limit_of(unsigned int step)
{
	unsigned int power = step < 2 * STEPS ? 0 : step / STEPS - 1;

	return ((uint64_t)(step - power * STEPS) + 1) << power;
}

void still_add(struct still *s, uint64_t ns)
{
	s->nr++;
	s->counts[step_of(ns)]++;
	if (ns > s->max_ns)
		s->max_ns = ns;
}

uint64_t still_quantile(const struct still *s, double part)
{
	uint64_t wanted = (uint64_t)((double)s->nr * part), seen = 0;
	unsigned int step = 0;

	if (!s->nr)
		return 0;
	while ((seen += s->counts[step]) <= wanted && seen < s->nr)
		step++;
	return limit_of(step) - 1 < s->max_ns ? limit_of(step) - 1 : s->max_ns;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stopwatch.h - how long something takes, for tests of what ends a wait */
#ifndef TESTS_UNIT_STOPWATCH_H
#define TESTS_UNIT_STOPWATCH_H

#include <time.h>

static inline double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif

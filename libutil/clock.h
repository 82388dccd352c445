/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - clocks as one number, for deadlines, rates and time stamps */
#ifndef LIBUTIL_CLOCK_H
#define LIBUTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_SECOND	UINT64_C(1000000000)
#define NS_PER_MS	UINT64_C(1000000)

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
}

/* now_*(): the monotonic clock. Milliseconds are signed, because deadlines are subtracted. */
static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline int64_t now_ms(void)
{
	return (int64_t)(now_ns() / NS_PER_MS);
}

static inline time_t now_seconds(void)
{
	return (time_t)(now_ns() / NS_PER_SECOND);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* retry.h - when to try again to write a file that failed: after 1 s, 2 s, 4 s, ... 60 s */
#ifndef DAEMON_RECORD_RETRY_H
#define DAEMON_RECORD_RETRY_H

#include <stdbool.h>
#include "libutil/clock.h"

#define RETRY_SECONDS_MIN	1
#define RETRY_SECONDS_MAX	60

struct retry {				/* all 0: has not failed */
	time_t at, delay;		/* seconds of now_seconds() */
};

static inline bool retry_has_failed(const struct retry *r)
{
	return r->delay;
}

static inline bool retry_is_due(const struct retry *r)
{
	return !r->delay || now_seconds() >= r->at;
}

/* It failed (again): wait, twice as long as the last time. */
static inline void retry_later(struct retry *r)
{
	r->delay = r->delay ? r->delay * 2 : RETRY_SECONDS_MIN;
	if (r->delay > RETRY_SECONDS_MAX)
		r->delay = RETRY_SECONDS_MAX;
	r->at = now_seconds() + r->delay;
}

#endif

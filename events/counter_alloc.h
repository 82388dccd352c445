/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_alloc.h - assign events to counters
 */
#ifndef EVENTS_COUNTER_ALLOC_H
#define EVENTS_COUNTER_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#define COUNTER_NONE (-1) /* an extended event, which needs no counter */

/* The lowest @nr counters. */
static inline uint64_t counters_below(unsigned int nr)
{
	return nr >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << nr) - 1;
}

/*
 * Give each of @nr events a counter of its own from @available (bits). @allowed[i]: counters that
 * event i can use, 0 for an extended event. The first event gets the lowest counter possible, then
 * the second, and so on. [EV-40] Takes at most nr^2 * 64^2 steps. -ENOSPC: no assignment exists.
 */
int counter_alloc(const uint64_t *allowed, size_t nr, uint64_t available, int *ret_counters);

#endif

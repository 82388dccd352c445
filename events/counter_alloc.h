/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_alloc.h - which counter holds which event
 */
#ifndef EVENTS_COUNTER_ALLOC_H
#define EVENTS_COUNTER_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#define COUNTER_NONE (-1) /* an extended event: it needs none */

/* The lowest @nr counters. */
static inline uint64_t counters_below(unsigned int nr)
{
	return nr >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << nr) - 1;
}

/*
 * Give each of @nr events one of @available's counters (bits) that it may use, no counter twice.
 * @allowed[i] are event i's counters, 0 for an extended event. Of all assignments it is the one
 * that gives the first event the lowest counter possible, then the second, and so on. [EV-40]
 * Exact, and never more than nr^2 * 64^2 steps. -ENOSPC: there is no assignment.
 */
int counter_alloc(const uint64_t *allowed, size_t nr, uint64_t available, int *ret_counters);

#endif

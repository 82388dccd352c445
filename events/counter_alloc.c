// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counter_alloc.c - counters for events, as a matching in a bipartite graph
 *
 * OProfile tries all assignments, which takes n! steps if the events do not fit. A maximum matching
 * (augmenting paths) decides whether they fit; the lowest counters are then found by fixing one
 * event after the other and matching the rest again.
 */
#include "events/counter_alloc.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define MAX_COUNTERS 64

struct matching {
	const uint64_t *allowed;
	int owner[MAX_COUNTERS]; /* event of each counter; -1: free */
};

/* Give event @i a counter of @free_to_use, moving other events if necessary. */
static bool place(struct matching *m, size_t i, uint64_t *free_to_use)
{
	for (int c = 0; c < MAX_COUNTERS; c++) {
		uint64_t bit = (uint64_t)1 << c;

		if (!(m->allowed[i] & *free_to_use & bit))
			continue;
		*free_to_use &= ~bit; /* visited */
		if (m->owner[c] >= 0 && !place(m, (size_t)m->owner[c], free_to_use))
			continue;
		m->owner[c] = (int)i;
		return true;
	}
	return false;
}

/* Whether events @from and later fit into @available. */
static bool fits(const uint64_t *allowed, size_t from, size_t nr, uint64_t available)
{
	struct matching m = { .allowed = allowed };

	memset(m.owner, -1, sizeof(m.owner));
	for (size_t i = from; i < nr; i++) {
		uint64_t unseen = available;

		if (allowed[i] && !place(&m, i, &unseen))
			return false;
	}
	return true;
}

int counter_alloc(const uint64_t *allowed, size_t nr, uint64_t available, int *ret_counters)
{
	if (!fits(allowed, 0, nr, available))
		return -ENOSPC;
	for (size_t i = 0; i < nr; i++) {
		ret_counters[i] = COUNTER_NONE;
		for (int c = 0; c < MAX_COUNTERS && allowed[i]; c++) {
			uint64_t bit = (uint64_t)1 << c;

			if (!(allowed[i] & available & bit) ||
			    !fits(allowed, i + 1, nr, available & ~bit))
				continue;
			ret_counters[i] = c;
			available &= ~bit;
			break;
		}
	}
	return 0;
}

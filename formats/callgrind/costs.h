/* SPDX-License-Identifier: GPL-2.0-or-later */
/* costs.h - costs of lines, and of the calls made there [CK-3] [CK-4] */
#ifndef FORMATS_CALLGRIND_COSTS_H
#define FORMATS_CALLGRIND_COSTS_H

#include "formats/profile/shown_frames.h"
#include "libutil/table.h"

/* The cost of a line of a function or, with a callee, of the calls of the callee on that line. */
struct cost {
	uint32_t function, line;
	uint32_t callee;		/* PROFILE_NONE: the line itself */
	uint32_t nr_active;		/* times this call is on the current stack */
};

struct costs {
	const struct profile *profile;
	struct shown_frames shown;
	struct hash_table table;
	struct cost *costs;
	uint32_t nr;
	size_t room;
	int64_t *values;		/* nr_events for each cost */
	int64_t *inclusive;		/* nr_events for each node: with its callees */
	uint32_t *entered;		/* calls on the current stack */
	size_t nr_entered, room_entered;
};

void costs_make(const struct profile *p, struct costs *ret);
void costs_free(struct costs *c);

static inline const int64_t *cost_values(const struct costs *c, uint32_t cost)
{
	return &c->values[(size_t)cost * c->profile->nr_events];
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* costs.h - what lines cost, and what was called from them [CK-3], [CK-4] */
#ifndef FORMATS_CALLGRIND_COSTS_H
#define FORMATS_CALLGRIND_COSTS_H

#include "formats/profile/shown_frames.h"
#include "libutil/table.h"

/* The cost of a line of a function; or, with a callee, of the calls of that on it. */
struct cost {
	uint32_t function, line;
	uint32_t callee;		/* or PROFILE_NONE: of the line itself */
	uint32_t active;		/* so often is it on the stack at hand */
};

struct costs {
	const struct profile *profile;
	struct shown_frames shown;
	struct hash_table table;
	struct cost *costs;
	uint32_t nr;
	size_t room;
	int64_t *values;		/* nr_events for each */
	int64_t *below;			/* of each node: with all that it called */
	uint32_t *entered;		/* calls on the stack at hand */
	size_t nr_entered, room_entered;
};

void costs_make(const struct profile *p, struct costs *ret);
void costs_free(struct costs *c);

static inline const int64_t *cost_values(const struct costs *c, uint32_t cost)
{
	return &c->values[(size_t)cost * c->profile->nr_events];
}

#endif

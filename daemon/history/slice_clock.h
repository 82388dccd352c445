/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice_clock.h - when a slice of the history ends, and from when to when it lasted
 *
 * Slices begin at multiples of their length, by the wall clock. That may be stepped, and while the
 * machine is suspended it goes on alone: then the slice ends at once, with the time that it lasted
 * by the monotonic clock, and the next one begins by the new time, in another segment, because what
 * a kill leaves of a slice is taken to begin where the segment ends. So no slice covers a time in
 * which nothing was sampled, and those after a step back lie beside earlier ones.
 */
#ifndef DAEMON_HISTORY_SLICE_CLOCK_H
#define DAEMON_HISTORY_SLICE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "libutil/clock.h"

#define SLICE_STEP_NS	(2 * (int64_t)NS_PER_SECOND)	/* a smaller step is none */
#define SEGMENT_NS	(3600 * (int64_t)NS_PER_SECOND)

struct slice_clock {
	int64_t length_ns;
	int64_t begin_ns;		/* wall clock */
	uint64_t began_at;		/* the same moment, now_ns() */
};

/* What ends now. */
enum slice_end { SLICE_GOES_ON, SLICE_ENDS, SEGMENT_ENDS };

void slice_clock_begin(struct slice_clock *c, int64_t wall_ns, uint64_t mono_ns);
enum slice_end slice_clock_look(const struct slice_clock *c, int64_t wall_ns, uint64_t mono_ns);
/* Whether so much time passed since the slice began that none must cover it without samples. */
bool slice_clock_has_gap(const struct slice_clock *c, int64_t wall_ns, uint64_t mono_ns);
/* The end of the slice, if it ends now: by the clock it began with, if that was stepped. */
int64_t slice_clock_end(const struct slice_clock *c, int64_t wall_ns, uint64_t mono_ns);

#endif

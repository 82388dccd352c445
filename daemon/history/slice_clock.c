// SPDX-License-Identifier: GPL-2.0-or-later
/* slice_clock.c - see slice_clock.h */
#include "daemon/history/slice_clock.h"

void slice_clock_begin(struct slice_clock *c, int64_t wall_ns, uint64_t mono_ns)
{
	c->begin_ns = wall_ns;
	c->began_at = mono_ns;
}

static int64_t expected(const struct slice_clock *c, uint64_t mono_ns)
{
	return c->begin_ns + (int64_t)(mono_ns - c->began_at);
}

static bool was_stepped(const struct slice_clock *c, int64_t wall_ns, uint64_t mono_ns)
{
	int64_t by = wall_ns - expected(c, mono_ns);

	return by > SLICE_STEP_NS || by < -SLICE_STEP_NS;
}

bool slice_clock_has_gap(const struct slice_clock *c, int64_t wall_ns, uint64_t mono_ns)
{
	return mono_ns - c->began_at > (uint64_t)SLICE_STEP_NS || was_stepped(c, wall_ns, mono_ns);
}

int64_t slice_clock_end(const struct slice_clock *c, int64_t wall_ns, uint64_t mono_ns)
{
	if (was_stepped(c, wall_ns, mono_ns))
		return expected(c, mono_ns);
	return wall_ns > c->begin_ns ? wall_ns : c->begin_ns;
}

enum slice_end slice_clock_look(const struct slice_clock *c, int64_t wall_ns, uint64_t mono_ns)
{
	if (wall_ns / SEGMENT_NS != c->begin_ns / SEGMENT_NS || was_stepped(c, wall_ns, mono_ns))
		return SEGMENT_ENDS;
	return wall_ns / c->length_ns != c->begin_ns / c->length_ns ? SLICE_ENDS : SLICE_GOES_ON;
}

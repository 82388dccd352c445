// SPDX-License-Identifier: GPL-2.0-or-later
/* slice_clock.c - slices at full minutes, and when the clock is stepped */
#include "daemon/history/slice_clock.h"
#include "tests/tap.h"

#define SECOND	INT64_C(1000000000)
#define HOUR	(3600 * SECOND)
#define T0	(500000 * HOUR)

static struct slice_clock c = { .length_ns = 60 * SECOND };

static void expect(int64_t wall, int64_t mono, enum slice_end want, int64_t want_end)
{
	enum slice_end got = slice_clock_look(&c, T0 + wall, (uint64_t)mono);
	int64_t end = slice_clock_end(&c, T0 + wall, (uint64_t)mono) - T0;

	CHECK(got == want && end == want_end, "at %lld: %d, end %lld", (long long)(wall / SECOND),
	      got, (long long)(end / SECOND));
}

TEST(full_minutes)
{
	slice_clock_begin(&c, T0 + 90 * SECOND, 7000);
	expect(100 * SECOND, 7000 + 10 * SECOND, SLICE_GOES_ON, 100 * SECOND);
	expect(119 * SECOND, 7000 + 29 * SECOND, SLICE_GOES_ON, 119 * SECOND);
	expect(120 * SECOND, 7000 + 30 * SECOND, SLICE_ENDS, 120 * SECOND);
	expect(HOUR, 7000 + HOUR - 90 * SECOND, SEGMENT_ENDS, HOUR);
}

TEST(steps_and_suspend)
{
	slice_clock_begin(&c, T0 + 60 * SECOND, 0);
	/* a small correction is no step */
	expect(71 * SECOND, 10 * SECOND, SLICE_GOES_ON, 71 * SECOND);
	/* suspended for 20 s, of which the slice has none */
	expect(90 * SECOND, 10 * SECOND, SEGMENT_ENDS, 70 * SECOND);
	/* for hours */
	expect(5 * HOUR, 10 * SECOND, SEGMENT_ENDS, 70 * SECOND);
	/* set back by a minute, and by hours: the slice stays where it was */
	expect(10 * SECOND, 10 * SECOND, SEGMENT_ENDS, 70 * SECOND);
	expect(-5 * HOUR, 10 * SECOND, SEGMENT_ENDS, 70 * SECOND);
}

TEST(gaps)
{
	slice_clock_begin(&c, T0, 0);
	CHECK(!slice_clock_has_gap(&c, T0 + SECOND, SECOND), "a second");
	CHECK(slice_clock_has_gap(&c, T0 + 3 * SECOND, 3 * SECOND), "three seconds");
	CHECK(slice_clock_has_gap(&c, T0 - HOUR, SECOND), "a step");
}

TEST(never_ends_before_it_begins)
{
	slice_clock_begin(&c, T0 + 60 * SECOND, 0);
	expect(59 * SECOND, 0, SLICE_ENDS, 60 * SECOND);
}

TEST_MAIN()

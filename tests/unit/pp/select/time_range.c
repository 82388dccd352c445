// SPDX-License-Identifier: GPL-2.0-or-later
/* time_range.c - times on command lines */
#include "pp/select/time_range.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/tap.h"

#define NS	INT64_C(1000000000)
#define NOW	INT64_C(1790596800)	/* 2026-09-28 12:00:00 UTC, a Monday */
#define DAY	INT64_C(86400)

static void set_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static void expect(const char *text, int64_t from, int64_t to)
{
	struct time_range r = { -1, -1 };
	struct op_error e = { "" };
	int err = time_range_parse(text, NOW * NS + 5, &r, &e);

	CHECK(!err && r.from_ns == from * NS && r.to_ns == to * NS, "'%s': %lld to %lld: %s", text,
	      (long long)(r.from_ns / NS - NOW), (long long)(r.to_ns / NS - NOW), e.text);
}

TEST(relative)
{
	set_zone("UTC");
	expect("-1h..", NOW - 3600, NOW + 1);
	expect("-1h30m..-1h", NOW - 5400, NOW - 3600);
	expect("-2d..now", NOW - 2 * DAY, NOW);
	expect("..-1w", 0, NOW - 7 * DAY);
	expect("@1000..@2000", 1000, 2000);
}

TEST(absolute)
{
	set_zone("UTC");
	expect("2026-09-27T14:00..14:10", NOW - DAY + 7200, NOW - DAY + 7800);
	expect("2026-09-27 14:00:30..2026-09-28", NOW - DAY + 7230, NOW - DAY / 2);
	expect("yesterday 14:05..", NOW - DAY + 7500, NOW + 1);
	expect("yesterday..today", NOW - DAY * 3 / 2, NOW - DAY / 2);
	expect("10:00..11:30:05", NOW - 7200, NOW - 1795);
	expect("yesterday 23:00..24:00", NOW - DAY / 2 - 3600, NOW - DAY / 2);
}

TEST(time_zones)
{
	set_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	expect("2026-09-28T12:00..", NOW - 7200, NOW + 1);
	expect("2026-09-28T12:00Z..", NOW, NOW + 1);
	expect("2026-09-28T12:00+05:30..12:00Z", NOW - 19800, NOW);
	expect("2026-09-28T06:00-0530..now", NOW - 1800, NOW);
	/* the day on which the clock is set back has 25 hours */
	expect("2025-10-26..2025-10-27", 1761429600, 1761429600 + 25 * 3600);
	/* here it is the 29th, in the zone of the time the 28th */
	set_zone("XXX-14");
	expect("11:00Z..", NOW - 3600, NOW + 1);
	expect("yesterday 12:00Z..today 12:00+00:00", NOW - DAY, NOW);
	expect("01:00..", NOW - 3600, NOW + 1);
	set_zone("UTC");
}

TEST(refused)
{
	static const char *const texts[] = {
		"", "..", "-1h", "14:00", "2026-09-28T12:00", "-1x..", "1h..", "25:00..", "12:60..",
		"2026-13-01..", "2026-02-30..", "2026-02-31T24:00..", "2026-02-29..",
		"2026-09-28T..1", "tomorrow..", "-1h..-2h",
		"now..now", "2026-09-28T12:00+99:00..", "@x..", "12:00 ..", "-99999999999d..",
		"2026-09-28x..",
		"-1h....",
	};

	set_zone("UTC");
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct time_range r = { 7, 7 };
		struct op_error e = { "" };

		CHECK(time_range_parse(texts[i], NOW * NS, &r, &e) == -EINVAL && r.from_ns == 7 &&
		      strstr(e.text, "invalid"), "'%s': %s", texts[i], e.text);
	}
}

TEST_MAIN()

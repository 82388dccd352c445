// SPDX-License-Identifier: GPL-2.0-or-later
/* rate.c - how fast samples come in the first second */
#include "daemon/record/rate.h"
#include "libutil/clock.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"

#define START	(UINT64_C(5) * NS_PER_SECOND)

static struct session_counts received(unsigned int nr_cpus, uint64_t first, uint64_t second)
{
	struct session_counts c = { .nr_cpus = nr_cpus,
				    .cpu = xcalloc(nr_cpus, sizeof(*c.cpu)) };

	c.cpu[0].received = first;
	if (nr_cpus > 1)
		c.cpu[1].received = second;
	return c;
}

TEST(busiest_cpu)
{
	struct session_counts before = received(2, 1000, 5000), now = received(2, 2500, 5600);
	struct rate r = { .known = false };

	CHECK(!rate_is_due(&r, START + NS_PER_SECOND), "before the start");
	rate_start(&r, &before, START);
	CHECK(!r.known && !rate_is_due(&r, START + NS_PER_SECOND - 1), "too early");
	CHECK(rate_is_due(&r, START + NS_PER_SECOND), "due");
	rate_measure(&r, &now, START + NS_PER_SECOND * 3 / 2);
	CHECK(r.known && r.per_second == 1000, "%llu", (unsigned long long)r.per_second);
	CHECK(!rate_is_due(&r, START + 9 * NS_PER_SECOND), "once");
	rate_free(&r);
	session_counts_free(&now);
}

/* A CPU came online; sampling began again. */
TEST(more_cpus)
{
	struct session_counts before = received(1, 1000, 0), now = received(2, 1100, 700);
	struct rate r = { .known = false };

	rate_start(&r, &before, START);
	rate_measure(&r, &now, START + NS_PER_SECOND);
	CHECK(r.per_second == 700, "%llu", (unsigned long long)r.per_second);
	rate_start(&r, &now, START + 7 * NS_PER_SECOND);
	CHECK(!r.known, "begun again");
	rate_free(&r);
}

TEST_MAIN()

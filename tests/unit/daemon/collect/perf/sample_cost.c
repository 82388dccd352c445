// SPDX-License-Identifier: GPL-2.0-or-later
/* sample_cost.c - what one sample costs, measured on this machine */
#include <errno.h>
#include "daemon/collect/perf/sample_cost.h"
#include "libutil/clock.h"
#include "tests/tap.h"

#define LEAST_NS	200		/* no CPU takes an interrupt in less */
#define MOST_NS		(2 * 1000 * 1000)

TEST(median)
{
	uint64_t one[] = { 7 }, few[] = { 9, 900000, 1, 8, 10 };

	CHECK(sample_cost_median(one, 1) == 7, "of one");
	CHECK(sample_cost_median(few, 5) == 9, "of five");
}

static void measure(bool stacks, bool frame_pointers_only, uint64_t least)
{
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID), cost = 0;
	int err = perf_sample_cost(stacks, frame_pointers_only, &cost);

	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	CHECK(cpu < 2 * SAMPLE_COST_MS * NS_PER_MS, "%llu ns", (unsigned long long)cpu);
	if (err == -ENODATA)
		SKIP("the machine is too busy");
	if (err)
		SKIP(strerror(-err));
	CHECK(cost > least && cost < MOST_NS, "%d%d: %llu ns", stacks, frame_pointers_only,
	      (unsigned long long)cost);
	printf("# %llu ns\n", (unsigned long long)cost);
}

TEST(of_a_sample) { measure(false, false, LEAST_NS); }
TEST(with_frame_pointers) { measure(true, true, LEAST_NS + 4000); }
TEST(with_a_copy_of_the_stack) { measure(true, false, LEAST_NS + 10000); }

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/* copy_size.c - the size of stack copies adapts to the stacks, within what rings can hold */
#include "tests/tap.h"

#include "daemon/collect/perf/clock.h"
#include "daemon/collect/perf/copy_size.h"

#define RING	((size_t)8 << 20)
#define MS	1000000

static struct perf_copy_size start(uint64_t period_ns)
{
	struct perf_copy_size s;

	perf_copy_size_init(&s, PERF_COPY_BYTES_MAX, RING, period_ns, 0);
	return s;
}

static void add_stacks(struct perf_copy_size *s, unsigned int nr, uint32_t needed, bool was_short)
{
	while (nr--)
		perf_copy_size_add(s, needed, s->bytes, s->bytes, was_short ? needed + 8 : 0);
}

/* As it is after samples were lost. */
static struct perf_copy_size start_small(uint64_t period_ns)
{
	struct perf_copy_size s;

	perf_copy_size_init(&s, PERF_COPY_BYTES, RING, period_ns, 0);
	return s;
}

TEST(initial_size_is_the_largest_that_fits_the_ring)
{
	struct perf_copy_size s = start(MS);

	CHECK(s.bytes == PERF_COPY_BYTES_MAX && s.most == s.bytes, "%u %u", s.bytes, s.most);
	s = start(15000);
	CHECK(s.most * (50 * MS / 15000) <= RING && s.bytes == s.most, "%u", s.most);
	s = start(38500);
	CHECK(s.most >= 5000, "at operf's own rate stacks of Node.js need some 5000 bytes: %u",
	      s.most);
	perf_copy_size_init(&s, PERF_COPY_BYTES, 4096, MS, 0);
	CHECK(s.bytes == PERF_COPY_BYTES_MIN, "%u", s.bytes);
	perf_copy_size_init(&s, PERF_COPY_BYTES, RING, 0, 0);
	CHECK(s.bytes == PERF_COPY_BYTES_MIN && s.most == s.bytes, "%u", s.bytes);
}

TEST(short_stacks_make_it_grow)
{
	struct perf_copy_size s = start_small(MS);

	add_stacks(&s, 99, 8000, true);
	CHECK(!perf_copy_size_decide(&s, 0, MS), "too few to tell");
	s = start_small(MS);
	add_stacks(&s, 990, 8000, false);
	add_stacks(&s, 10, 8192, true);
	CHECK(!perf_copy_size_decide(&s, 0, 3 * MS), "one in a hundred is no more than that");
	add_stacks(&s, 1, 8192, true);
	CHECK(perf_copy_size_decide(&s, 0, 2 * MS) && s.bytes == s.most, "%u", s.bytes);
	add_stacks(&s, 1000, 16384, true);
	CHECK(!perf_copy_size_decide(&s, 0, 5 * MS), "there is no more");
}

TEST(a_size_that_costs_time_shrinks)
{
	struct perf_copy_size s = start(MS);
	uint64_t now = 0;

	add_stacks(&s, 5000, 3000, false);
	CHECK(!perf_copy_size_decide(&s, 0, now += 19 * NS_PER_SECOND), "too soon");
	CHECK(perf_copy_size_decide(&s, 0, now += NS_PER_SECOND) && s.bytes == 32760, "%u",
	      s.bytes);
	add_stacks(&s, 5000, 17000, false);
	CHECK(!perf_copy_size_decide(&s, 0, now += 30 * NS_PER_SECOND), "17000 of it are needed");
	for (int i = 0; i < 10; i++) {
		add_stacks(&s, 5000, 10, false);
		perf_copy_size_decide(&s, 0, now += 30 * NS_PER_SECOND);
	}
	CHECK(s.bytes < 8192 && s.bytes > 4000, "%u: copies of 8 KB cost little", s.bytes);
}

/* The kernel copies what is mapped: above most stacks nothing is. */
TEST(a_size_that_costs_no_time_stays)
{
	struct perf_copy_size s = start(MS);

	for (int i = 0; i < 5000; i++)
		perf_copy_size_add(&s, 3000, 4000, s.bytes, 0);
	CHECK(!perf_copy_size_decide(&s, 0, 60 * NS_PER_SECOND), "%u", s.bytes);
}

/* In three drains. */
static bool lose(struct perf_copy_size *s, uint64_t *lost, uint64_t nr, uint64_t now)
{
	perf_copy_size_decide(s, *lost + 1, now);
	perf_copy_size_decide(s, *lost + 2, now);
	return perf_copy_size_decide(s, *lost += nr, now);
}

TEST(lost_samples_make_it_shrink_and_delay_growth)
{
	struct perf_copy_size s = start(MS);
	uint64_t lost = 0;

	add_stacks(&s, 1000, 8192, false);
	CHECK(!lose(&s, &lost, 10, MS), "one in a hundred may be lost: %u", s.bytes);
	CHECK(perf_copy_size_decide(&s, lost = 11, MS) && s.bytes == 32760, "%u", s.bytes);
	add_stacks(&s, 1000, 32760, true);
	CHECK(!perf_copy_size_decide(&s, lost, 2 * MS), "it grew at once");
	CHECK(perf_copy_size_decide(&s, lost, MS + 20 * NS_PER_SECOND) && s.bytes == s.most, "%u",
	      s.bytes);

	s = start(MS);
	lost = 0;
	add_stacks(&s, 1000, 8192, false);
	add_stacks(&s, 50, 40000, false);
	CHECK(!lose(&s, &lost, 50, MS), "as many need it: %u", s.bytes);
	CHECK(perf_copy_size_decide(&s, 51, MS), "fewer need it");

	s = start(MS);
	add_stacks(&s, 1000, 8192, false);
	CHECK(!perf_copy_size_decide(&s, 500, MS) && !perf_copy_size_decide(&s, 600, 2 * MS),
	      "a stall: %u", s.bytes);

	s = start_small(MS);
	lost = 0;
	add_stacks(&s, 1000, 8192, false);
	CHECK(!lose(&s, &lost, 100, MS), "no smaller for that: %u", s.bytes);
}

TEST(stacks_beyond_any_copy_do_not_make_it_grow)
{
	struct perf_copy_size s = start(MS);

	for (int i = 0; i < 1000; i++)
		perf_copy_size_add(&s, 8000, s.bytes, s.bytes, 2 * PERF_COPY_BYTES_MAX);
	CHECK(!perf_copy_size_decide(&s, 0, MS), "another stack");
	for (int i = 0; i < 1000; i++)
		perf_copy_size_add(&s, 8000, s.bytes / 2, s.bytes / 2, 9000);
	CHECK(!perf_copy_size_decide(&s, 0, MS), "records from before the last change");
}

TEST(rings)
{
	CHECK(perf_copy_ring_bytes(MS, 2, false) == (size_t)16 << 20, "a quarter of a second");
	CHECK(perf_copy_ring_bytes(MS, 2, true) == (size_t)32 << 20, "half a second");
	CHECK(perf_copy_ring_bytes(0, 0, false) == (size_t)32 << 20, "whatever is asked");
	CHECK(perf_copy_ring_bytes(NS_PER_SECOND, 1, false) == (size_t)1 << 20, "few samples");
	for (unsigned int nr = 2; nr <= 64; nr++) {
		size_t bytes = perf_copy_ring_bytes(15000, nr, false);

		CHECK(nr * bytes <= (size_t)64 << 20, "%u CPUs: %zu each", nr, bytes);
		CHECK(!(bytes & (bytes - 1)), "%u CPUs: %zu each", nr, bytes);
	}
	CHECK(256 * perf_copy_ring_bytes(15000, 256, false) == (size_t)256 << 20, "a MiB of many");
}

/* With stacks operf samples every 15 * 100,000 cycles: in 577 us at 2.6 GHz. */
#define OPERF_NS	577000

static uint32_t most_of_operf(uint64_t period_ns, unsigned int nr_cpus)
{
	return perf_copy_most(perf_copy_ring_bytes(period_ns, nr_cpus, true), period_ns, true);
}

TEST(fixed_copies)
{
	for (unsigned int nr = 1; nr <= 4; nr++)
		CHECK(most_of_operf(OPERF_NS, nr) == PERF_COPY_BYTES_MAX, "%u CPUs: %u", nr,
		      most_of_operf(OPERF_NS, nr));
	CHECK(most_of_operf(OPERF_NS, 8) >= 45000, "8 CPUs: %u", most_of_operf(OPERF_NS, 8));
	CHECK(most_of_operf(38500, 4) >= 5000, "stacks of Node.js: %u", most_of_operf(38500, 4));
	CHECK(perf_copy_most(RING, OPERF_NS, true) < perf_copy_most(RING, OPERF_NS, false),
	      "there is room for more of them");
	for (unsigned int nr = 2; nr <= 32; nr++)
		CHECK(nr * perf_copy_ring_bytes(OPERF_NS, nr, true) <= (size_t)64 << 20,
		      "%u CPUs", nr);
	CHECK(most_of_operf(OPERF_NS, 64) >= 11000, "64 CPUs: %u", most_of_operf(OPERF_NS, 64));
	CHECK(perf_copy_most(512 << 10, OPERF_NS, true) > 5000, "as nobody may have");
	CHECK(perf_copy_most(1 << 20, OPERF_NS, true) == PERF_COPY_BYTES, "less time, not less");
	CHECK(perf_copy_ring_bytes(NS_PER_SECOND, 1, true) == (size_t)2 << 20, "few samples");
}

TEST_MAIN()

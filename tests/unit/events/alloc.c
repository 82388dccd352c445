/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alloc.c - counter_alloc() gives the same result as trying all assignments */
#include "tests/tap.h"

#include <errno.h>
#include <stdbool.h>

#include "events/counter_alloc.h"

#define MAX 8

/* The first complete assignment in lexicographic order, by brute force. */
static bool brute_force(const uint64_t *allowed, size_t i, size_t nr, uint64_t available, int *ret)
{
	if (i == nr)
		return true;
	ret[i] = COUNTER_NONE;
	if (!allowed[i])
		return brute_force(allowed, i + 1, nr, available, ret);
	for (int c = 0; c < 64; c++) {
		uint64_t bit = (uint64_t)1 << c;

		if (!(allowed[i] & available & bit))
			continue;
		ret[i] = c;
		if (brute_force(allowed, i + 1, nr, available & ~bit, ret))
			return true;
	}
	return false;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

TEST(equals_brute_force)
{
	uint64_t state = 88172645463325252u;
	unsigned int fitting = 0;

	for (int round = 0; round < 100000; round++) {
		uint64_t allowed[MAX], available;
		int got[MAX] = { 0 }, want[MAX];
		size_t nr = next_random(&state) % (MAX + 1);
		unsigned int width = 1 + next_random(&state) % 8;
		bool fits;

		available = next_random(&state) & ((1u << width) - 1);
		for (size_t i = 0; i < nr; i++)
			allowed[i] =
				next_random(&state) & next_random(&state) & ((1u << width) - 1);
		fits = brute_force(allowed, 0, nr, available, want);
		CHECK(counter_alloc(allowed, nr, available, got) == (fits ? 0 : -ENOSPC),
		      "round %d", round);
		CHECK(!fits || !memcmp(got, want, nr * sizeof(*got)), "round %d: other counters",
		      round);
		fitting += fits && nr;
		if (tap_failures)
			return;
	}
	CHECK(fitting > 10000, "only %u rounds fitted: the test is too easy", fitting);
}

TEST(known_cases)
{
	static const struct {
		uint64_t allowed[8];
		size_t nr;
		uint64_t available;
		int err, counters[8];
	} cases[] = {
		{ { 1, 2 }, 2, 3, 0, { 0, 1 } }, /* FLOPS + FP_ASSIST of a Pentium Pro */
		{ { 2, 1 }, 2, 3, 0, { 1, 0 } },
		{ { 1, 1 }, 2, 3, -ENOSPC, { 0 } },	    /* COMP_FLOP_RET + FLOPS */
		{ { 3, 1 }, 2, 3, 0, { 1, 0 } },	    /* the first event moves */
		{ { 3, 3 }, 2, 2, -ENOSPC, { 0 } },	    /* counter 0 is unavailable */
		{ { 0, 3 }, 2, 3, 0, { COUNTER_NONE, 0 } }, /* an extended event */
		{ { 0xff, 0x0f, 0x03, 0x01 }, 4, 0xff, 0, { 2, 3, 1, 0 } },
		{ { (uint64_t)1 << 63 }, 1, ~(uint64_t)0, 0, { 63 } },
		{ { 1 }, 1, 0, -ENOSPC, { 0 } },
		{ { 0 }, 0, 0, 0, { 0 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int got[8] = { 0 };
		int err = counter_alloc(cases[i].allowed, cases[i].nr, cases[i].available, got);

		CHECK(err == cases[i].err, "case %zu: %d", i, err);
		CHECK(err || !memcmp(got, cases[i].counters, cases[i].nr * sizeof(int)), "case %zu",
		      i);
	}
}

/* 65 events that do not fit are refused quickly. */
TEST(bounded)
{
	uint64_t allowed[200];
	int got[200];

	for (size_t i = 0; i < 200; i++)
		allowed[i] = ~(uint64_t)0;
	CHECK(counter_alloc(allowed, 200, ~(uint64_t)0, got) == -ENOSPC, "200 into 64");
	CHECK(counter_alloc(allowed, 64, ~(uint64_t)0, got) == 0 && got[63] == 63, "64 into 64");
}

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/* count.c - sums saturate; shares are exact, whatever integers the machine has */
#include "libutil/count.h"
#include "tests/tap.h"

TEST(sum)
{
	uint64_t sum = UINT64_MAX - 1;

	count_add(&sum, 1);
	CHECK(sum == UINT64_MAX, "sum %llx", (unsigned long long)sum);
	count_add(&sum, 5);
	CHECK(sum == UINT64_MAX, "wrapped to %llx", (unsigned long long)sum);
}

TEST(scale)
{
	static const struct { uint64_t n, by, more, of, expected; } rows[] = {
		{ 0, 7, 0, 3, 0 },
		{ 7, 3, 0, 2, 10 },
		{ 7, 3, 1, 2, 11 },
		{ UINT64_MAX, UINT64_MAX, 0, UINT64_MAX, UINT64_MAX },
		{ UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX },
		{ UINT64_MAX, UINT64_MAX - 1, 0, UINT64_MAX, UINT64_MAX - 1 },
		{ UINT64_MAX, 2, 0, 1, UINT64_MAX },
		{ UINT64_C(1) << 63, 2, 0, 1, UINT64_MAX },
		{ UINT64_C(1) << 63, 2, 0, 2, UINT64_C(1) << 63 },
		{ 1, 1, UINT64_MAX, 1, UINT64_MAX },
		{ 1000000007, UINT64_C(12345678901234), 500, 1000,
		  UINT64_C(12345678987653752309) },
		{ UINT64_C(0xffffffff00000001), UINT64_C(0xfffffffeffffffff), 0,
		  UINT64_C(0xffffffffffffffc5), UINT64_C(0xfffffffe0000003b) },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t got = count_scale(rows[i].n, rows[i].by, rows[i].more, rows[i].of);
		uint64_t words = count_scale_by_words(rows[i].n, rows[i].by, rows[i].more,
						      rows[i].of);

		CHECK(got == rows[i].expected && words == got, "row %zu: %llx, by words %llx", i,
		      (unsigned long long)got, (unsigned long long)words);
	}
}

/* Numbers of all sizes: both ways give the same. */
TEST(same_by_words)
{
	uint64_t state = 1, wrong = 0;

	for (unsigned int i = 0; i < 100000; i++) {
		uint64_t v[4];

		for (unsigned int k = 0; k < 4; k++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			v[k] = (state ^ state >> 29) >> (state >> 58);
		}
		v[3] += !v[3];
		wrong += count_scale(v[0], v[1], v[2], v[3]) !=
			 count_scale_by_words(v[0], v[1], v[2], v[3]);
	}
	CHECK(!wrong, "%llu of 100000 differ", (unsigned long long)wrong);
}

TEST_MAIN()

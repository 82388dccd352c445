// SPDX-License-Identifier: GPL-2.0-or-later
/* still.c - quantiles of the times that threads stood still, within an eighth */
#include "libsampler/profiler.h"
#include "tests/tap.h"

static bool is_near(uint64_t got, uint64_t exact)
{
	return got >= exact && got <= exact + exact / 8;
}

TEST(quantiles_of_all_sizes)
{
	for (uint64_t unit = 1; unit < UINT64_C(1) << 40; unit *= 3) {
		struct still s = { 0 };

		for (uint64_t i = 0; i < 1000; i++)
			still_add(&s, (i * 7 % 1000 + 1) * unit);
		CHECK(is_near(still_quantile(&s, 0.5), 501 * unit), "median: %llu, unit %llu",
		      (unsigned long long)still_quantile(&s, 0.5), (unsigned long long)unit);
		CHECK(is_near(still_quantile(&s, 0.99), 991 * unit), "99 %%: %llu, unit %llu",
		      (unsigned long long)still_quantile(&s, 0.99), (unsigned long long)unit);
		CHECK(s.max_ns == 1000 * unit, "%llu", (unsigned long long)s.max_ns);
	}
}

TEST(none_and_one)
{
	struct still s = { 0 };

	CHECK(!still_quantile(&s, 0.5), "of none");
	still_add(&s, 12345);
	CHECK(still_quantile(&s, 0.5) == 12345 && still_quantile(&s, 0.99) == 12345, "%llu",
	      (unsigned long long)still_quantile(&s, 0.5));
}

TEST_MAIN()

// SPDX-License-Identifier: GPL-2.0-or-later
/* number.c - the numbers that oprofilefs files accept [FS-3] */
#include "oprofilefs/number.h"
#include "tests/tap.h"

static const struct {
	const char *text;
	int err;
	u64 want;
} cases[] = {
	{ "0", 0, 0 }, { "0\n", 0, 0 }, { "131072\n", 0, 131072 }, { "010", 0, 8 },
	{ "0x1f", 0, 31 },
	{ "0XFF\n", 0, 255 }, { "00", 0, 0 }, { "18446744073709551615", 0, UINT64_MAX },
	{ "0xffffffffffffffff", 0, UINT64_MAX }, { "01777777777777777777777", 0, UINT64_MAX },
	{ "18446744073709551616", -ERANGE, 0 }, { "0x10000000000000000", -ERANGE, 0 },
	{ "", -EINVAL, 0 }, { "\n", -EINVAL, 0 }, { "0x", -EINVAL, 0 }, { "0x\n", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 }, { "+1", -EINVAL, 0 }, { " 1", -EINVAL, 0 }, { "1 ", -EINVAL, 0 },
	{ "1\n\n", -EINVAL, 0 }, { "12a", -EINVAL, 0 }, { "08", -EINVAL, 0 }, { "0xg", -EINVAL, 0 },
	{ "1,000", -EINVAL, 0 },
};

TEST(numbers)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		u64 got = 42, want = cases[i].err ? 42 : cases[i].want;
		int err = opfs_parse_number(cases[i].text, strlen(cases[i].text), &got);

		CHECK(err == cases[i].err && got == want, "\"%s\": %d, %llu", cases[i].text, err,
		      (unsigned long long)got);
	}
}

TEST(nul_does_not_end_a_number)
{
	u64 n = 42;

	CHECK(opfs_parse_number("1\0002", 3, &n) == -EINVAL && n == 42, "%llu",
	      (unsigned long long)n);
}

TEST_MAIN()

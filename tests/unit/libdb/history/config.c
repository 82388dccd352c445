// SPDX-License-Identifier: GPL-2.0-or-later
/* config.c - values of --history, --quota and --slice */
#include "libdb/history/config.h"
#include <errno.h>
#include <string.h>
#include "tests/tap.h"

#define SECOND	INT64_C(1000000000)
#define DAY	(86400 * SECOND)

static struct history_config parsed(const char *age, const char *quota, const char *slice)
{
	struct history_config c = { .age_s = 0 };
	struct op_error e = { "" };

	CHECK(!history_config_parse(age, quota, slice, &c, &e), "%s", e.text);
	return c;
}

TEST(defaults)
{
	struct history_config c = parsed(NULL, "", NULL);

	CHECK(c.age_s == 14 * 86400 && c.quota == UINT64_C(2) << 30 && c.slice_ns == 60 * SECOND &&
	      !c.lines, "age, quota, slice");
	CHECK(c.nr_roll_ups == 2 && c.roll_ups[0].slice_ns == 600 * SECOND &&
	      c.roll_ups[0].older_ns == DAY && c.roll_ups[1].slice_ns == 3600 * SECOND &&
	      c.roll_ups[1].older_ns == 7 * DAY, "%zu roll-ups", c.nr_roll_ups);
}

TEST(others)
{
	struct history_config c = parsed("30d,lines", "500M", "10s,5m:6h");

	CHECK(c.age_s == 30 * 86400 && c.lines && c.quota == UINT64_C(500) << 20 &&
	      c.slice_ns == 10 * SECOND, "age, lines, quota, slice");
	CHECK(c.nr_roll_ups == 1 && c.roll_ups[0].slice_ns == 300 * SECOND &&
	      c.roll_ups[0].older_ns == DAY / 4, "%zu roll-ups", c.nr_roll_ups);
}

TEST(refused)
{
	static const char *const slices[] = {
		"0", "2h", "x", "1m,", "1m,10m", "1m,10m:", "1m,:1d", "1m,10m:x", "1m,2h:1d",
		"1m,10m:7d,1h:1d", "1m,1m:1d,2m:2d,3m:3d,4m:4d,5m:5d",
	};
	static const char *const ages[] = { "1m", "14", "14d,", "14d,tables", "11y", ",lines" };
	struct history_config c;
	struct op_error e;

	for (size_t i = 0; i < sizeof(slices) / sizeof(*slices); i++)
		CHECK(history_config_parse(NULL, NULL, slices[i], &c, &e) == -EINVAL &&
		      strstr(e.text, "for --slice"), "'%s' was taken", slices[i]);
	for (size_t i = 0; i < sizeof(ages) / sizeof(*ages); i++)
		CHECK(history_config_parse(ages[i], NULL, NULL, &c, &e) == -EINVAL &&
		      strstr(e.text, "for --history"), "'%s' was taken", ages[i]);
}

TEST_MAIN()

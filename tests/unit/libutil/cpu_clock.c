// SPDX-License-Identifier: GPL-2.0-or-later
/* cpu_clock.c - the nominal clock from the files of different machines */
#include <stdint.h>
#include "libutil/cpu_clock.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

TEST(sources)
{
	static const struct {
		const char *base, *max, *cpuinfo;
		uint64_t khz;
	} rows[] = {
		{ "2100000\n", "3000000\n", "model name\t: X @ 2.50GHz\ncpu MHz\t\t: 1.0\n",
		  2100000 },
		{ NULL, "3000000\n", "model name\t: Xeon(R) CPU @ 2.50GHz\ncpu MHz\t\t: 800.1\n",
		  2500000 },
		{ NULL, NULL, "model name\t: Old @ 733MHz\n", 733000 },
		{ NULL, NULL, "model name\t: Odd @ home\ncpu MHz\t\t: 2794.748\n", 2794748 },
		{ NULL, NULL, "model name\t: AMD EPYC\ncpu MHz\t\t: 2794.748\n", 2794748 },
		{ NULL, "1800000\n", "processor\t: 0\nBogoMIPS\t: 38.40\n", 1800000 },
		{ "0\n", "junk\n", "cpu MHz\t\t: 0.000\n", 1000000 },
		{ NULL, NULL, "cpu MHz\t\t: 99999999999999999999\n", 1000000 },
		{ NULL, NULL, "", 1000000 },
		{ NULL, NULL, NULL, 1000000 },
	};

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t got;

		unlink(tmpdir_path("base_frequency"));
		unlink(tmpdir_path("cpuinfo_max_freq"));
		unlink(tmpdir_path("cpuinfo"));
		if (rows[i].base)
			put_text(tmpdir_path("base_frequency"), rows[i].base);
		if (rows[i].max)
			put_text(tmpdir_path("cpuinfo_max_freq"), rows[i].max);
		if (rows[i].cpuinfo)
			put_text(tmpdir_path("cpuinfo"), rows[i].cpuinfo);
		got = cpu_clock_khz_from(tmpdir, tmpdir_path("cpuinfo"));
		CHECK(got == rows[i].khz, "row %zu: %llu", i, (unsigned long long)got);
	}
}

TEST(this_machine)
{
	uint64_t khz = cpu_clock_khz();

	CHECK(khz >= 1000 && khz < 10000000, "%llu kHz", (unsigned long long)khz);
}

TEST_MAIN()

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu_type.c - numbers of CPU types depend on the version of the header */
#include "tests/tap.h"

#include "events/cpu/type.h"

static const struct {
	const char *name, *pretty;
	int number_099, number_1x;
} known[] = {
	{ "i386/ppro", "Pentium Pro", 0, 0 },
	{ "timer", "CPU with timer interrupt", 4, 4 },
	{ "rtc", "CPU with RTC device", 5, -1 },
	{ "i386/core_2", "Core 2", 40, 32 },
	{ "arm/armv7", "ARM Cortex-A8", 51, 40 },
	{ "x86-64/family10", "AMD64 family10", 44, 35 },
	{ "ppc64/power8", "ppc64 POWER8", 83, 71 },
	{ "arm/armv8-thunderx2", "Cavium ThunderX2", -1, 87 },
};

TEST(known_types)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct cpu_type *t = cpu_type_by_name(known[i].name);

		CHECK(t, "%s", known[i].name);
		if (!t)
			continue;
		CHECK(!strcmp(t->pretty, known[i].pretty), "%s: %s", t->name, t->pretty);
		CHECK(t->number_099 == known[i].number_099, "%s: %d", t->name, t->number_099);
		CHECK(t->number_1x == known[i].number_1x, "%s: %d", t->name, t->number_1x);
	}
}

TEST(both_numberings)
{
	CHECK(!strcmp(cpu_type_by_number(40, 0x12)->name, "i386/core_2"), "40 in 0.9");
	CHECK(!strcmp(cpu_type_by_number(40, 0x13)->name, "arm/armv7"), "40 in 1.x");
	CHECK(!cpu_type_by_number(84, 0x12), "84 is of 1.x only");
	CHECK(!cpu_type_by_number(88, 0x13), "88 does not exist");
	CHECK(!cpu_type_by_number(UINT32_MAX, 0x13), "-1 is no number");
	CHECK(!cpu_type_by_name("i386/none"), "no such name");
}

TEST(every_number_once)
{
	for (uint32_t version = 0x12; version <= 0x13; version++) {
		uint32_t nr = version == 0x12 ? 84 : 88;

		for (uint32_t n = 0; n < nr; n++) {
			const struct cpu_type *t = cpu_type_by_number(n, version);

			CHECK(t, "%u of 0x%x", n, version);
			CHECK(t && cpu_type_by_name(t->name) == t, "%u of 0x%x: name twice", n,
			      version);
		}
	}
}

/* OProfile's tools must be able to read sample files of CPUs that they do not know. */
TEST(stand_ins)
{
	for (size_t i = 0; cpu_type_at(i); i++) {
		const struct cpu_type *t = cpu_type_at(i), *written;
		int number = cpu_type_header_number(t, 0x13);

		CHECK(t->number_1x < 0 || number == t->number_1x, "%s has its own", t->name);
		if (!t->stand_in)
			continue;
		written = number < 0 ? NULL : cpu_type_by_number((uint32_t)number, 0x13);
		CHECK(written && !strcmp(written->name, t->stand_in), "%s: %d", t->name, number);
	}
}

TEST_MAIN()

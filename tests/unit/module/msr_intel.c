// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * msr_intel.c - Intel's counters: decoding CPUID, the order of register writes, and unsupported
 * settings
 */
#include "tests/unit/module/pmu_test.h"

TEST(counters_are_discovered)
{
	static const struct {
		struct op_cpuid leaf;
		unsigned int general, fixed, width, fixed_width;
		bool global;
	} cpus[] = {
		/* Core Duo, Core 2, Nehalem, Skylake without hyper-threads, Ice Lake, odd ones */
		{ { 0x07280201, 0, 0, 0 }, 2, 0, 40, 0, false },
		{ { 0x07280202, 0, 0, 0x503 }, 2, 3, 40, 40, true },
		{ { 0x07300403, 0x44, 0, 0x603 }, 4, 3, 48, 48, true },
		{ { 0x08300804, 0, 0, 0x603 }, 8, 3, 48, 48, true },
		{ { 0x08300805, 0, 0xf, 0x8604 }, 8, 4, 48, 48, true },
		{ { 0x08300805, 0, 0xf, 0x8602 }, 8, 4, 48, 48, true },	/* the rest by the mask */
		{ { 0x08300805, 0, 0xb, 0x8602 }, 8, 2, 48, 48, true },	/* but none after a hole */
		{ { 0x08302005, 0, 0xffff, 0x860f }, 8, 4, 48, 48, true },
	};
	static const struct op_cpuid no[] = {
		{ 0, 0, 0, 0 }, { 0x07300002, 0, 0, 0x603 }, { 0x07300406, 0, 0, 0x603 },
		{ 0x071f0402, 0, 0, 0x603 }, { 0x07400402, 0, 0, 0x603 },
		{ 0x07300402, 0, 0, 0x083 },
	};

	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		CHECK(!op_pmu_intel(&cpus[i].leaf, false, &pmu, &why), "%zu: %s", i, why.text);
		CHECK(pmu.nr_general == cpus[i].general && pmu.nr_fixed == cpus[i].fixed &&
		      pmu.width == cpus[i].width && pmu.fixed_width == cpus[i].fixed_width &&
		      pmu.global == cpus[i].global, "%zu: %u+%u counters of %u and %u bits", i,
		      pmu.nr_general, pmu.nr_fixed, pmu.width, pmu.fixed_width);
		CHECK(op_pmu_counters(&pmu) <= OP_MAX_COUNTERS, "%u", op_pmu_counters(&pmu));
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
		memset(&pmu, 0x55, sizeof(pmu));
		why.text[0] = '\0';
		CHECK(op_pmu_intel(&no[i], false, &pmu, &why) == -ENODEV && why.text[0], "%zu", i);
		CHECK(pmu.nr_general == 0x55, "%zu: touched", i);
	}
}

TEST(registers_are_saved_programmed_and_restored)
{
	a_cpu(2, false);
	model_set(0x38f, 0x5);
	model_set(0x38d, 0x0b0);
	model_set(0x186, 0x430076);
	model_set(0x188, 0x4300c0);
	model_set(0xc1, 0x123456789ab);
	model_set(0x30a, 0xfedcba987654);
	ask(0, 0xc0, 0, 1000);
	ask(2, 0x2e, 0x41, 0x7fffffff);
	asked[2].kernel = 0;
	asked[2].extra = 1 << 18 | 1 << 23 | 0x5a << 24;
	ask(5, 0x3c, 0, 0x7fffffffffff);
	asked[5].user = 0;
	planned();
	op_pmu_program(&pmu, plans, nr_plans, &cpu);
	EXPECT_LOG(
		{ 'r', 0x186, 0x430076 }, { 'r', 0x187, 0 }, { 'r', 0x188, 0x4300c0 },
		{ 'r', 0x189, 0 }, { 'r', 0x38f, 5 },
		{ 'w', 0x38f, 0 },
		{ 'r', 0x38d, 0x0b0 },
		{ 'r', 0xc1, 0x123456789ab }, { 'r', 0xc2, 0 }, { 'r', 0xc3, 0 }, { 'r', 0xc4, 0 },
		{ 'r', 0x309, 0 }, { 'r', 0x30a, 0xfedcba987654 }, { 'r', 0x30b, 0 },
		{ 'w', 0xc1, MINUS(1000, 48) }, { 'w', 0x186, 0xc0 | BOTH },
		{ 'w', 0x187, 0 },
		{ 'w', 0xc3, MINUS(0x7fffffff, 48) },
		{ 'w', 0x188, 0x2e | 0x4100 | US | INT | ENABLE | 0x5a840000 },
		{ 'w', 0x189, 0 },
		{ 'w', 0x30a, MINUS(0x7fffffffffff, 48) },
		{ 'w', 0x38d, 0x090 }, { 'w', 0x390, 0x70000000f });
	op_pmu_start(&pmu, &cpu);
	EXPECT_LOG({ 'w', 0x38f, 0x200000005 });
	CHECK(op_pmu_stop(&pmu, &cpu, 1) == 0, "periods ended");
	EXPECT_LOG({ 'w', 0x38f, 0 }, { 'r', 0x38e, 0 });
	op_pmu_restore(&pmu, &cpu);
	EXPECT_LOG(
		{ 'w', 0x38f, 0 },
		{ 'w', 0xc1, 0x123456789ab }, { 'w', 0xc2, 0 }, { 'w', 0xc3, 0 }, { 'w', 0xc4, 0 },
		{ 'w', 0x309, 0 }, { 'w', 0x30a, 0xfedcba987654 }, { 'w', 0x30b, 0 },
		{ 'w', 0x38d, 0x0b0 }, { 'w', 0x390, 0x70000000f },
		{ 'w', 0x186, 0x430076 }, { 'w', 0x187, 0 }, { 'w', 0x188, 0x4300c0 },
		{ 'w', 0x189, 0 }, { 'w', 0x38f, 5 });
	CHECK(model_get(0x38f) == 5 && model_get(0x30a) == 0xfedcba987654, "not restored");
}

TEST(version_1_has_no_global_registers)
{
	a_cpu(1, false);
	model_set(0x187, 0x430076);
	ask(0, 0x3c, 0, 100);
	planned();
	op_pmu_program(&pmu, plans, nr_plans, &cpu);
	EXPECT_WRITES(
		{ 'w', 0x186, 0 }, { 'w', 0x187, 0 }, { 'w', 0x188, 0 }, { 'w', 0x189, 0 },
		{ 'w', 0xc1, MINUS(100, 48) },
		{ 'w', 0x186, (0x3c | BOTH) & ~ENABLE }, { 'w', 0x187, 0 },
		{ 'w', 0x188, 0 }, { 'w', 0x189, 0 });
	op_pmu_start(&pmu, &cpu);
	EXPECT_LOG({ 'w', 0x186, 0x3c | BOTH });
	model_count(0, 99, true);
	CHECK(!nmi(100000, 10).overflows, "not yet");
	EXPECT_LOG({ 'p', 0, MINUS(1, 48) });
	model_count(0, 4, true);
	CHECK(model_interrupts() == 1, "it interrupts");
	CHECK(nmi(200000, 10).samples == 1, "a sample");
	EXPECT_LOG({ 'p', 0, 3 }, { 'p', 0, 3 }, { 'w', 0xc1, MINUS(97, 48) });
	op_pmu_stop(&pmu, &cpu, 300000);
	EXPECT_WRITES({ 'w', 0x186, (0x3c | BOTH) & ~ENABLE });
	op_pmu_restore(&pmu, &cpu);
	CHECK(model_get(0x187) == 0x430076 && !model_get(0x186) && !model_get(0xc1), "restored");
}

TEST(full_width_writes_allow_long_periods)
{
	a_cpu(3, true);
	ask(1, 0xc0, 0, 0x7fffffffffff);
	planned();
	op_pmu_program(&pmu, plans, nr_plans, &cpu);
	CHECK(model_get(0x4c2) == MINUS(0x7fffffffffff, 48), "not the full width");
	op_pmu_start(&pmu, &cpu);
	model_count(1, 0x7ffffffffffe, false);
	CHECK(!model_interrupts() && !nmi(1, 1).overflows, "too early");
	model_count(1, 1, false);
	CHECK(model_interrupts() == 1 && nmi(2, 1).samples == 2, "exactly then");
}

TEST(without_full_width_writes_31_bits_are_the_limit)
{
	a_cpu(2, false);
	ask(1, 0xc0, 0, 0x80000000);
	CHECK(op_pmu_plan(&pmu, asked, KHZ, plans, &why) == -EDOM, "taken");
	CHECK(strstr(why.text, "counter 1") && strstr(why.text, "2147483647"), "%s", why.text);
	ask(1, 0xc0, 0, 0x7fffffff);
	started();
	CHECK(model_get(0xc2) == MINUS(0x7fffffff, 48), "0x%llx", (long long)model_get(0xc2));
	model_count(1, 0x7ffffffe, true);
	CHECK(!nmi(1, 1).overflows, "too early");
	model_count(1, 1, true);
	CHECK(nmi(2, 1).samples == 2, "exactly then");
}

TEST(counter_widths_are_respected)
{
	static const unsigned int widths[] = { 32, 40, 48, 63 };

	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		struct op_cpuid l = leaf(3, 2, widths[i], 1, widths[i], 1);
		unsigned long most = (1ul << (widths[i] - 1)) - 1;

		CHECK(!op_pmu_intel(&l, true, &pmu, &why), "%s", why.text);
		model_reset(&pmu);
		memset(asked, 0, sizeof(asked));
		ask(0, 0xc0, 0, most);
		ask(2, 0xc0, 0, 1);
		started();
		CHECK(model_get(0x4c1) == MINUS(most, widths[i]), "%u bits", widths[i]);
		CHECK(model_get(0x309) == MINUS(1, widths[i]), "%u bits", widths[i]);
		model_count(0, most, true);
		model_count(2, 1, true);
		CHECK(nmi(100000, 1).samples == 5, "%u bits: both", widths[i]);
		asked[0].count = most + 1;
		CHECK(op_pmu_plan(&pmu, asked, KHZ, plans, &why) == -EDOM, "%u bits", widths[i]);
	}
}

TEST(unsupported_counts_are_refused)
{
	static const struct {
		unsigned int counter;
		struct op_counter asked;
		const char *why;
	} bad[] = {
		{ 0, { 1, 0xc0, 0, 0, 1, 1, 0 }, "count 0" },
		{ 0, { 1, 0xc0, 0, 1, 0, 0, 0 }, "neither" },
		{ 1, { 1, 0x1c0, 0, 1, 1, 1, 0 }, "event 0x1c0" },
		{ 1, { 1, 0xc0, 0x100, 1, 1, 1, 0 }, "unit mask 0x100" },
		{ 1, { 1, 0xc0, 0, 1, 1, 1, 1 << 22 }, "extra 0x400000" },
		{ 3, { 1, 0xc0, 0, 1, 1, 1, 1ul << 32 }, "extra 0x100000000" },
		{ 4, { 1, 0x3c, 0, 1, 1, 1, 0 }, "counter 4: a fixed counter cannot" },
		{ 5, { 1, 0xc0, 0, 1, 1, 1, 0 }, "counter 5: a fixed counter cannot" },
		{ 6, { 1, 0, 2, 1, 1, 1, 0 }, "counter 6: a fixed counter cannot" },
		{ 4, { 1, 0xc0, 0, 1, 1, 1, 1 << 18 }, "extra 0x40000" },
	};

	a_cpu(2, false);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		memset(asked, 0, sizeof(asked));
		asked[bad[i].counter] = bad[i].asked;
		CHECK(op_pmu_plan(&pmu, asked, KHZ, plans, &why) == -EDOM, "%zu was taken", i);
		CHECK(strstr(why.text, bad[i].why), "%zu: %s", i, why.text);
	}
	memset(asked, 0, sizeof(asked));
	ask(4, 0, 1, 1);
	ask(5, 0, 2, 1);
	ask(6, 0, 3, 1);
	planned();
	CHECK(plans[0].used == 0x70 && plans[0].fixed_ctrl == 0xbbb, "0x%x", plans[0].used);
	EXPECT_NO_LOG();
}

TEST(any_thread_needs_cpu_support)
{
	static const struct {
		struct op_cpuid leaf;
		bool any;
	} cpus[] = {
		/* Core Duo, Core 2, Nehalem, Skylake, Ice Lake; a guest of KVM's */
		{ { 0x07280201, 0, 0, 0 }, false }, { { 0x07280202, 0, 0, 0x503 }, false },
		{ { 0x07300403, 0x44, 0, 0x603 }, true }, { { 0x08300804, 0, 0, 0x603 }, true },
		{ { 0x08300805, 0, 0xf, 0x8604 }, false }, { { 0x08300804, 0, 0, 0x8603 }, false },
	};

	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		CHECK(!op_pmu_intel(&cpus[i].leaf, false, &pmu, &why), "%zu: %s", i, why.text);
		CHECK(op_intel_any_thread(&cpus[i].leaf) == cpus[i].any, "%zu", i);
		memset(asked, 0, sizeof(asked));
		ask(0, 0x3c, 0, 100000);
		asked[0].extra = OP_EXTRA_ANY | 1 << 18 | 2 << 24;
		nr_plans = op_pmu_plan(&pmu, asked, KHZ, plans, &why);
		if (cpus[i].any) {
			CHECK(nr_plans == 1 && plans[0].select[0] == (0x3c | BOTH | 0x2240000),
			      "%zu: 0x%llx", i, (long long)plans[0].select[0]);
			continue;
		}
		CHECK(nr_plans == -EDOM && strstr(why.text, "counter 0") &&
		      strstr(why.text, "0x2240000: this CPU cannot count for both threads"),
		      "%zu: %s", i, why.text);
	}
}

TEST_MAIN()

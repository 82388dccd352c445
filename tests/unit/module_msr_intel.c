// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module_msr_intel.c - Intel's counters: what is read from CPUID and written to registers, in order
 */
#include <errno.h>
#include "tap.h"
#include "msr_model.h"

#define KHZ	1000000ull		/* a time stamp is a nanosecond */
#define FLOOR	15000ull
#define US	(1ull << 16)
#define KERNEL	(1ull << 17)
#define INT	(1ull << 20)
#define ENABLE	(1ull << 22)
#define BOTH	(US | KERNEL | INT | ENABLE)
#define MINUS(n, width) (-(uint64_t)(n) & (~0ull >> (64 - (width))))

static struct op_reason why;
static struct op_pmu pmu;
static struct op_pmu_plan plans[OP_MAX_VIRTUAL];
static int nr_plans;
static struct op_pmu_cpu cpu;
static struct op_counter asked[OP_MAX_VIRTUAL];

static struct op_cpuid leaf(unsigned int version, unsigned int general, unsigned int width,
			    unsigned int fixed, unsigned int fixed_width, unsigned int fixed_mask)
{
	return (struct op_cpuid){
		.eax = version | general << 8 | width << 16 | 7 << 24,
		.ecx = fixed_mask, .edx = fixed | fixed_width << 5,
	};
}

/* A CPU of version 2 with 4 general and 3 fixed counters of 48 bits, and nothing asked for. */
static void a_cpu(unsigned int version, bool full_width)
{
	struct op_cpuid l = leaf(version, 4, 48, version > 1 ? 3 : 0, 48, 7);

	CHECK(!op_pmu_intel(&l, full_width, &pmu, &why), "%s", why.text);
	model_reset(&pmu);
	memset(asked, 0, sizeof(asked));
}

static void ask(unsigned int i, unsigned long event, unsigned long mask, unsigned long count)
{
	asked[i] = (struct op_counter){
		.enabled = 1, .event = event, .unit_mask = mask, .count = count,
		.kernel = 1, .user = 1,
	};
}

static void planned(void)
{
	nr_plans = op_pmu_plan(&pmu, asked, KHZ, plans, &why);
	CHECK(nr_plans > 0, "%s", why.text);
}

static void started(void)
{
	planned();
	op_pmu_program(&pmu, plans, nr_plans, &cpu);
	op_pmu_start(&pmu, &cpu);
	model_log_clear();
}

/* What the NMI handler does at @now, @cost later done. */
static struct op_pmu_fired nmi(uint64_t now, uint64_t cost)
{
	struct op_pmu_fired f = op_pmu_begin(&pmu, &cpu, true, now);

	if (f.overflows)
		op_pmu_end(&pmu, &cpu, &f, now + cost);
	return f;
}

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
		{ 0x071f0402, 0, 0, 0x603 }, { 0x07400402, 0, 0, 0x603 }, { 0x07300402, 0, 0, 0x083 },
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

TEST(without_them_31_bits_are_the_most)
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

TEST(widths_are_kept_to)
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

TEST(what_counters_cannot_count_is_refused)
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
		{ 4, { 1, 0x3c, 0, 1, 1, 1, 0 }, "counter 4 is fixed" },
		{ 5, { 1, 0xc0, 0, 1, 1, 1, 0 }, "counter 5 is fixed" },
		{ 6, { 1, 0, 2, 1, 1, 1, 0 }, "counter 6 is fixed" },
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

TEST(any_thread_is_for_cpus_that_have_it)
{
	static const struct {
		struct op_cpuid leaf;
		bool any;
	} cpus[] = {
		/* Core Duo, Core 2, Nehalem, Skylake, Ice Lake; a guest of KVM's is told it is gone */
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
		      strstr(why.text, "0x2240000 asks for both threads"), "%zu: %s", i, why.text);
	}
}

TEST(an_overflow_is_handled_in_this_order)
{
	a_cpu(2, false);
	ask(1, 0xc0, 0, 5000);
	started();
	model_count(1, 5007, true);
	CHECK(model_interrupts() == 1, "it interrupts");
	struct op_pmu_fired f = op_pmu_begin(&pmu, &cpu, true, 100000);

	CHECK(f.overflows == 1 && f.samples == 2 && !f.throttled, "%u 0x%x", f.overflows, f.samples);
	EXPECT_LOG({ 'w', 0x38f, 0 }, { 'r', 0x38e, 2 }, { 'w', 0x390, 2 }, { 'p', 1, 7 },
		   { 'w', 0xc2, MINUS(4993, 48) });
	model_count(1, 100000, false);
	CHECK(!model_interrupts(), "nothing counts while it is handled");
	op_pmu_end(&pmu, &cpu, &f, 100500);
	EXPECT_LOG({ 'w', 0x38f, 2 });
	model_count(1, 4993, false);
	CHECK(model_interrupts() == 1, "the next period is shorter by what was past");
}

TEST(several_overflow_at_once)
{
	a_cpu(2, false);
	ask(0, 0xc0, 0, 100);
	ask(3, 0xc4, 0, 200);
	ask(4, 0xc0, 0, 300);
	ask(6, 0, 3, 400);
	started();
	model_count(0, 110, true);
	model_count(3, 210, true);
	model_count(6, 410, true);
	CHECK(model_interrupts() == 3, "three interrupts");
	struct op_pmu_fired f = nmi(100000, 100);

	CHECK(f.overflows == 3 && f.samples == 0x49, "%u 0x%x", f.overflows, f.samples);
	EXPECT_WRITES({ 'w', 0x38f, 0 }, { 'w', 0x390, 0x400000009 }, { 'w', 0xc1, MINUS(90, 48) },
		      { 'w', 0xc4, MINUS(190, 48) }, { 'w', 0x30b, MINUS(390, 48) },
		      { 'w', 0x38f, 0x500000009 });
	/* the NMIs of the other two may be on their way; a third is not ours */
	CHECK(!nmi(100200, 0).overflows && op_pmu_owed(&cpu, 100200), "the second's own");
	CHECK(!nmi(100300, 0).overflows && op_pmu_owed(&cpu, 100300), "the third's own");
	CHECK(!nmi(100400, 0).overflows && !op_pmu_owed(&cpu, 100400), "somebody else's");
}

TEST(late_ones_are_ours_only_for_a_while)
{
	a_cpu(2, false);
	ask(0, 0xc0, 0, 100);
	ask(1, 0xc4, 0, 100);
	started();
	model_count(0, 100, true);
	model_count(1, 100, true);
	CHECK(nmi(1000000, 0).overflows == 2, "both");
	CHECK(!op_pmu_owed(&cpu, 1000000 + 100 * KHZ + 1), "100 ms later it is none of ours");
	CHECK(op_pmu_owed(&cpu, 1000000 + 100 * KHZ), "until then it is");
}

TEST(after_a_strange_nmi_counting_goes_on)
{
	a_cpu(2, false);
	ask(0, 0xc0, 0, 100);
	started();
	CHECK(!nmi(5, 0).overflows && !op_pmu_owed(&cpu, 5), "claimed");
	EXPECT_LOG({ 'w', 0x38f, 0 }, { 'r', 0x38e, 0 }, { 'w', 0x38f, 1 });
	/* bits of others in the status are not our business either */
	model_set(0x38e, 1ull << 62 | 1ull << 63 | 1 << 3);
	CHECK(!nmi(6, 0).overflows, "claimed");
	EXPECT_LOG({ 'w', 0x38f, 0 }, { 'r', 0x38e, 1ull << 62 | 1ull << 63 | 1 << 3 },
		   { 'w', 0x38f, 1 });
}

TEST(a_stale_status_makes_no_sample)
{
	a_cpu(2, false);
	ask(0, 0xc0, 0, 100);
	started();
	model_count(0, 50, true);
	model_set(0x38e, 1);
	struct op_pmu_fired f = nmi(7, 1);

	CHECK(f.overflows == 1 && !f.samples && !f.throttled, "0x%x", f.samples);
	EXPECT_WRITES({ 'w', 0x38f, 0 }, { 'w', 0x390, 1 }, { 'w', 0x38f, 1 });
}

TEST(an_overflow_as_it_stops)
{
	a_cpu(2, false);
	ask(0, 0xc0, 0, 100);
	started();
	model_count(0, 101, true);
	CHECK(op_pmu_stop(&pmu, &cpu, 1000000) == 1, "a period without a sample");
	EXPECT_WRITES({ 'w', 0x38f, 0 }, { 'w', 0x390, 1 }, { 'w', 0xc1, MINUS(99, 48) });
	CHECK(!nmi(1000100, 1).overflows && op_pmu_owed(&cpu, 1000100), "its NMI is ours");
	CHECK(!op_pmu_owed(&cpu, 1000101), "once");
	op_pmu_start(&pmu, &cpu);
	model_count(0, 99, true);
	CHECK(nmi(1100000, 1).samples == 1, "it goes on afterwards");

	/* the NMI comes in the middle of the stop: no sample, and it must not start again */
	model_count(0, 100, true);
	cpu.running = false;
	model_log_clear();
	struct op_pmu_fired f = nmi(1200000, 1);

	CHECK(f.overflows == 1 && !f.samples && f.throttled == 1, "0x%x", f.samples);
	EXPECT_WRITES({ 'w', 0x38f, 0 }, { 'w', 0x390, 1 }, { 'w', 0xc1, MINUS(100, 48) });
	op_pmu_restore(&pmu, &cpu);
	model_log_clear();
	CHECK(!nmi(1200002, 1).overflows, "restored: not ours");
	EXPECT_NO_LOG();
}

TEST(counters_of_the_other_mode_are_not_sampled)
{
	static const struct {
		bool user;
		unsigned int samples;
	} hits[] = { { true, 0x11 }, { false, 0x21 } };

	for (int i = 0; i < 2; i++) {
		a_cpu(2, false);
		ask(0, 0xc0, 0, 100);
		ask(4, 0xc0, 0, 100);
		ask(5, 0x3c, 0, 100);
		asked[4].kernel = 0;
		asked[5].user = 0;
		started();
		model_count(0, 100, true);
		model_count(4, 100, true);
		model_count(5, 100, false);	/* say, where this very interrupt was on its way */
		struct op_pmu_fired f =
			op_pmu_begin(&pmu, &cpu, hits[i].user, 1000000);

		CHECK(f.overflows == 3 && f.samples == hits[i].samples && f.throttled == 1,
		      "%u: 0x%x, %llu throttled", f.overflows, f.samples, (long long)f.throttled);
		op_pmu_end(&pmu, &cpu, &f, 1000100);
		CHECK(cpu.throttle[5].handled == 1000100, "its period began anew");
	}
}

TEST(missed_periods_are_counted)
{
	uint64_t samples = 0, throttled = 0, events = 0, seed = 1;

	a_cpu(2, false);
	ask(0, 0xc0, 0, 1000);
	started();
	for (uint64_t now = 1000000; now < 2000000000; now += 1000000) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		model_count(0, seed >> 51, true);	/* up to eight periods at once */
		events += seed >> 51;
		struct op_pmu_fired f = nmi(now, 100);

		samples += !!f.samples;
		throttled += f.throttled;
	}
	CHECK(samples && throttled, "%d", 0);
	CHECK(samples + throttled == events / 1000, "%llu + %llu of %llu",
	      (long long)samples, (long long)throttled, (long long)events / 1000);
}

/* Counts events as they come, @per_us in a microsecond of time, until the end of a sample. */
static void run(uint64_t us, uint64_t per_us, uint64_t *now, uint64_t *samples, uint64_t *throttled,
		uint64_t *events)
{
	uint64_t end = *now + us * 1000;

	while (*now < end) {
		uint64_t left = MINUS(model_get(0xc1), 48);
		uint64_t ns = left * 1000 / per_us + 1;

		*now += ns;
		model_count(0, left, true);
		*events += left;
		struct op_pmu_fired f = nmi(*now, 2000);

		*now += 2000;
		*samples += !!f.samples;
		*throttled += f.throttled;
	}
	model_log_clear();
}

TEST(a_runaway_rate_is_throttled_and_told)
{
	uint64_t now = 1000000, samples = 0, throttled = 0, events = 0, calm;

	a_cpu(2, false);
	ask(0, 0xc0, 0, 100);
	started();
	CHECK(plans[0].floor == FLOOR, "%llu", (long long)plans[0].floor);
	/* a sample every 0.1 us is asked for; 10 ms leave room for 10 ms / (15 + 2) us */
	run(10000, 1000, &now, &samples, &throttled, &events);
	CHECK(samples > 200 && samples < 620, "%llu samples", (long long)samples);
	CHECK(samples + throttled == events / 100, "%llu + %llu", (long long)samples,
	      (long long)throttled);
	/* then an event in 5 us: every sample is taken again after some time */
	samples = throttled = events = 0;
	run(100000000, 1, &now, &samples, &throttled, &events);
	calm = throttled;
	run(10000000, 1, &now, &samples, &throttled, &events);
	CHECK(throttled == calm, "still throttled: %llu", (long long)(throttled - calm));
	CHECK(!cpu.throttle[0].stretch, "%u", cpu.throttle[0].stretch);
}

TEST(one_slow_handling_throttles_nothing)
{
	uint64_t now = 1000000;

	a_cpu(2, false);
	ask(0, 0xc0, 0, 100);
	started();
	for (int i = 0; i < 200; i++, now += 100000) {
		uint64_t cost = i == 50 || i == 100 ? 10000000 : 1000;

		model_count(0, 100, true);
		CHECK(!nmi(now, cost).throttled, "%d", i);
		now += cost;
		model_log_clear();
	}
	/* but when each takes as long as it leaves the CPU to itself, that is told */
	for (int i = 0; i < 3; i++, now += 100000) {
		model_count(0, 100, true);
		nmi(now, 200000);
		now += 200000;
	}
	CHECK(cpu.throttle[0].stretch == 1, "%u", cpu.throttle[0].stretch);
}

TEST(no_period_grows_beyond_the_counter)
{
	a_cpu(2, false);
	ask(0, 0xc0, 0, 0x7fffffff);
	ask(1, 0xc0, 0, 1);
	started();
	for (uint64_t now = 1; now < 200; now++) {
		model_count(0, 0x7fffffff, true);
		model_count(1, MINUS(model_get(0xc2), 48), true);
		nmi(now, 0);
	}
	CHECK(cpu.throttle[0].stretch == 0, "%u", cpu.throttle[0].stretch);
	CHECK(cpu.throttle[1].stretch == 30, "%u", cpu.throttle[1].stretch);
	CHECK(MINUS(model_get(0xc2), 48) == 1 << 30, "%llx", (long long)model_get(0xc2));
}

TEST_MAIN()

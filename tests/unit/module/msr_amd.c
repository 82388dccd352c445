// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * msr_amd.c - AMD's counters: K7-style, core extension, PerfMonV2
 */
#include <errno.h>
#include "tests/tap.h"
#include "tests/unit/module/msr_model.h"

#define KHZ	1000000ull
#define CORE	(1u << 23)
#define BOTH	(3ull << 16 | 1ull << 20)	/* user, kernel, interrupt */
#define ENABLE	(1ull << 22)
#define MINUS(n) (-(uint64_t)(n) & (~0ull >> 16))

static struct op_reason why;
static struct op_pmu pmu;
static struct op_pmu_plan plans[OP_MAX_VIRTUAL];
static int nr_plans;
static struct op_pmu_cpu cpu;
static struct op_counter asked[OP_MAX_VIRTUAL];

static void a_cpu(unsigned int family, uint32_t features, uint32_t eax, uint32_t ebx)
{
	struct op_cpuid leaf = { .eax = eax, .ebx = ebx };

	CHECK(!op_pmu_amd(family, features, &leaf, &pmu, &why), "%s", why.text);
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

static void started(void)
{
	nr_plans = op_pmu_plan(&pmu, asked, KHZ, plans, &why);
	CHECK(nr_plans > 0, "%s", why.text);
	op_pmu_program(&pmu, plans, nr_plans, &cpu);
	op_pmu_start(&pmu, &cpu);
	model_log_clear();
}

static struct op_pmu_fired nmi(uint64_t now)
{
	struct op_pmu_fired f = op_pmu_begin(&pmu, &cpu, true, now);

	if (f.overflows)
		op_pmu_end(&pmu, &cpu, &f, now + 10);
	return f;
}

TEST(counters_are_discovered)
{
	static const struct {
		unsigned int family;
		uint32_t features, eax, ebx;
		unsigned int counters;
		bool global;
		const char *type;
	} cpus[] = {
		{ 0x0f, 0, 0, 0, 4, false, "x86-64/hammer" },
		{ 0x10, 0, 0, 0, 4, false, "x86-64/family10" },
		{ 0x15, CORE, 0, 0, 6, false, "x86-64/family15h" },
		{ 0x17, CORE, 0, 0, 6, false, "x86-64/generic" },
		{ 0x17, 0, 1, 6, 4, false, "x86-64/generic" },	/* a hypervisor hides the rest */
		{ 0x19, CORE, 1, 6, 6, true, "x86-64/generic" },
		{ 0x1a, CORE, 1, 0x1f, 15, true, "x86-64/generic" },
	};
	struct op_cpuid none = { 0 }, empty = { .eax = 1 };

	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		a_cpu(cpus[i].family, cpus[i].features, cpus[i].eax, cpus[i].ebx);
		CHECK(op_pmu_counters(&pmu) == cpus[i].counters && pmu.global == cpus[i].global &&
		      pmu.extra_mask == OP_EXTRA_X86, "%zu: %u counters", i, op_pmu_counters(&pmu));
		CHECK(!strcmp(op_amd_cpu_type(cpus[i].family), cpus[i].type), "%zu: %s", i,
		      op_amd_cpu_type(cpus[i].family));
		CHECK(op_pmu_counters(&pmu) <= OP_MAX_COUNTERS, "%zu", i);
	}
	CHECK(op_pmu_amd(6, 0, &none, &pmu, &why) == -ENODEV, "family 6 was taken");
	CHECK(op_pmu_amd(0x19, CORE, &empty, &pmu, &why) == -ENODEV, "no counters were taken");
}

TEST(k7_style_registers)
{
	a_cpu(0x10, 0, 0, 0);
	model_set(0xc0010001, 0x530076);
	model_set(0xc0010005, 0xffff00001234);
	ask(0, 0x76, 0, 1000);
	ask(2, 0x4e3, 0x0f, 0x7fffffffffff);
	nr_plans = op_pmu_plan(&pmu, asked, KHZ, plans, &why);
	CHECK(nr_plans > 0, "%s", why.text);
	op_pmu_program(&pmu, plans, nr_plans, &cpu);
	EXPECT_LOG(
		{ 'r', 0xc0010000, 0 }, { 'r', 0xc0010001, 0x530076 }, { 'r', 0xc0010002, 0 },
		{ 'r', 0xc0010003, 0 },
		{ 'w', 0xc0010000, 0 }, { 'w', 0xc0010001, 0 }, { 'w', 0xc0010002, 0 },
		{ 'w', 0xc0010003, 0 },
		{ 'r', 0xc0010004, 0 }, { 'r', 0xc0010005, 0xffff00001234 },
		{ 'r', 0xc0010006, 0 }, { 'r', 0xc0010007, 0 },
		{ 'w', 0xc0010004, MINUS(1000) }, { 'w', 0xc0010000, 0x76 | BOTH },
		{ 'w', 0xc0010001, 0 },
		{ 'w', 0xc0010006, MINUS(0x7fffffffffff) },
		{ 'w', 0xc0010002, 0xe3 | 0xf00 | BOTH | 4ull << 32 },
		{ 'w', 0xc0010003, 0 });
	op_pmu_start(&pmu, &cpu);
	EXPECT_LOG({ 'w', 0xc0010000, 0x76 | BOTH | ENABLE },
		   { 'w', 0xc0010002, 0xe3 | 0xf00 | BOTH | ENABLE | 4ull << 32 });
	op_pmu_stop(&pmu, &cpu, 1);
	EXPECT_LOG({ 'w', 0xc0010000, 0x76 | BOTH },
		   { 'w', 0xc0010002, 0xe3 | 0xf00 | BOTH | 4ull << 32 },
		   { 'p', 0, MINUS(1000) }, { 'p', 2, MINUS(0x7fffffffffff) });
	op_pmu_restore(&pmu, &cpu);
	EXPECT_LOG(
		{ 'w', 0xc0010000, 0 }, { 'w', 0xc0010001, 0 }, { 'w', 0xc0010002, 0 },
		{ 'w', 0xc0010003, 0 },
		{ 'w', 0xc0010004, 0 }, { 'w', 0xc0010005, 0xffff00001234 },
		{ 'w', 0xc0010006, 0 }, { 'w', 0xc0010007, 0 },
		{ 'w', 0xc0010000, 0 }, { 'w', 0xc0010001, 0x530076 }, { 'w', 0xc0010002, 0 },
		{ 'w', 0xc0010003, 0 });
}

TEST(unsupported_counts_are_refused)
{
	a_cpu(0x17, CORE, 0, 0);
	ask(5, 0x1076, 0, 1000);
	CHECK(op_pmu_plan(&pmu, asked, KHZ, plans, &why) == -EDOM, "event of 13 bits");
	ask(5, 0x76, 0, 0x800000000000);
	CHECK(op_pmu_plan(&pmu, asked, KHZ, plans, &why) == -EDOM, "count of 48 bits");
	CHECK(strstr(why.text, "counter 5"), "%s", why.text);
}

TEST(wrapped_counters_are_found_by_their_values)
{
	a_cpu(0x17, CORE, 0, 0);
	ask(1, 0x76, 0, 100);
	ask(4, 0xc0, 0, 200);
	ask(5, 0xc2, 0, 300);
	started();
	CHECK(!nmi(1).overflows, "none has wrapped");
	EXPECT_LOG({ 'p', 1, MINUS(100) }, { 'p', 4, MINUS(200) }, { 'p', 5, MINUS(300) });
	model_count(1, 105, true);
	model_count(5, 300, false);
	CHECK(model_interrupts() == 2, "two interrupts");
	struct op_pmu_fired f = nmi(100000);

	CHECK(f.overflows == 2 && f.samples == 0x22, "%u 0x%x", f.overflows, f.samples);
	EXPECT_WRITES({ 'w', 0xc0010203, MINUS(95) }, { 'w', 0xc001020b, MINUS(300) });
	/* not stopped: either may wrap again, and be found before its NMI comes */
	CHECK(op_pmu_owed(&cpu, 100100) && op_pmu_owed(&cpu, 100200), "two are owed");
	CHECK(!op_pmu_owed(&cpu, 100300), "no more");
}

TEST(owed_nmis_expire)
{
	unsigned int owed = 0;

	a_cpu(0x10, 0, 0, 0);
	ask(0, 0x76, 0, 100);
	started();
	for (uint64_t now = 1000000; now < 5000000; now += 20000) {
		model_count(0, 100, true);
		nmi(now);
	}
	while (op_pmu_owed(&cpu, 5000000))
		owed++;
	CHECK(owed <= OP_MAX_COUNTERS, "%u", owed);
}

TEST(perfmon_v2_stops_all_at_once)
{
	a_cpu(0x19, CORE, 1, 6);
	model_set(0xc0000301, 0x3f);
	ask(0, 0x76, 0, 1000);
	ask(5, 0xc0, 0, 1000);
	nr_plans = op_pmu_plan(&pmu, asked, KHZ, plans, &why);
	CHECK(nr_plans > 0, "%s", why.text);
	op_pmu_program(&pmu, plans, nr_plans, &cpu);
	EXPECT_WRITES(
		{ 'w', 0xc0000301, 0 },
		{ 'w', 0xc0010201, MINUS(1000) }, { 'w', 0xc0010200, 0x76 | BOTH | ENABLE },
		{ 'w', 0xc0010202, 0 }, { 'w', 0xc0010204, 0 }, { 'w', 0xc0010206, 0 },
		{ 'w', 0xc0010208, 0 },
		{ 'w', 0xc001020b, MINUS(1000) }, { 'w', 0xc001020a, 0xc0 | BOTH | ENABLE },
		{ 'w', 0xc0000302, 0x3f });
	op_pmu_start(&pmu, &cpu);
	EXPECT_LOG({ 'w', 0xc0000301, 0x21 });
	model_count(0, 1001, true);
	model_count(5, 1000, true);
	CHECK(nmi(100000).samples == 0x21, "both");
	EXPECT_LOG({ 'w', 0xc0000301, 0 }, { 'r', 0xc0000300, 0x21 }, { 'w', 0xc0000302, 0x21 },
		   { 'p', 0, 1 }, { 'w', 0xc0010201, MINUS(999) },
		   { 'p', 5, 0 }, { 'w', 0xc001020b, MINUS(1000) },
		   { 'w', 0xc0000301, 0x21 });
	CHECK(op_pmu_owed(&cpu, 100020) && !op_pmu_owed(&cpu, 100020), "the other's NMI");
	op_pmu_stop(&pmu, &cpu, 100030);
	op_pmu_restore(&pmu, &cpu);
	CHECK(model_get(0xc0000301) == 0x3f, "restored");
}

TEST(counts_are_exact_over_any_time)
{
	uint64_t samples = 0, throttled = 0, events = 0, seed = 7;

	a_cpu(0x17, CORE, 0, 0);
	ask(3, 0x76, 0, 777);
	started();
	for (uint64_t now = 1000000; now < 2000000000; now += 100000) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		model_count(3, seed >> 53, true);
		events += seed >> 53;
		struct op_pmu_fired f = nmi(now);

		samples += !!f.samples;
		throttled += f.throttled;
		model_log_clear();
	}
	CHECK(samples + throttled == events / 777, "%llu + %llu of %llu", (long long)samples,
	      (long long)throttled, (long long)events / 777);
}

TEST_MAIN()

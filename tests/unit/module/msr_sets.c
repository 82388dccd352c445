// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * msr_sets.c - sets of counters that take turns: the writes of a switch, and that no event is lost
 * or counted twice, whenever an overflow or its NMI comes
 */
#include <errno.h>
#include "tests/tap.h"
#include "tests/unit/module/msr_model.h"

#define KHZ	1000000ull
#define BOTH	(3ull << 16 | 1ull << 20)	/* user, kernel, interrupt */
#define ENABLE	(1ull << 22)
#define MINUS(n) (-(uint64_t)(n) & (~0ull >> 16))

static struct op_reason why;
static struct op_pmu pmu;
static struct op_pmu_plan plans[OP_MAX_VIRTUAL];
static int nr_plans;
static struct op_pmu_cpu cpu;
static struct op_counter asked[OP_MAX_VIRTUAL];

/* Four general counters, and three fixed ones as 4 to 6. */
static void an_intel_cpu(unsigned int version)
{
	struct op_cpuid leaf = { .eax = version | 4 << 8 | 48 << 16, .edx = 3 | 48 << 5 };

	CHECK(!op_pmu_intel(&leaf, true, &pmu, &why), "%s", why.text);
	model_reset(&pmu);
	memset(asked, 0, sizeof(asked));
}

static void an_amd_cpu(void)
{
	struct op_cpuid leaf = { 0 };

	CHECK(!op_pmu_amd(0x10, 0, &leaf, &pmu, &why), "%s", why.text);
	model_reset(&pmu);
	memset(asked, 0, sizeof(asked));
}

static void ask(unsigned int n, unsigned long event, unsigned long count)
{
	asked[n] = (struct op_counter){
		.enabled = 1, .event = event, .count = count, .kernel = 1, .user = 1,
	};
}

static void programmed(int sets)
{
	nr_plans = op_pmu_plan(&pmu, asked, KHZ, plans, &why);
	CHECK(nr_plans == sets, "%d sets, %s", nr_plans, why.text);
	op_pmu_program(&pmu, plans, nr_plans, &cpu);
	model_log_clear();
}

static void started(int sets)
{
	programmed(sets);
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

static uint64_t take_turns(int set, uint64_t now)
{
	uint64_t passed = op_pmu_stop(&pmu, &cpu, now);

	op_pmu_switch(&pmu, &plans[set], &cpu, now);
	op_pmu_start(&pmu, &cpu);
	return passed;
}

TEST(unused_sets_get_no_plan)
{
	an_intel_cpu(2);
	ask(3, 0xc0, 1000);
	ask(7 + 1, 0xc4, 1000);
	ask(7 + 5, 0x3c, 1000);
	ask(21, 0xc5, 1000);
	programmed(3);
	CHECK(plans[0].first == 0 && plans[0].used == 8, "%u 0x%x", plans[0].first, plans[0].used);
	CHECK(plans[1].first == 7 && plans[1].used == 0x22, "%u 0x%x", plans[1].first,
	      plans[1].used);
	CHECK(plans[2].first == 21 && plans[2].used == 1, "%u 0x%x", plans[2].first, plans[2].used);
	CHECK(plans[1].floor == 2 * plans[0].floor, "the more counters, the fewer samples of each");

	/* a single set need not be the first, and without any there is one that does nothing */
	memset(asked, 0, sizeof(asked));
	ask(14, 0xc0, 1000);
	programmed(1);
	CHECK(plans[0].first == 14, "%u", plans[0].first);
	memset(asked, 0, sizeof(asked));
	programmed(1);
	CHECK(!plans[0].used, "0x%x", plans[0].used);

	/* 31 is in no whole set */
	ask(31, 0xc0, 1000);
	programmed(1);
	CHECK(!plans[0].used, "0x%x", plans[0].used);
}

TEST(errors_name_the_virtual_counter)
{
	an_intel_cpu(2);
	ask(0, 0xc0, 1000);
	ask(7 + 4, 0x3c, 1000);
	CHECK(op_pmu_plan(&pmu, asked, KHZ, plans, &why) == -EDOM, "taken");
	CHECK(strstr(why.text, "counter 11: a fixed counter cannot"), "%s", why.text);
}

TEST(a_switch_writes_registers_in_order)
{
	an_intel_cpu(2);
	ask(0, 0xc0, 1000);
	ask(1, 0xc4, 2000);
	ask(5, 0x3c, 3000);
	ask(7, 0xc0, 4000);		/* the same event, on the same counter */
	ask(7 + 2, 0x2e, 5000);
	ask(7 + 6, 0, 6000);
	asked[13].unit_mask = 3;
	started(2);
	model_count(0, 100, true);
	model_count(1, 200, true);
	model_count(5, 300, true);
	take_turns(1, 1000000);
	EXPECT_LOG(
		{ 'w', 0x38f, 0 }, { 'r', 0x38e, 0 },
		{ 'p', 0, MINUS(900) }, { 'p', 1, MINUS(1800) }, { 'p', 1u << 30 | 1, MINUS(2700) },
		{ 'w', 0x187, 0 }, { 'w', 0x188, 0x2e | BOTH | ENABLE },
		{ 'w', 0x38d, 0xb00 },
		{ 'w', 0x4c1, MINUS(4000) }, { 'w', 0x4c3, MINUS(5000) },
		{ 'w', 0x30b, MINUS(6000) },
		{ 'w', 0x38f, 0x400000005 });
	model_count(2, 50, true);
	CHECK(!model_count(1, 50, true), "a counter of the other set counts");
	take_turns(0, 2000000);
	EXPECT_LOG(
		{ 'w', 0x38f, 0 }, { 'r', 0x38e, 0 },
		{ 'p', 0, MINUS(4000) }, { 'p', 2, MINUS(4950) },
		{ 'p', 1u << 30 | 2, MINUS(6000) },
		{ 'w', 0x187, 0xc4 | BOTH | ENABLE }, { 'w', 0x188, 0 },
		{ 'w', 0x38d, 0x0b0 },
		{ 'w', 0x4c1, MINUS(900) }, { 'w', 0x4c2, MINUS(1800) },
		{ 'w', 0x30a, MINUS(2700) },
		{ 'w', 0x38f, 0x200000003 });
}

TEST(without_global_registers_the_selects_stop_and_start)
{
	an_amd_cpu();
	ask(0, 0x76, 1000);
	ask(1, 0xc0, 2000);
	ask(4 + 1, 0xc2, 3000);
	started(2);
	model_count(0, 10, true);
	take_turns(1, 1000000);
	EXPECT_LOG(
		{ 'w', 0xc0010000, 0x76 | BOTH }, { 'w', 0xc0010001, 0xc0 | BOTH },
		{ 'p', 0, MINUS(990) }, { 'p', 1, MINUS(2000) },
		{ 'p', 0, MINUS(990) }, { 'p', 1, MINUS(2000) },
		{ 'w', 0xc0010000, 0 }, { 'w', 0xc0010001, 0xc2 | BOTH },
		{ 'w', 0xc0010005, MINUS(3000) },
		{ 'w', 0xc0010001, 0xc2 | BOTH | ENABLE });
	CHECK(!model_count(0, 10, true), "a counter of the other set counts");
}

TEST(registers_are_restored_from_any_set)
{
	an_intel_cpu(2);
	model_set(0x186, 0x430076);
	model_set(0x187, 0x4300c0);
	model_set(0x38d, 0x0b0);
	model_set(0x38f, 3);
	model_set(0x4c2, 0x1234);
	model_set(0x30b, 0x5678);
	ask(0, 0xc0, 1000);
	ask(7 + 1, 0xc4, 1000);
	ask(7 + 6, 0x0, 1000);
	asked[13].unit_mask = 3;
	started(2);
	take_turns(1, 1000000);
	op_pmu_stop(&pmu, &cpu, 2000000);
	op_pmu_restore(&pmu, &cpu);
	CHECK(model_get(0x186) == 0x430076 && model_get(0x187) == 0x4300c0 && !model_get(0x188) &&
	      model_get(0x38d) == 0x0b0 && model_get(0x38f) == 3, "events");
	CHECK(!model_get(0x4c1) && model_get(0x4c2) == 0x1234 && model_get(0x30b) == 0x5678,
	      "counts");
}

TEST(a_period_resumes_after_a_switch)
{
	an_intel_cpu(2);
	ask(0, 0xc0, 1000);
	ask(7, 0xc4, 1000);
	started(2);
	model_count(0, 600, true);
	take_turns(1, 1000000);
	model_count(0, 999, true);
	take_turns(0, 2000000);
	model_count(0, 399, true);
	CHECK(!model_interrupts() && !nmi(2500000).overflows, "too early");
	model_count(0, 1, true);
	CHECK(model_interrupts() == 1, "exactly then");
	struct op_pmu_fired f = nmi(2600000);

	CHECK(f.samples == 1 && cpu.plan->first == 0, "0x%x of %u", f.samples, cpu.plan->first);
	take_turns(1, 3000000);
	model_count(0, 1, true);
	f = nmi(3500000);
	CHECK(f.samples == 1 && cpu.plan->first == 7, "0x%x of %u", f.samples, cpu.plan->first);
}

TEST(an_overflow_during_a_switch_is_counted_and_its_nmi_owed)
{
	an_intel_cpu(2);
	ask(0, 0xc0, 1000);
	ask(1, 0xc5, 1000);
	ask(7, 0xc4, 1000);
	started(2);
	model_count(0, 1003, true);
	CHECK(take_turns(1, 1000000) == 1, "a period without a sample");
	/* late: it hits while the other set counts, and finds nothing */
	CHECK(!nmi(1000100).overflows && op_pmu_owed(&cpu, 1000100), "its NMI is ours");
	CHECK(!op_pmu_owed(&cpu, 1000101), "once");
	/* or together with one of the other set, which must not be mistaken for it */
	model_count(0, 1000, true);
	CHECK(nmi(2000000).samples == 1, "the other set's own");
	CHECK(take_turns(0, 3000000) == 0, "none");
	model_count(0, 996, true);
	CHECK(!model_count(0, 0, true) || !nmi(3500000).overflows, "what was past is kept");
	model_count(0, 1, true);
	CHECK(nmi(4000000).samples == 1, "exactly then");

	/* two at once, of which one NMI comes in time */
	model_count(0, 1000, true);
	model_count(1, 1000, true);
	CHECK(nmi(5000000).overflows == 2, "both by the first");
	take_turns(1, 5000100);
	CHECK(!nmi(5000200).overflows && op_pmu_owed(&cpu, 5000200), "the second after the switch");
}

TEST(time_switched_off_does_not_reduce_throttling)
{
	an_intel_cpu(2);
	ask(0, 0xc0, 1000);
	ask(7, 0xc4, 1000);
	started(2);
	model_count(0, 1000, true);
	nmi(1000000);
	take_turns(1, 1001000);
	take_turns(0, 90000000);
	CHECK(cpu.throttle[0].handled == 90000000 - (1001000 - 1000010), "%llu",
	      (unsigned long long)cpu.throttle[0].handled);
	model_count(0, 1000, true);
	nmi(90001000);
	CHECK(cpu.throttle[0].stretch == 1, "sooner than %llu after the last",
	      (unsigned long long)plans[0].floor);
}

/* ---- an NMI at every step ---- */

static struct {
	uint64_t now, samples, throttled, events[OP_MAX_VIRTUAL], seed;
	unsigned int pending, unknown, one_in;
	bool in_nmi;
} run;

static uint64_t chance(uint64_t of)
{
	run.seed = run.seed * 6364136223846793005 + 1442695040888963407;
	return (run.seed >> 33) % of;
}

static void hit(void)
{
	struct op_pmu_fired f = nmi(run.now);

	for (unsigned int left = f.samples; left; left &= left - 1)
		run.samples++;
	run.throttled += f.throttled;
	if (!f.overflows && !op_pmu_owed(&cpu, run.now))
		run.unknown++;
}

/* Pending NMIs come one after another or, because there is only one latch, several as one. */
static void maybe_hit(void)
{
	run.now += 10;
	run.pending += model_interrupts();
	if (run.in_nmi || !run.pending || chance(run.one_in))
		return;
	run.pending -= 1 + chance(run.pending);
	run.in_nmi = true;
	hit();
	run.in_nmi = false;
}

/* Events anywhere, in steps that may be several periods. */
static void count_some(void)
{
	for (unsigned int i = 0; i < op_pmu_counters(&pmu); i++) {
		uint64_t n = chance(chance(8) ? 300 : 4000);

		if (cpu.plan->used >> i & 1 && model_count(i, n, true))
			run.events[cpu.plan->first + i] += n;
	}
}

static void check_exact(const char *what)
{
	uint64_t periods = 0;

	for (int n = 0; n < OP_MAX_VIRTUAL; n++) {
		uint64_t count = asked[n].count, left = MINUS(cpu.value[n]);

		if (!asked[n].enabled)
			continue;
		/* this much of the current period, which may be a longer one, is over */
		run.events[n] -= (count << cpu.throttle[n].stretch) - left;
		CHECK(run.events[n] % count == 0, "%s: counter %d", what, n);
		periods += run.events[n] / count;
	}
	CHECK(run.samples + run.throttled == periods, "%s: %llu samples, %llu throttled of %llu",
	      what, (unsigned long long)run.samples, (unsigned long long)run.throttled,
	      (unsigned long long)periods);
	CHECK(run.samples && run.throttled, "%s: too easy", what);
	CHECK(!run.unknown, "%s: %u NMIs that nobody knows", what, run.unknown);
}

static void turn(int set)
{
	uint64_t passed = take_turns(set, run.now);

	run.throttled += passed;	/* NMIs have added to it meanwhile */
}

/* Sets take turns at random, and NMIs hit between any two accesses to registers. */
static void at_random(const char *what, int sets, unsigned int one_in)
{
	memset(&run, 0, sizeof(run));
	run.seed = one_in;
	run.one_in = one_in;
	run.now = 1000000;
	started(sets);
	model_between = maybe_hit;
	for (int step = 0; step < 30000; step++) {
		run.now += chance(100000);
		count_some();
		maybe_hit();
		if (!chance(5))
			turn(chance(sets));
		model_log_clear();
	}
	turn(0);
	turn(1);	/* cpu.value has all counts but those of set 1 */
	turn(0);
	model_between = NULL;
	check_exact(what);
}

TEST(counts_are_exact_whenever_an_nmi_comes)
{
	static const unsigned int delays[] = { 1, 2, 5, 20 };

	for (size_t i = 0; i < sizeof(delays) / sizeof(*delays); i++) {
		an_intel_cpu(2);
		ask(0, 0xc0, 1000);
		ask(3, 0xc4, 1777);
		ask(4, 0xc0, 999);
		ask(7, 0xc5, 1500);
		ask(7 + 3, 0xc4, 123);
		ask(14 + 5, 0x3c, 3210);
		at_random("global registers", 3, delays[i]);
		an_amd_cpu();
		ask(0, 0x76, 1000);
		ask(1, 0xc0, 1777);
		ask(4, 0xc1, 1500);
		ask(4 + 3, 0xc2, 123);
		at_random("K7's", 2, delays[i]);
	}
}

TEST_MAIN()

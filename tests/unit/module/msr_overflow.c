// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * msr_overflow.c - Intel's counters: handling of overflows, whenever the NMI comes, and throttling
 */
#include "tests/unit/module/pmu_test.h"

TEST(an_overflow_accesses_registers_in_order)
{
	a_cpu(2, false);
	ask(1, 0xc0, 0, 5000);
	started();
	model_count(1, 5007, true);
	CHECK(model_interrupts() == 1, "it interrupts");
	struct op_pmu_fired f = op_pmu_begin(&pmu, &cpu, true, 100000);

	CHECK(f.overflows == 1 && f.samples == 2 && !f.throttled, "%u 0x%x", f.overflows,
	      f.samples);
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

TEST(late_nmis_are_ours_only_for_a_while)
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

TEST(counting_resumes_after_an_unrelated_nmi)
{
	a_cpu(2, false);
	ask(0, 0xc0, 0, 100);
	started();
	CHECK(!nmi(5, 0).overflows && !op_pmu_owed(&cpu, 5), "claimed");
	EXPECT_LOG({ 'w', 0x38f, 0 }, { 'r', 0x38e, 0 }, { 'w', 0x38f, 1 });
	/* status bits of other counters are ignored, too */
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
	op_pmu_restore(&pmu, &cpu);
	model_log_clear();
	CHECK(!nmi(1200002, 1).overflows, "restored: not ours");
	EXPECT_NO_LOG();
}

static unsigned int strike_in;		/* accesses from now; 0: not */
static struct op_pmu_fired struck;
static bool ours;

static void strike(void)
{
	if (!strike_in || --strike_in)
		return;
	struck = nmi(1200000, 1);
	ours = struck.overflows || op_pmu_owed(&cpu, 1200000);
}

/* Before any access of a stop: the period counts once, the NMI is ours, and all is stopped. */
TEST(an_nmi_in_the_middle_of_a_stop)
{
	uint64_t passed;
	unsigned int at;

	for (at = 1; at < 20; at++) {
		a_cpu(2, false);
		ask(0, 0xc0, 0, 100);
		started();
		model_count(0, 101, true);
		memset(&struck, 0, sizeof(struck));
		strike_in = at;
		model_between = strike;
		passed = op_pmu_stop(&pmu, &cpu, 1200000);
		if (strike_in)
			break;
		CHECK(ours, "access %u: unknown NMI", at);
		CHECK(!!struck.samples + struck.throttled + passed == 1,
		      "access %u: %u, %llu + %llu", at, struck.samples,
		      (long long)struck.throttled, (long long)passed);
		CHECK(!model_get(0x38f) && model_get(0xc1) == MINUS(99, 48), "access %u: 0x%llx",
		      at, (long long)model_get(0xc1));
		CHECK(!op_pmu_owed(&cpu, 1200001), "access %u: a second one is ours", at);
		strike_in = 0;
		model_between = NULL;
		op_pmu_start(&pmu, &cpu);
		model_count(0, 99, true);
		CHECK(nmi(1300000, 1).samples == 1, "access %u: it does not go on", at);
	}
	CHECK(at >= 5 && at < 20, "%u accesses", at - 1);
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
		model_count(5, 100, false);	/* for example while this interrupt was in flight */
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

/* Let @per_us events per microsecond happen until the end of a sample. */
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

TEST(a_runaway_rate_is_throttled_and_counted)
{
	uint64_t now = 1000000, samples = 0, throttled = 0, events = 0, calm;

	a_cpu(2, false);
	ask(0, 0xc0, 0, 100);
	started();
	CHECK(plans[0].floor == FLOOR, "%llu", (long long)plans[0].floor);
	/* a sample every 0.1 us is requested; 10 ms have room for 10 ms / (15 + 2) us */
	run(10000, 1000, &now, &samples, &throttled, &events);
	CHECK(samples > 200 && samples < 620, "%llu samples", (long long)samples);
	CHECK(samples + throttled == events / 100, "%llu + %llu", (long long)samples,
	      (long long)throttled);
	/* then an event every 5 us: after some time every sample is taken again */
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
	/* but if each takes as long as the time left to the CPU, periods are throttled */
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

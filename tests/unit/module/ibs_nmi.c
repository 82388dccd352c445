// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ibs_nmi.c - instruction-based sampling: NMIs without a cause, units used by perf, CPU hotplug,
 * and throttling
 */
#include "tests/unit/module/ibs_test.h"

TEST(nmis_that_find_nothing)
{
	a_cpu(0x17, 1, CAPS_ZEN);
	ask_fetch(1600, false);
	ask_op(1600, true, false);
	CHECK(!nmi(1), "before the first set-up");
	started();
	CHECK(!nmi(1), "nothing happened yet");
	ibs_model_count(OP_IBS_UNIT_FETCH, 1600);
	ibs_model_count(OP_IBS_UNIT_OP, 1600);
	CHECK(model_interrupts() == 2, "two");
	CHECK(nmi(1000000) && fired.samples == 3, "both are handled by the first");
	CHECK(nmi(1000050) && !fired.found, "the second has nothing left, and is ours");
	CHECK(!nmi(1000100), "a third is not");
	op_ibs_stop(&ibs, &plan, &cpu, 2000000);
	CHECK(nmi(2000010) && nmi(2000020) && !nmi(2000030), "each unit may interrupt once more");
	op_ibs_start(&ibs, &plan, &cpu);
	op_ibs_stop(&ibs, &plan, &cpu, 3000000);
	CHECK(!nmi(3000000 + plan.late + 1), "but not for ever");
	op_ibs_restore(&plan, &cpu);
	CHECK(!nmi(4000000 + plan.late), "nor after the end");
}

TEST(units_used_by_perf_are_left_alone)
{
	a_cpu(0x17, 1, CAPS_ZEN);
	ask_fetch(1600, false);
	ask_op(1600, true, false);
	CHECK(!op_ibs_plan(&ibs, &asked, KHZ, &plan, &why) && !op_ibs_busy(&plan), "free");
	model_set(OP_CTL, OP_EN | 0x777);
	CHECK(op_ibs_busy(&plan), "in use");
	model_log_clear();
	op_ibs_program(&plan, &cpu, 0);
	op_ibs_start(&ibs, &plan, &cpu);
	EXPECT_WRITES({ 'w', FETCH_CTL, 0 }, { 'w', FETCH_CTL, 100 },
		      { 'w', FETCH_CTL, FETCH_EN | 100 });
	model_set(FETCH_CTL, FETCH_EN | 0x123);		/* perf takes over */
	op_ibs_stop(&ibs, &plan, &cpu, 1000000);
	op_ibs_restore(&plan, &cpu);
	EXPECT_WRITES();
	CHECK(cpu.unit[0].taken && cpu.unit[1].taken, "not noticed");
	CHECK(model_get(FETCH_CTL) == (FETCH_EN | 0x123) && model_get(OP_CTL) == (OP_EN | 0x777),
	      "both are as they were left");
}

/* Each CPU has its own registers, which are restored; a CPU may come back. */
TEST(hotplug_is_followed)
{
	struct op_ibs_cpu second;

	a_cpu(0x17, 1, CAPS_ZEN);
	ask_op(1600, true, false);
	model_set(OP_CTL, OPS | 0x11);
	started();
	ibs_model_reset(&ibs);
	model_set(OP_CTL, OPS | OP_VAL | 0x22);
	op_ibs_program(&plan, &second, 1);
	op_ibs_start(&ibs, &plan, &second);
	op_ibs_stop(&ibs, &plan, &second, 2);
	op_ibs_restore(&plan, &second);
	CHECK(model_get(OP_CTL) == (OPS | 0x22), "without the sample: 0x%llx",
	      (long long)model_get(OP_CTL));
	ibs_model_count(OP_IBS_UNIT_OP, 1600);
	op_ibs_program(&plan, &second, 3);
	op_ibs_start(&ibs, &plan, &second);
	CHECK(ibs_model_count(OP_IBS_UNIT_OP, 1600), "it samples again");
	op_ibs_stop(&ibs, &plan, &cpu, 4);
	op_ibs_restore(&plan, &cpu);
	CHECK(model_get(OP_CTL) == (OPS | 0x11), "the first one's");
}

TEST(a_runaway_rate_is_throttled_and_counted)
{
	uint64_t samples = 0, throttled = 0, periods = 0, now = 1000000;
	unsigned int stretched = 0;

	a_cpu(0x19, 0x20, CAPS_ZEN);
	ask_op(160, true, false);
	started();
	for (int n = 0; n < 2000; n++) {
		unsigned int stretch = cpu.unit[1].throttle.stretch;

		/* a period of 160 ops ends every 200 cycles of the clock and, later, every 10 ms */
		now += n < 100 ? 200ull << stretch : 10000000ull << stretch;
		CHECK(ibs_model_count(OP_IBS_UNIT_OP, 160ull << stretch), "%d", n);
		periods += 1ull << stretch;
		CHECK(nmi(now), "%d", n);
		samples += fired.samples >> 1;
		throttled += passed;
		model_log_clear();
		if (cpu.unit[1].throttle.stretch > stretched)
			stretched = cpu.unit[1].throttle.stretch;
	}
	CHECK(stretched >= 6 && stretched <= 7, "%u", stretched);	/* 15 us are 75 periods */
	CHECK(!cpu.unit[1].throttle.stretch, "all is calm again: %u", cpu.unit[1].throttle.stretch);
	CHECK(samples + throttled == periods, "%llu + %llu of %llu", (long long)samples,
	      (long long)throttled, (long long)periods);
}

TEST_MAIN()

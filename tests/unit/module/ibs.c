// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ibs.c - instruction-based sampling: discovery, plan, and register accesses
 */
#include <errno.h>
#include "oprofilefs/op_abi.h"
#include "tests/unit/module/ibs_test.h"

TEST(units_are_discovered)
{
	static const struct {
		unsigned int family, model;
		uint32_t caps;
		uint64_t op_max;
		bool ops, target, two_steps, resumes, zero;
	} cpus[] = {
		{ 0x10, 2, CAPS_10H, 0xffff0, false, false, true, false, false },
		{ 0x10, 8, 0x1f, 0xffff0, true, false, true, false, false },
		{ 0x12, 1, 0x5f, 0x7fffff0, true, false, false, false, false },
		{ 0x15, 2, CAPS_15H, 0x7fffff0, true, true, false, false, false },
		{ 0x16, 0, CAPS_15H, 0x7fffff0, true, true, false, true, false },
		{ 0x17, 1, CAPS_ZEN, 0x7fffff0, true, true, false, true, false },
		{ 0x19, 1, CAPS_ZEN, 0x7fffff0, true, true, false, false, true },
		{ 0x19, 0x11, 0xbff, 0x7fffff0, true, true, false, false, false },
		{ 0x1a, 0, 0xfff, 0x7fffff0, true, true, false, false, false },
	};

	for (size_t n = 0; n < sizeof(cpus) / sizeof(*cpus); n++) {
		a_cpu(cpus[n].family, cpus[n].model, cpus[n].caps);
		CHECK(ibs.unit[0] && ibs.unit[1] && ibs.max[0] == 0xffff0 &&
		      ibs.max[1] == cpus[n].op_max, "%zu", n);
		CHECK(ibs.dispatched_ops == cpus[n].ops && ibs.branch_target == cpus[n].target,
		      "%zu", n);
		CHECK(ibs.stops_in_two_steps == cpus[n].two_steps &&
		      ibs.fetch_resumes == cpus[n].resumes &&
		      ibs.fetches_zero == cpus[n].zero, "%zu", n);
	}
	CHECK(op_ibs_discover(0x0f, 5, IBS, CAPS_ZEN, &ibs, &why) == -ENODEV, "a K8");
	CHECK(op_ibs_discover(0x17, 1, 0, CAPS_ZEN, &ibs, &why) == -ENODEV, "hidden");
	CHECK(op_ibs_discover(0x17, 1, IBS, 1, &ibs, &why) == -ENODEV, "without units");
	CHECK(!op_ibs_discover(0x17, 1, IBS, 5, &ibs, &why) && !ibs.unit[0] && ibs.unit[1],
	      "op alone");
}

TEST(unsupported_settings_are_refused)
{
	static const struct {
		unsigned long fetch, op;
		bool ops, target;
		const char *why;
	} bad[] = {
		{ 0, 0, false, false, "neither" },
		{ 15, 0, false, false, 
		  "ibs_fetch: max_count 15 is out of range: expected 16 to 1048560" },
		{ 0x100000, 0, false, false, "ibs_fetch: max_count" },
		{ 0, 0x8f, false, false, 
		  "ibs_op: max_count 143 is out of range: expected 144 to 1048560" },
		{ 1000, 0x100000, false, false, "ibs_op: max_count" },
		{ 0, 1000, true, false, "dispatched" },
		{ 0, 1000, false, true, "target" },
	};

	for (size_t n = 0; n < sizeof(bad) / sizeof(*bad); n++) {
		a_cpu(0x10, 2, CAPS_10H);
		if (bad[n].fetch)
			ask_fetch(bad[n].fetch, false);
		if (bad[n].op)
			ask_op(bad[n].op, bad[n].ops, bad[n].target);
		CHECK(op_ibs_plan(&ibs, &asked, KHZ, &plan, &why) == -EDOM &&
		      strstr(why.text, bad[n].why), "%zu: %s", n, why.text);
	}
	CHECK(!op_ibs_discover(0x17, 1, IBS, 3, &ibs, &why), "fetch alone");
	memset(&asked, 0, sizeof(asked));
	ask_op(1000, false, false);
	CHECK(op_ibs_plan(&ibs, &asked, KHZ, &plan, &why) == -EDOM, "%s", why.text);
}

TEST(fetch_registers)
{
	a_cpu(0x15, 2, CAPS_15H);
	model_set(FETCH_CTL, RANDOM | 0x1234);
	ask_fetch(250009, true);	/* 15625 * 16 + 9 */
	programmed();
	EXPECT_LOG({ 'r', FETCH_CTL, RANDOM | 0x1234 }, { 'w', FETCH_CTL, 0 });
	op_ibs_start(&ibs, &plan, &cpu);
	EXPECT_LOG({ 'w', FETCH_CTL, RANDOM | FETCH_EN | 15625 });
	CHECK(!nmi(1) && !ibs_model_count(OP_IBS_UNIT_FETCH, 249999), "too early");
	EXPECT_LOG({ 'r', FETCH_CTL, RANDOM | FETCH_EN | 15625 });
	model_set(FETCH_LINEAR, 0x7f0012345678);
	model_set(FETCH_PHYSICAL, 0x12345678);
	CHECK(ibs_model_count(OP_IBS_UNIT_FETCH, 1) && model_interrupts() == 1, "now");
	CHECK(nmi(1000000) && fired.found == 1 && fired.samples == 1 && !passed, "one sample");
	EXPECT_LOG({ 'r', FETCH_CTL, RANDOM | FETCH_EN | FETCH_VAL | 15625 },
		   { 'r', FETCH_LINEAR, 0x7f0012345678 }, { 'r', FETCH_PHYSICAL, 0x12345678 },
		   { 'w', FETCH_CTL, RANDOM | FETCH_EN | 15625 });
	CHECK(fired.sample[0].pc == 0x7f0012345678 && fired.sample[0].nr == 3 &&
	      fired.sample[0].data[0] == 0x7f0012345678 &&
	      fired.sample[0].data[1] == (RANDOM | FETCH_EN | FETCH_VAL | 15625) &&
	      fired.sample[0].data[2] == 0x12345678, "the registers, in order");
	CHECK(!op_ibs_stop(&ibs, &plan, &cpu, 2000000), "no period ended");
	EXPECT_LOG({ 'r', FETCH_CTL, RANDOM | FETCH_EN | 15625 }, { 'w', FETCH_CTL, 0 });
	op_ibs_restore(&plan, &cpu);
	EXPECT_LOG({ 'w', FETCH_CTL, RANDOM | 0x1234 });
}

TEST(op_registers)
{
	a_cpu(0x17, 1, CAPS_ZEN);
	ask_op(0x7fffff0, true, true);
	programmed();
	EXPECT_LOG({ 'r', OP_CTL, 0 }, { 'w', OP_CTL, 0 });
	op_ibs_start(&ibs, &plan, &cpu);
	EXPECT_LOG({ 'w', OP_CTL, 0x7f00000 | 0xffff | OPS | OP_EN });
	for (unsigned int n = 0; n < 6; n++)
		model_set(OP_RIP + n, n ? n * 0x1111 : 0xffffffff81000000);
	model_set(OP_TARGET, 0xffffffff81000444);
	CHECK(ibs_model_count(OP_IBS_UNIT_OP, 0x7fffff0), "a sample");
	/* the unit chose its next start value, which must be written back */
	model_set(OP_CTL, model_get(OP_CTL) | 0x55ull << 32);
	CHECK(nmi(1000000) && fired.samples == 2, "a sample");
	EXPECT_LOG({ 'r', OP_CTL, 0x55ull << 32 | 0x7f00000 | 0xffff | OPS | OP_VAL | OP_EN },
		   { 'r', OP_RIP, 0xffffffff81000000 }, { 'r', OP_RIP + 1, 0x1111 },
		   { 'r', OP_RIP + 2, 0x2222 }, { 'r', OP_RIP + 3, 0x3333 },
		   { 'r', OP_RIP + 4, 0x4444 }, { 'r', OP_RIP + 5, 0x5555 },
		   { 'r', OP_TARGET, 0xffffffff81000444 },
		   { 'w', OP_CTL, 0x55ull << 32 | 0x7f00000 | 0xffff | OPS | OP_EN });
	CHECK(fired.sample[1].nr == 7 && fired.sample[1].pc == 0xffffffff81000000 &&
	      fired.sample[1].data[5] == 0x5555 && fired.sample[1].data[6] == 0xffffffff81000444,
	      "the registers, in order");
	op_ibs_stop(&ibs, &plan, &cpu, 2000000);
	op_ibs_restore(&plan, &cpu);
	CHECK(model_get(OP_CTL) == 0, "restored");
}

TEST(no_branch_target_by_default)
{
	a_cpu(0x17, 1, CAPS_ZEN);
	ask_op(1000, true, false);
	started();
	ibs_model_count(OP_IBS_UNIT_OP, 1000);
	CHECK(nmi(1) && fired.sample[1].nr == (OP_IBS_OP_WORDS - 1) / 2, "%u", fired.sample[1].nr);
}

TEST(invalid_addresses_are_ignored)
{
	a_cpu(0x15, 2, CAPS_15H);
	ask_op(1000, true, false);
	started();
	model_set(OP_RIP, 0x1234);
	model_set(OP_DATA1, 1ull << 38);
	ibs_model_count(OP_IBS_UNIT_OP, 1000);
	CHECK(nmi(1) && fired.samples == 2 && fired.sample[1].pc == 0 &&
	      fired.sample[1].data[0] == 0x1234, "pc 0x%llx", (long long)fired.sample[1].pc);
	a_cpu(0x10, 2, CAPS_10H);	/* the bit has no meaning on this family */
	ask_op(1000, false, false);
	started();
	model_set(OP_RIP, 0x1234);
	model_set(OP_DATA1, 1ull << 38);
	ibs_model_count(OP_IBS_UNIT_OP, 1200);
	CHECK(nmi(1) && fired.sample[1].pc == 0x1234, "pc 0x%llx", (long long)fired.sample[1].pc);
}

/* Cycles between samples: minimum, maximum and mean of many. */
static void vary(uint64_t *least, uint64_t *most, double *mean)
{
	uint64_t sum = 0;

	*least = ~0ull;
	*most = 0;
	for (int n = 0; n < 10000; n++) {
		uint64_t cycles = 0;

		while (!ibs_model_count(OP_IBS_UNIT_OP, 1))
			cycles++;
		cycles++;
		*least = cycles < *least ? cycles : *least;
		*most = cycles > *most ? cycles : *most;
		sum += cycles;
		nmi((uint64_t)(n + 1) * 1000000);
		model_log_clear();
	}
	*mean = sum / 10000.0;
}

TEST(periods_in_cycles_vary)
{
	uint64_t least, most;
	double mean;

	a_cpu(0x17, 1, CAPS_ZEN);
	ask_op(4096, false, false);
	started();
	vary(&least, &most, &mean);
	CHECK(least == 4096 - 127 && most == 4096 && mean > 4028 && mean < 4037, "%llu %llu %g",
	      (long long)least, (long long)most, mean);
	a_cpu(0x10, 2, CAPS_10H);	/* by steps of 16 */
	ask_op(4096, false, false);
	started();
	vary(&least, &most, &mean);
	CHECK(least == 4096 - 128 && most == 4096 + 112 && mean > 4084 && mean < 4092,
	      "%llu %llu %g", (long long)least, (long long)most, mean);
}

/* Erratum 420; the model aborts if the period is not cleared first. */
TEST(family_10h_is_stopped_in_two_steps)
{
	a_cpu(0x10, 2, CAPS_10H);
	ask_fetch(1600, true);
	ask_op(1600, false, false);
	started();
	op_ibs_stop(&ibs, &plan, &cpu, 1);
	EXPECT_WRITES({ 'w', FETCH_CTL, RANDOM | FETCH_EN }, { 'w', FETCH_CTL, 0 },
		      { 'w', OP_CTL, OP_EN }, { 'w', OP_CTL, 0 });
}

TEST(fetch_count_restarts_after_each_sample)
{
	for (unsigned int family = 0x15; family <= 0x19; family++) {
		a_cpu(family, 0x20, CAPS_15H);
		ask_fetch(160, false);
		started();
		for (int n = 1; n < 5; n++) {
			CHECK(!ibs_model_count(OP_IBS_UNIT_FETCH, 159), "family 0x%x", family);
			CHECK(ibs_model_count(OP_IBS_UNIT_FETCH, 1), "family 0x%x", family);
			model_log_clear();
			CHECK(nmi(n * 1000000), "a sample");
		}
		if (family >= 0x16 && family <= 0x18)
			EXPECT_WRITES({ 'w', FETCH_CTL, 10 }, { 'w', FETCH_CTL, FETCH_EN | 10 });
		else
			EXPECT_WRITES({ 'w', FETCH_CTL, FETCH_EN | 10 });
	}
}

/* Erratum 1197 */
TEST(fetches_of_address_zero_are_dropped)
{
	a_cpu(0x19, 1, CAPS_ZEN);
	ask_fetch(1600, false);
	started();
	ibs_model_count(OP_IBS_UNIT_FETCH, 1600);
	CHECK(nmi(1000000) && !fired.samples && passed == 1, "%u %llu", fired.samples,
	      (long long)passed);
	model_set(FETCH_LINEAR, 0x1000);
	CHECK(ibs_model_count(OP_IBS_UNIT_FETCH, 1600), "it goes on");
	CHECK(nmi(2000000) && fired.samples == 1 && !passed, "%u", fired.samples);
}

TEST_MAIN()

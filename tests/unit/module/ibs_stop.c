// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ibs_stop.c - instruction-based sampling: an NMI may interrupt its stop anywhere
 *
 * That is between any two accesses to memory or registers. To intercept those to memory, the code
 * under test is compiled in here.
 */
#include "module/portable.h"

static void before_access(void);

#undef READ_ONCE
#undef WRITE_ONCE
#undef xchg
#define READ_ONCE(x)		(before_access(), __atomic_load_n(&(x), __ATOMIC_RELAXED))
#define WRITE_ONCE(x, value)						\
	(before_access(), __atomic_store_n(&(x), (value), __ATOMIC_RELAXED))
#define xchg(p, value)							\
	(before_access(), __atomic_exchange_n((p), (value), __ATOMIC_SEQ_CST))

#include "module/arch/x86/ibs.c"
#undef FETCH_CTL
#undef OP_CTL
#undef FETCH_LINEAR
#undef FETCH_PHYSICAL
#undef OP_RIP
#include "tests/unit/module/ibs_test.h"

static unsigned int strike_in;		/* accesses from now; 0: not */
static uint64_t samples_struck, passed_struck;
static bool ours;

static void before_access(void)
{
	if (!strike_in || --strike_in)
		return;
	ours = nmi(1000000);
	samples_struck = ours ? __builtin_popcount(fired.samples) : 0;
	passed_struck = passed;
}

static const struct {
	unsigned int family;
	uint32_t caps;
	unsigned long count;
	bool ops;
} kinds[] = {
	{ 0x10, CAPS_10H, 1600, false },	/* each period differs, in the control register */
	{ 0x10, CAPS_10H, 160, false },
	{ 0x17, CAPS_ZEN, 1600, false },
	{ 0x17, CAPS_ZEN, 1600, true },
};

/* The units @pending have a sample when they are stopped; @close: soon enough to throttle. */
static bool struck(unsigned int kind, unsigned int pending, bool close, unsigned int at)
{
	unsigned long wanted = 0;
	uint64_t stopped;
	bool hit;

	a_cpu(kinds[kind].family, 1, kinds[kind].caps);
	ask_fetch(kinds[kind].count, false);
	ask_op(kinds[kind].count, kinds[kind].ops, false);
	started();
	model_between = before_access;
	for (unsigned int u = 0; u < OP_IBS_UNITS; u++) {
		cpu.unit[u].throttle.handled = close ? 1000000 - 1 : 0;
		if (pending >> u & 1)
			wanted += ibs_model_count(u, 2 * kinds[kind].count);
	}
	samples_struck = passed_struck = 0;
	ours = true;
	strike_in = at;
	stopped = op_ibs_stop(&ibs, &plan, &cpu, 1000000);
	hit = !strike_in;
	strike_in = 0;
	CHECK(ours || !pending, "kind %u, pending %u, access %u: unknown NMI", kind, pending, at);
	CHECK(samples_struck + passed_struck + stopped == wanted,
	      "kind %u, pending %u, access %u: %llu + %llu + %llu of %lu", kind, pending, at,
	      (long long)samples_struck, (long long)passed_struck, (long long)stopped, wanted);
	CHECK(!cpu.unit[0].taken && !cpu.unit[1].taken, "kind %u, pending %u, access %u: taken",
	      kind, pending, at);
	CHECK(!(model_get(FETCH_CTL) & FETCH_EN) && !(model_get(OP_CTL) & OP_EN),
	      "kind %u, pending %u, access %u: goes on", kind, pending, at);
	return hit;
}

/* Each period is counted once, its NMI is ours, and the units stop. */
TEST(an_nmi_may_interrupt_stop_anywhere)
{
	unsigned int hits = 0;

	for (unsigned int kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++)
		for (unsigned int n = 0; n < 8; n++) {
			unsigned int at = 1;

			while (struck(kind, n % 4, n / 4, at))
				at++;
			CHECK(at > 6, "%u accesses", at);
			hits += at - 1;
		}
	CHECK(hits >= 200, "%u", hits);
}

TEST_MAIN()

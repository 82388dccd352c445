// SPDX-License-Identifier: GPL-2.0-or-later
/* bound.c - which rate keeps the cost of sampling below a bound, and what users read about it */
#include <errno.h>
#include "control/plan/plan.h"
#include "libdb/session/session.h"
#include "libutil/file.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define NR(a) (sizeof(a) / sizeof((a)[0]))
#define ASKED 38518			/* ns: 100000 cycles at 2596 MHz */

/* ---- the period ---- */

TEST(periods)
{
	static const struct {
		uint64_t asked, cost;
		double max_cost;
		uint64_t earlier, want;
	} cases[] = {
		/* what is asked for, if it fits with a reserve */
		{ 2000000, 16000, 1, 0, 2000000 },
		{ 1234567, 9000, 1, 0, 1234567 },
		{ ASKED, 1000, 5, 0, ASKED },
		/* else the shortest round period that fits with a reserve */
		{ ASKED, 12800, 1, 0, 1600000 },
		{ ASKED, 12801, 1, 0, 2000000 },
		{ ASKED, 22000, 1, 0, 3200000 },
		{ ASKED, 1000, 1, 0, 125000 },
		{ ASKED, 12800, 0.01, 0, 160000000 },
		{ ASKED, 12800, 10, 0, 160000 },
		/* never faster than asked for */
		{ 1700000, 13700, 1, 0, 2000000 },
		{ 1999999, 16001, 1, 0, 2500000 },
		/* unknown cost */
		{ ASKED, 0, 1, 0, 5000000 },
		{ 20000000, 0, 1, 0, 20000000 },
		/* an earlier period that fits without a reserve, unless it is far too long */
		{ ASKED, 15000, 1, 1600000, 1600000 },
		{ ASKED, 16001, 1, 1600000, 2000000 + 500000 },
		{ ASKED, 12800, 1, 3200000, 3200000 },
		{ ASKED, 12800, 1, 6400000, 6400000 },
		{ ASKED, 12800, 1, 8000000, 1600000 },
		{ ASKED, 14400, 1, 5000000, 5000000 },	/* when it could not be measured */
		{ ASKED, 12800, 1, 3141592, 3141592 },
		{ ASKED, 0, 1, 16000000, 16000000 },
		/* nor one that is faster than asked for, or another if what is asked for fits */
		{ 1500000, 13000, 1, 1400000, 2000000 },
		{ 2000000, 12800, 1, 1600000, 2000000 },
	};

	for (size_t i = 0; i < NR(cases); i++) {
		uint64_t got = bounded_period(cases[i].asked, cases[i].cost, cases[i].max_cost,
					      cases[i].earlier);

		CHECK(got == cases[i].want, "%zu: %llu", i, (unsigned long long)got);
	}
}

/* What is chosen costs less than the bound, and not less than half of it. */
TEST(within_the_bound)
{
	for (double cost = 300; cost < 200000; cost *= 1.007)
		for (double max = 0.05; max < 100; max *= 1.5) {
			uint64_t ns = bounded_period(1000, (uint64_t)cost, max, 0);
			double share = (double)(uint64_t)cost / (double)ns * 100;

			CHECK(share < max && (share > max / 2 || ns == 1000), "%f ns, %f %%: %llu",
			      cost, max, (unsigned long long)ns);
		}
}

/* No measurement is like the one before: the session's period stays nevertheless. */
TEST(measurements_that_differ)
{
	uint64_t chance = 1, period = 0;
	unsigned int changes = 0;

	for (int start = 0; start < 1000; start++) {
		uint64_t cost, now;

		chance = chance * 6364136223846793005u + 1442695040888963407u;
		cost = 12000 + (chance >> 33) % 3000;	/* a quarter more or less */
		now = bounded_period(ASKED, cost, 1, period);
		changes += period && now != period;
		CHECK((double)cost / (double)now < 0.01, "%llu ns every %llu",
		      (unsigned long long)cost, (unsigned long long)now);
		period = now;
	}
	CHECK(changes == 0, "%u changes", changes);
}

/* ---- the plan ---- */

static uint64_t fake_cost;		/* 0: it cannot be measured */
static uint64_t disturbance;		/* the first measurement is so much larger */
static bool with_stacks, with_frame_pointers;
static int measured;

static int measure(bool stacks, bool frame_pointers_only, uint64_t *ret_ns)
{
	measured++;
	with_stacks = stacks;
	with_frame_pointers = frame_pointers_only;
	if (!fake_cost)
		return -ENODATA;
	*ret_ns = fake_cost + (measured == 1 ? disturbance : 0);
	return 0;
}

static void plan_by_time(struct setup *s, uint64_t khz, uint64_t earlier, struct event_plan *ret)
{
	struct collector_choice c = { .clock_khz = khz };
	struct op_error e = { "" };

	measured = 0;
	CHECK(!event_plan_make(&c, s, ret, &e), "%s", e.text);
	event_plan_bound(ret, &c, s, measure, earlier);
}

TEST(count_is_replaced)
{
	struct event_plan p;
	struct setup s;
	char *text;

	setup_init(&s);
	fake_cost = 12000;
	plan_by_time(&s, 2500000, 0, &p);
	text = event_plan_format(&p);
	/* the requested count stays: it is what is saved */
	CHECK(!strcmp(text, "CPU_CLK_UNHALTED:0x0:0:4000000:0x0:1:1"), "%s", text);
	CHECK(p.settled[0].count == 100000 && p.bound.asked_ns == 40000 &&
		      p.bound.period_ns == 1600000 && p.bound.cost_ns == 12000,
	      "%llu", (unsigned long long)p.bound.period_ns);
	CHECK(measured == 1 && !with_stacks, "%d", measured);
	free(text);
	event_plan_free(&p);

	s.callgraph_depth = 16;
	s.frame_pointers_only = true;
	plan_by_time(&s, 2500000, 0, &p);
	CHECK(with_stacks && with_frame_pointers, "%d", measured);
	event_plan_free(&p);

	s.max_cost = MAX_COST_NONE;
	plan_by_time(&s, 2500000, 0, &p);
	CHECK(!measured && p.events[0].count == 100000 && !cost_bound_applies(&p.bound), "%llu",
	      (unsigned long long)p.events[0].count);
	event_plan_free(&p);
	setup_free(&s);
}

/* A period that was converted to a count and back is the same, at any clock. */
TEST(period_of_the_session_is_kept_exactly)
{
	struct event_plan first, again;
	struct setup s;

	setup_init(&s);
	for (uint64_t khz = 400000; khz < 6000000; khz += 98765) {
		s.events[0] = (struct event_request){ .count = 500000, .kernel = true,
						      .user = true };
		strcpy(s.events[0].name, CPU_CLOCK_EVENT);
		s.nr_events = 1;
		fake_cost = 22000;
		plan_by_time(&s, khz, 0, &first);
		fake_cost = 23000;
		plan_by_time(&s, khz, first.bound.period_ns, &again);
		CHECK(first.bound.period_ns == again.bound.period_ns &&
			      first.events[0].count == again.events[0].count &&
			      first.bound.period_ns >= 3200000 && first.bound.period_ns < 3200003,
		      "%llu kHz: %llu, %llu ns", (unsigned long long)khz,
		      (unsigned long long)first.bound.period_ns,
		      (unsigned long long)again.bound.period_ns);
		event_plan_free(&first);
		event_plan_free(&again);
	}
	setup_free(&s);
}

/* A session is not ended by one measurement that something disturbed. */
TEST(measured_again)
{
	struct event_plan p;
	struct setup s;

	setup_init(&s);
	fake_cost = 12500;
	disturbance = 5000;
	plan_by_time(&s, 2500000, 1600000, &p);
	CHECK(measured == 2 && p.bound.cost_ns == 12500 && p.bound.period_ns == 1600000,
	      "%d: %llu ns", measured, (unsigned long long)p.bound.period_ns);
	event_plan_free(&p);
	disturbance = 0;
	fake_cost = 30000;
	plan_by_time(&s, 2500000, 1600000, &p);
	CHECK(measured == 3 && p.bound.period_ns == 4000000, "%d: %llu ns", measured,
	      (unsigned long long)p.bound.period_ns);
	event_plan_free(&p);
	fake_cost = 0;
	plan_by_time(&s, 2500000, 0, &p);
	CHECK(measured == 3 && p.bound.period_ns == 5000000, "%d: %llu ns", measured,
	      (unsigned long long)p.bound.period_ns);
	event_plan_free(&p);
	setup_free(&s);
}

TEST(period_of_a_session)
{
	struct session_info info = { .cpu_type = "timer", .period_ns = 1600000 };
	char *stats;

	tmpdir_make();
	CHECK(session_timer_period(tmpdir_path("")) == 0, "no session");
	stats = session_stats_path(tmpdir_path(""), SESSION_CURRENT, NULL);
	CHECK(!file_make_dirs(stats, 0755) && !session_info_write(stats, &info), "%s", stats);
	free(stats);
	CHECK(session_timer_period(tmpdir_path("")) == 1600000, "another period");
	tmpdir_remove();
}

/* ---- what users read ---- */

static void explains(const struct cost_bound *b, const char *want)
{
	struct strbuf text = STRBUF_INIT;

	cost_bound_explain(b, &text);
	CHECK(!strcmp(text.text, want), "%s", text.text);
	strbuf_free(&text);
}

TEST(both_rates)
{
	struct cost_bound b = { .event = "CPU_CLK_UNHALTED:100000", .max_cost = 1,
				.cost_ns = 12840, .asked_ns = ASKED, .period_ns = 2000000 };

	explains(&b, "500/s instead of 25962/s (CPU_CLK_UNHALTED:100000), to cost less than 1 % of "
		     "each CPU at 12.8 us a sample; --exact-count samples as requested");
	b.max_cost = 0.05;
	b.cost_ns = 0;
	b.period_ns = 320000000;
	explains(&b, "3.1/s instead of 25962/s (CPU_CLK_UNHALTED:100000), to cost less than 0.05 % "
		     "of each CPU (what a sample costs could not be measured); --exact-count "
		     "samples as requested");
}

static void warns(double max_cost, uint64_t cost_ns, uint64_t rate, const char *want)
{
	struct cost_bound b = { .max_cost = max_cost, .cost_ns = cost_ns };
	struct strbuf text = STRBUF_INIT;

	cost_bound_warn(&b, rate, &text);
	CHECK(!strcmp(text.len ? text.text : "", want), "%f: %s", max_cost,
	      text.len ? text.text : "");
	strbuf_free(&text);
}

TEST(rate_of_counters)
{
	warns(1, 2000, 15000, "");		/* 3 % */
	warns(1, 2000, 15001,
	      "sampling takes about 3 % of the busiest CPU: 15001 samples a second at 2.0 us each; "
	      "use a count 4 times as large, or --exact-count to accept that");
	warns(1, 20000, 26000,
	      "sampling takes about 52 % of the busiest CPU: 26000 samples a second at 20.0 us "
	      "each; use a count 52 times as large, or --exact-count to accept that");
	warns(60, 20000, 26000, "");		/* accepted */
	warns(MAX_COST_NONE, 20000, 26000, "");
	warns(1, 0, 26000, "");			/* not measured */
}

TEST_MAIN()

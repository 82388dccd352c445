// SPDX-License-Identifier: GPL-2.0-or-later
/* schedule.c - when samples and periodic profiles are due, exactly */
#include "libsampler/sampling.h"
#include "tests/tap.h"

#define GRID	1000000ull		/* the scheduled time */
#define STEP	1000ull

/* The steps after a sample that is late by @late thousandths of an interval. */
static uint64_t steps(int late, uint64_t *missed)
{
	uint64_t next = schedule_next(GRID, (uint64_t)((int64_t)GRID + late), STEP, missed);

	CHECK((next - GRID) % STEP == 0, "late by %d: off the grid", late);
	return (next - GRID) / STEP;
}

TEST(next_sample_time_normal)
{
	static const int late[] = { 0, 400, -400, 500 };
	uint64_t missed;

	for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); i++) {
		CHECK(steps(late[i], &missed) == 1, "late by %d", late[i]);
		CHECK(missed == 0, "late by %d: %llu", late[i], (unsigned long long)missed);
	}
}

TEST(next_sample_time_delayed)
{
	static const struct {
		int late;
		uint64_t steps;
	} rows[] = {
		{ 501, 2 }, { 600, 2 }, { 1000, 2 }, { 1400, 2 }, { 1600, 3 },
		{ 9600, 11 }, { 10000, 11 }, { 10400, 11 }, { 10501, 12 },
	};
	uint64_t missed;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t got = steps(rows[i].late, &missed);

		CHECK(got == rows[i].steps, "late by %d: %llu", rows[i].late,
		      (unsigned long long)got);
		CHECK(missed == rows[i].steps - 1, "late by %d: %llu missed", rows[i].late,
		      (unsigned long long)missed);
	}
}

/* Half an interval at least, also for odd intervals. */
TEST(next_sample_is_half_an_interval_away)
{
	for (uint64_t interval = 1; interval < 12; interval++)
		for (uint64_t late = 0; late < 40; late++) {
			uint64_t missed, now = GRID + late;
			uint64_t next = schedule_next(GRID, now, interval, &missed);

			CHECK(2 * (next - now) >= interval, "interval %llu, late %llu",
			      (unsigned long long)interval, (unsigned long long)late);
			CHECK(next == GRID + (missed + 1) * interval, "off the grid");
			CHECK(missed == 0 || 2 * (next - interval - now) < interval ||
			      next - interval < now, "left out for nothing");
		}
}

/* A profile of 100 in each period of 1000. */
#define PERIODIC { .period_ns = 1000, .profile_ns = 100 }

TEST(profile_at_offset_0)
{
	struct schedule_periodic s = PERIODIC;

	CHECK(schedule_profile(&s, 5000, 0) == 0, "at once");
	CHECK(schedule_profile(&s, 5100, 0) == 900, "with the next period");
}

TEST(profile_at_offset_1)
{
	struct schedule_periodic s = PERIODIC;

	CHECK(schedule_profile(&s, 5000, 1) == 900, "so that it ends with the period");
	CHECK(schedule_profile(&s, 6000, 1) == 900, "again");
}

TEST(profile_at_offset_a_quarter)
{
	struct schedule_periodic s = PERIODIC;

	CHECK(schedule_profile(&s, 5000, 0.25) == 225, "a quarter of what is free");
	CHECK(schedule_profile(&s, 5325, 0.25) == 675 + 225, "from the next period's start");
}

TEST(profile_after_the_clock_jumped_ahead)
{
	struct schedule_periodic s = PERIODIC;

	schedule_profile(&s, 5000, 0.5);
	CHECK(schedule_profile(&s, 99000, 0.5) == 450, "a new period from there");
	CHECK(schedule_profile(&s, 99550, 0) == 450, "and the next behind it");
}

TEST(profile_after_the_clock_jumped_back)
{
	struct schedule_periodic s = PERIODIC;

	schedule_profile(&s, 5000, 0.5);
	CHECK(schedule_profile(&s, 300, 0.5) == 450, "a new period from there");
}

TEST(profile_all_the_time)
{
	struct schedule_periodic s = { .period_ns = 100, .profile_ns = 100 };

	CHECK(schedule_profile(&s, 5000, 0.75) == 0, "no choice");
	CHECK(schedule_profile(&s, 5103, 0.75) == 0, "late: at once");
}

static void expect_delays(uint64_t late, uint64_t sum, uint64_t nr)
{
	uint64_t got_nr = 0, got = schedule_delays(late, 10, &got_nr);

	CHECK(got == sum && got_nr == nr, "%llu late: %llu of %llu", (unsigned long long)late,
	      (unsigned long long)got, (unsigned long long)got_nr);
}

TEST(delays_of_all_intervals_that_a_signal_stands_for)
{
	expect_delays(0, 0, 1);
	expect_delays(3, 3, 1);
	expect_delays(10, 10 + 0, 2);
	expect_delays(25, 25 + 15 + 5, 3);
	expect_delays(1007, 37 + 27 + 17 + 7, 4);
}

TEST_MAIN()
